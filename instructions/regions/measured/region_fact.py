"""A measured fact of a view that may be asked, and how hard a question about it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from instructions.claims.stated import StatedClaim
from instructions.view import SeenThing, View


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
