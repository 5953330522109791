"""Measures of pairs of things that no view changes, computed once per pair of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from instructions.facts import between, sizes
from instructions.facts.gap import gap
from instructions.facts.views import Known


@dataclass(frozen=True, eq=False)
class PairMeasures:
    """Two things, A and B, in the model's unit."""

    a: Known
    b: Known

    @cached_property
    def distance(self) -> float:
        """Of the centres."""
        return between.distance(self.a.body, self.b.body)

    @cached_property
    def horizontal(self) -> float:
        """Of the centres on the floor plan."""
        return between.horizontal_distance(self.a.body, self.b.body)

    @cached_property
    def gap(self) -> float:
        """Of the surfaces."""
        return gap(self.a.body, self.b.body)

    @cached_property
    def passage(self) -> float:
        """Of the plans."""
        return between.passage(self.a.body, self.b.body)

    @cached_property
    def vertical(self) -> float:
        """Centre of A above that of B."""
        return between.vertical_difference(self.a.body, self.b.body)

    @cached_property
    def bottoms(self) -> float:
        """Bottom of A above that of B."""
        return between.bottom_difference(self.a.body, self.b.body)

    @cached_property
    def beside(self) -> float:
        """Share of the lower one's height beside the other."""
        return between.vertical_overlap(self.a.body, self.b.body)

    @cached_property
    def heights(self) -> tuple[float, float]:
        """Of A and of B."""
        return sizes.height(self.a.body), sizes.height(self.b.body)

    @cached_property
    def volumes(self) -> tuple[float, float]:
        """Of A and of B."""
        return sizes.volume(self.a.body), sizes.volume(self.b.body)

    @cached_property
    def inside(self) -> tuple[float, float]:
        """Share of A in B, and of B in A; 0 where the two are further apart than their sizes."""
        reach = float(((self.a.body.half**2).sum()) ** 0.5 + ((self.b.body.half**2).sum()) ** 0.5)
        if self.distance >= reach:
            return 0.0, 0.0
        return between.inside_share(self.a.body, self.b.body), between.inside_share(self.b.body, self.a.body)

    @cached_property
    def smaller_side(self) -> float:
        """Mean side of the smaller body."""
        return min(self.a.body.mean_side, self.b.body.mean_side)


class PairTable:
    """The pairs of a model, each way round, measured when first asked for."""

    def __init__(self, things: Sequence[Known] = ()) -> None:
        """`things` are all of the model, for `disputed`."""
        self._pairs: dict[tuple[str, str], PairMeasures] = {}
        self._things = things

    @cached_property
    def disputed(self) -> frozenset[str]:
        """Things of the model that share their place with one of another noun, in whichever frames those were seen.

        A detector calls one thing a bed here and a sofa there.
        """
        return self.share_place(self._things)

    def of(self, a: Known, b: Known) -> PairMeasures:
        """Measures of A and B in this order."""
        key = (a.thing.id, b.thing.id)
        if key not in self._pairs:
            self._pairs[key] = PairMeasures(a, b)
        return self._pairs[key]

    def share_place(self, things: Sequence[Known]) -> frozenset[str]:
        """Things that fill mostly the same space as one of another noun: nobody knows which name is right."""
        out: set[str] = set()
        for index, a in enumerate(things):
            for b in things[index + 1 :]:
                if a.head != b.head and min(self.of(a, b).inside) >= _SAME_PLACE:
                    out |= {a.thing.id, b.thing.id}
        return frozenset(out)


_SAME_PLACE = 0.30
"""Each in the other by so much: no two solid things are, and a thing in a cupboard does not fill it."""
