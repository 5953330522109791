"""Which puzzles a view holds, each decided by its margin: what is not clear is not asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from math import hypot

from instructions.asking.draws import Draw
from instructions.asking.names import Naming, number_marks
from instructions.facts import sizes
from instructions.facts.verdict import SIGMAS, Measured, find_floor
from instructions.questions.core.asker import Asker
from instructions.questions.things.lengths import hide_off_floor
from instructions.questions.thinking.records import Puzzle
from instructions.view import SeenThing

ROBOTS_M = (0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.2)
"""Widths of robots that are asked about."""
REACH_M = 1.2
"""How high a child reaches (SpatialVLM)."""
ALIKE_M = 0.10
"""Three distances this alike are those of a roughly even triangle (SpatialVLM: longest minus shortest)."""


@dataclass(frozen=True)
class Solved:
    """A puzzle with its answer."""

    puzzle: Puzzle
    things: tuple[SeenThing, ...]
    names: tuple[Naming, ...]
    verdict: bool | int
    """Yes or no; for `nearest` the place among the things."""
    asks: tuple[tuple[str, tuple[int, ...], tuple[float, ...]], ...]
    """Measures that it takes: a type of question (or `sides`), the places of its things, and the values."""
    evidence: tuple[Measured, ...]
    given_m: float | None = None
    """The width of the robot."""


def find_puzzles(asker: Asker, things: Sequence[SeenThing], draw: Draw) -> Iterator[Solved]:
    """All puzzles of a view that its measures decide.

    Args:
        asker: Of the view; its scale has metres.
        things: That can be named and seen.
        draw: For the robot's width.
    """
    if not asker.has_scale:
        return
    maker = _Maker(asker, draw)
    sized = [one for one in things if asker.hide_sizes(one.id) is None]
    for a in things:
        yield from maker.child_reach(a)
    for a, b in combinations(sized, 2):
        yield from maker.wide_enough(a, b)
    for a, b in permutations(sized, 2):
        yield from maker.fits_into(a, b)
    for trio in combinations(things, 3):
        yield from maker.isosceles(trio)
        turn = int(draw.uniform() * 3)
        yield from maker.nearest((*trio[turn:], *trio[:turn]))
        for a, b, c in ((0, 1, 2), (1, 0, 2), (2, 0, 1)):
            yield from maker.longer((trio[a], trio[b], trio[c]))


@dataclass(frozen=True, eq=False)
class _Maker:
    asker: Asker
    draw: Draw

    def child_reach(self, a: SeenThing) -> Iterator[Solved]:
        floor_z = self.asker.view.model.floor_z
        if floor_z is None or not self.asker.is_upright:
            return
        up = sizes.elevation(a.body, floor_z)
        if up <= 0:
            return
        yield from self._decided(
            "child_reach", (a,), REACH_M - up, a.sigma, (("elevation", (0,), (up,)),), [("bottom above the floor", up)]
        )

    def wide_enough(self, a: SeenThing, b: SeenThing) -> Iterator[Solved]:
        if not self.asker.is_upright or hide_off_floor(self.asker, (a.id, b.id)) is not None:
            return
        free = self.asker.pairs.of(a, b).passage
        robot = self.draw.pick(ROBOTS_M)
        yield from self._decided(
            "wide_enough",
            (a, b),
            free - robot,
            hypot(a.sigma, b.sigma),
            (("passage", (0, 1), (free,)),),
            [("free width", free), ("robot", robot)],
            given_m=robot,
        )

    def fits_into(self, a: SeenThing, b: SeenThing) -> Iterator[Solved]:
        mine, its = (sorted((2 * one.body.half).tolist()) for one in (a, b))
        spare = min(other - own for own, other in zip(mine, its, strict=True))
        yield from self._decided(
            "fits_into",
            (a, b),
            spare,
            2 * hypot(a.sigma, b.sigma),
            (("sides", (0,), tuple(mine)), ("sides", (1,), tuple(its))),
            [("least spare side", spare)],
        )

    def isosceles(self, trio: Sequence[SeenThing]) -> Iterator[Solved]:
        pairs = ((0, 1), (1, 2), (0, 2))
        apart = [self.asker.pairs.of(trio[i], trio[j]).distance for i, j in pairs]
        sigma = 2 * max(one.sigma for one in trio)
        spread = max(apart) - min(apart)
        asks = tuple(("distance", pair, (value,)) for pair, value in zip(pairs, apart, strict=True))
        # A spread has no sign, so the bar is on its distance from what counts as alike.
        yield from self._decided(
            "isosceles", trio, ALIKE_M - spread, sigma, asks, [("longest minus shortest", spread)], floor_m=0.02
        )

    def nearest(self, trio: Sequence[SeenThing]) -> Iterator[Solved]:
        if any(self.asker.hide_sizes(one.id) is not None for one in trio):
            return
        away = [sizes.camera_distance(one.body, self.asker.view.viewer) for one in trio]
        order = sorted(range(3), key=lambda place: away[place])
        sigma = hypot(trio[order[0]].sigma, trio[order[1]].sigma)
        lead = away[order[1]] - away[order[0]]
        if lead < max(SIGMAS * sigma, find_floor(sigma, self.asker.metre)):
            return
        asks = tuple(("camera_distance", (place,), (away[place],)) for place in range(3))
        yield from self._named("nearest", trio, order[0], asks, [("lead of the nearest", lead)], sigma)

    def longer(self, trio: Sequence[SeenThing]) -> Iterator[Solved]:
        one, other = (self.asker.pairs.of(trio[0], trio[k]).distance for k in (1, 2))
        sigma = hypot(2 * trio[0].sigma, trio[1].sigma, trio[2].sigma)
        asks = (("distance", (0, 1), (one,)), ("distance", (0, 2), (other,)))
        yield from self._decided("longer", trio, one - other, sigma, asks, [("first", one), ("second", other)])

    def _decided(
        self,
        puzzle: Puzzle,
        things: Sequence[SeenThing],
        spare: float,
        sigma: float,
        asks: tuple[tuple[str, tuple[int, ...], tuple[float, ...]], ...],
        values: Sequence[tuple[str, float]],
        given_m: float | None = None,
        floor_m: float | None = None,
    ) -> Iterator[Solved]:
        """Yes where there is room to spare, no where it lacks, nothing in between."""
        margin = max(SIGMAS * sigma, find_floor(sigma, 1.0) if floor_m is None else floor_m)
        if abs(spare) >= margin:
            yield from self._named(puzzle, things, spare > 0, asks, [*values, ("margin", margin)], sigma, given_m)

    def _named(
        self,
        puzzle: Puzzle,
        things: Sequence[SeenThing],
        verdict: bool | int,
        asks: tuple[tuple[str, tuple[int, ...], tuple[float, ...]], ...],
        values: Sequence[tuple[str, float]],
        sigma: float,
        given_m: float | None = None,
    ) -> Iterator[Solved]:
        if any(not self._is_known_well(value) for _, _, all_values in asks for value in all_values):
            return
        found = self.asker.refer_all([one.id for one in things], "ahead" if puzzle == "nearest" else "none")
        if isinstance(found, str):
            return
        names = number_marks([ways[0] for ways in found])
        evidence = tuple(Measured(name, value, "m", 0.0 if name == "margin" else sigma) for name, value in values)
        yield Solved(puzzle, tuple(things), names, verdict, asks, evidence, given_m)

    def _is_known_well(self, value: float) -> bool:
        """Whether a number is one that a question would be answered with: its scale is known well enough."""
        bars = self.asker.bars
        return value <= bars.most_m and self.asker.view.model.scale.sigma <= bars.relative_sigma_bar
