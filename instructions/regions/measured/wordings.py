"""The wordings of the embedded writer: `templates/TYPE.toml`, by task at least four each, and their slots filled."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from instructions.claims.stated import StatedClaim
from instructions.claims.view_claims import ViewClaimKind
from instructions.regions.measured.region_fact import RegionFact
from instructions.wording.english import fill

TYPES = ("Attribute", "Scene", "Relationship", "Focus", "Factual", "Inference", "Type", "Purpose")
"""What the embedded writer asks; the last two need categories."""


_TOLD_BY: Mapping[ViewClaimKind, tuple[str, ...]] = {
    "kind": ("noun", "use"), "color": ("color",), "room": ("room",), "left of": ("way",), "right of": ("way",),
    "side": ("side", "seen", "where"), "distance": ("distance", "near"), "gap": ("apart",),
}  # fmt: skip
"""Slots by which a rationale tells a claim; what is not named here every rationale of a fact tells."""


@dataclass(frozen=True)
class Wording:
    """Question, answer and rationale with slots."""

    question: str
    answer: str
    rationale: str

    def fill(self, things: Mapping[str, tuple[str, bool]], words: Mapping[str, str]) -> tuple[str, str, str]:
        """The three texts."""
        parts = [fill(text, things, words) for text in (self.question, self.answer, self.rationale)]
        return parts[0], parts[1], parts[2]

    def find_reasons(self, fact: RegionFact) -> list[StatedClaim]:
        """What the rationale tells of a fact."""
        known = [one for one in (*fact.claims, *fact.reasons) if not one.denied]
        slots = set(re.findall(r"\{(\w+)", self.rationale))
        return [one for one in known if one.says not in _TOLD_BY or not slots.isdisjoint(_TOLD_BY[one.says])]

    def needs(self, slot: str) -> bool:
        """Whether a slot is used."""
        return any(f"{{{slot}" in text for text in (self.question, self.answer, self.rationale))


@cache
def load_wordings() -> dict[tuple[str, str], tuple[Wording, ...]]:
    """By type and task."""
    folder = files("instructions.regions").joinpath("templates")
    out: dict[tuple[str, str], tuple[Wording, ...]] = {}
    for kind in TYPES:
        data = tomllib.loads(folder.joinpath(f"{kind.lower()}.toml").read_text(encoding="utf-8"))
        for task, entries in data.items():
            out[kind, task] = tuple(Wording(one["q"], one["a"], one["r"]) for one in entries)
    return out
