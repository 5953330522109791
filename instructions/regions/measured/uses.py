"""What household things are for: `uses.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from instructions.wording.synonyms import SYNONYMS


@cache
def load_uses() -> dict[str, str]:
    """A verb phrase (`to sit on`) by kind of thing."""
    return tomllib.loads(files("instructions.regions").joinpath("uses.toml").read_text(encoding="utf-8"))


def find_use(kind: str) -> str | None:
    """What a kind of thing is for, also by another word for it; None for kinds that nobody listed."""
    uses = load_uses()
    plain = " ".join(SYNONYMS.get(word, word) for word in kind.split())
    return uses.get(kind) or uses.get(plain)
