"""The prompts: plain text files in the folder `prompts` of the package that asks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

FOLDER = "prompts"
SHARED = "shared.txt"


@dataclass(frozen=True)
class Prompt:
    """A system message and its version."""

    name: str
    version: str
    """First 8 hex digits of the hash of the whole text; rows name it, so a changed word is a new version."""
    text: str

    @property
    def label(self) -> str:
        """How rows name it."""
        return f"{self.name}@{self.version}"


@cache
def load(package: str, name: str, *more: str) -> Prompt:
    """A prompt of a kind of data.

    Args:
        package: That holds the folder `prompts`, such as `instructions.navigation`.
        name: Of the file, without its ending.
        more: Further files of the folder, whose texts come after its own and make another version of it.

    Returns:
        The rules that the kind's prompts share (`shared.txt`), where it has such, then the prompt's own text.
    """
    folder = files(package).joinpath(FOLDER)
    shared, own = folder.joinpath(SHARED), [folder.joinpath(f"{one}.txt") for one in (name, *more)]
    parts = [shared, *own] if shared.is_file() else own
    text = "\n\n".join(part.read_text(encoding="utf-8").strip() for part in parts)
    return Prompt(name, sha256(text.encode()).hexdigest()[:8], text)
