"""A measured fact of a view that may be asked: how hard that is, and its wordings (`templates/TYPE.toml`)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from instructions.claims.stated import StatedClaim
from instructions.claims.view_claims import ViewClaimKind
from instructions.regions.records import Parts
from instructions.view import SeenThing, View
from instructions.wording.english import fill
from instructions.wording.synonyms import SYNONYMS


@dataclass(frozen=True)
class RegionFact:
    """Something measured that may be asked."""

    type: str
    task: str
    """Name of its wordings in the type's templates."""
    numbers: tuple[int, ...]
    """Of A, and B."""
    words: Mapping[str, str] = field(default_factory=dict)
    """What fills the slots."""
    claims: tuple[StatedClaim, ...] = ()
    """What its answers tell."""
    reasons: tuple[StatedClaim, ...] = ()
    """What its rationales may tell besides."""
    solution: str | None = None
    margin: float = 1.0
    """How far beyond its bar, 0 (on it) to 1 (twice as far or more)."""
    needs_numbers: bool = False
    """Words would give the answer away."""
    needs_words: bool = False
    """By number alone nothing would be asked."""
    tells_word: bool = False
    """The solution may be part of a thing's name, which would give it away."""


def count_alike(view: View, thing: SeenThing) -> int:
    """How many other things of the view have its noun."""
    return sum(one.head == thing.head for one in view.things if one.id != thing.id)


def rate_difficulty(view: View, fact: RegionFact) -> float:
    """0 (plain) to 1, from size in the picture, occlusion, look-alikes in view and the margin of the fact."""
    things = [thing for number in fact.numbers if (thing := view.find_thing(view.numbers[number])) is not None]
    small = max(1.0 - min(view.measure_share(thing) / 0.05, 1.0) for thing in things)
    hidden = max(1.0 - thing.visible_fraction for thing in things)
    alike = float(any(count_alike(view, thing) for thing in things))
    return round((small + hidden + alike + (1.0 - fact.margin)) / 4.0, 3)


TYPES = ("Attribute", "Scene", "Relationship", "Focus", "Factual", "Inference", "Type", "Purpose")
"""What the embedded writer asks; the last two need categories."""


_TOLD_BY: Mapping[ViewClaimKind, tuple[str, ...]] = {
    "kind": ("noun", "use"), "color": ("color",), "room": ("room",), "left of": ("way",), "right of": ("way",),
    "side": ("side", "seen", "where"), "distance": ("distance", "near"), "gap": ("apart",),
}  # fmt: skip
"""Slots by which a rationale tells a claim; what is not named here every rationale of a fact tells."""


class Wording(Parts):
    """Question, answer and rationale with slots."""

    def fill(self, things: Mapping[str, tuple[str, bool]], words: Mapping[str, str]) -> Parts:
        """The three texts.

        Raises:
            KeyError: For a slot of something that is not known here.
        """
        return Parts(*(fill(text, things, words) for text in self))

    def find_reasons(self, fact: RegionFact) -> list[StatedClaim]:
        """What the rationale tells of a fact."""
        known = [one for one in (*fact.claims, *fact.reasons) if not one.denied]
        slots = set(re.findall(r"\{(\w+)", self.rationale))
        return [one for one in known if one.says not in _TOLD_BY or not slots.isdisjoint(_TOLD_BY[one.says])]


@cache
def load_wordings() -> dict[tuple[str, str], tuple[Wording, ...]]:
    """By type and task."""
    folder = files("instructions.regions").joinpath("templates")
    out: dict[tuple[str, str], tuple[Wording, ...]] = {}
    for kind in TYPES:
        data = tomllib.loads(folder.joinpath(f"{kind.lower()}.toml").read_text(encoding="utf-8"))
        for task, entries in data.items():
            out[kind, task] = tuple(Wording(entry["q"], entry["a"], entry["r"]) for entry in entries)
    return out


@cache
def load_uses() -> dict[str, str]:
    """A verb phrase (`to sit on`) by kind of thing."""
    return tomllib.loads(files("instructions.regions").joinpath("uses.toml").read_text(encoding="utf-8"))


def find_use(kind: str) -> str | None:
    """What a kind of thing is for, also by another word for it; None for kinds that nobody listed."""
    uses = load_uses()
    plain = " ".join(SYNONYMS.get(word, word) for word in kind.split())
    return uses.get(kind) or uses.get(plain)
