"""The prompts: plain text files beside this one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

SHARED = "shared"


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
def load(name: str) -> Prompt:
    """A task's prompt: the shared rules, then the task's own text."""
    text = f"{read(SHARED)}\n\n{read(name)}"
    return Prompt(name, sha256(text.encode()).hexdigest()[:8], text)


def read(name: str) -> str:
    """One prompt file."""
    return files(__name__).joinpath(f"{name}.txt").read_text(encoding="utf-8").strip()
