"""Which puzzles a view holds, each decided by its margin: what is not clear is not asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from math import hypot

from instructions.asking.draws import Draw
from instructions.asking.names import Naming, number_marks
from instructions.facts import sizes
from instructions.facts.verdict import SIGMAS, Measured, find_floor
from instructions.questions.core.asker import Asker
from instructions.questions.core.records import Puzzle
from instructions.questions.core.view_sets import Refused
from instructions.questions.things.lengths import hide_off_floor
from instructions.view import SeenThing

ROBOTS_M = (0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.2)
"""Widths of robots that are asked about."""
REACH_M = 1.2
"""How high a child reaches (SpatialVLM)."""
ALIKE_M = 0.10
"""Three distances this alike are those of a roughly even triangle (SpatialVLM: longest minus shortest)."""
_ALIKE_FLOOR_M = 0.02
"""Least distance of such a spread from what counts as alike: it has no sign, so two zones meet there."""
Ask = tuple[str, tuple[int, ...], tuple[float, ...]]
"""One measure: a type of question (or `sides`), the places of its things, and the values."""


@dataclass(frozen=True, eq=False)
class Solved:
    """A puzzle with its answer."""

    puzzle: Puzzle
    things: tuple[SeenThing, ...]
    spare: float
    """Room to spare: yes where there is some, no where it lacks, nothing in between."""
    sigma: float
    asks: tuple[Ask, ...]
    """Measures that it takes."""
    values: tuple[tuple[str, float], ...]
    """What decided, by name."""
    given_m: float | None = None
    """The width of the robot."""
    winner: int | None = None
    """Of `nearest`: place of the thing that is the answer, in place of yes or no."""
    names: tuple[Naming, ...] = ()
    """Of the things; none before anybody knows whether the puzzle may be asked."""

    @property
    def verdict(self) -> bool | int:
        """Yes or no; for `nearest` the place among the things."""
        return self.spare > 0 if self.winner is None else self.winner

    @property
    def margin(self) -> float:
        """Least room to spare, or to lack, that decides."""
        floor = _ALIKE_FLOOR_M if self.puzzle == "isosceles" else find_floor(self.sigma, 1.0)
        return max(SIGMAS * self.sigma, floor)

    @property
    def evidence(self) -> tuple[Measured, ...]:
        """What decided, and the margin of yes or no."""
        told = [Measured(name, value, "m", self.sigma) for name, value in self.values]
        return (*told, *([Measured("margin", self.margin, "m", 0.0)] if self.winner is None else []))

    @property
    def choices(self) -> tuple[str, ...]:
        """What may be answered."""
        return ("yes", "no") if self.winner is None else tuple(name.text for name in self.names)

    @property
    def truth(self) -> str:
        """`yes`, `no`, or the id of a thing."""
        return ("yes" if self.verdict else "no") if self.winner is None else self.things[self.winner].id


def find_puzzles(asker: Asker, things: Sequence[SeenThing], draw: Draw) -> Iterator[Solved]:
    """All puzzles about nameable, visible things of a view that its measures decide; none without metres."""
    bars, is_rough = asker.bars, asker.view.model.scale.sigma > asker.bars.relative_sigma_bar
    for case in _list_cases(asker, things, draw) if asker.has_scale and not is_rough else ():
        is_far = any(value > bars.most_m for _, _, values in case.asks for value in values)
        if abs(case.spare) < case.margin or is_far:
            continue
        try:
            named = asker.refer_all([one.id for one in case.things], "none" if case.winner is None else "ahead")
        except Refused:
            continue
        yield replace(case, names=number_marks([wordings[0] for wordings in named]))


def _list_cases(asker: Asker, things: Sequence[SeenThing], draw: Draw) -> Iterator[Solved]:
    floor_z, viewer = asker.view.model.floor_z, asker.view.viewer

    def apart(one: SeenThing, other: SeenThing) -> float:
        return asker.pairs.of(one, other).distance

    sized = [thing for thing in things if asker.hide_sizes(thing.id) is None]
    for a in things:
        if floor_z is not None and asker.is_upright and (up := sizes.elevation(a.body, floor_z)) > 0:
            asks, values = (("elevation", (0,), (up,)),), (("bottom above the floor", up),)
            yield Solved("child_reach", (a,), REACH_M - up, a.sigma, asks, values)
    for a, b in combinations(sized, 2):
        if asker.is_upright and hide_off_floor(asker, (a.id, b.id)) is None:
            free, robot = asker.pairs.of(a, b).passage, draw.pick(ROBOTS_M)
            asks, values = (("passage", (0, 1), (free,)),), (("free width", free), ("robot", robot))
            yield Solved("wide_enough", (a, b), free - robot, hypot(a.sigma, b.sigma), asks, values, robot)
    for a, b in permutations(sized, 2):
        mine, its = (tuple(sorted((2 * one.body.half).tolist())) for one in (a, b))
        spare = min(other - own for own, other in zip(mine, its, strict=True))
        asks = (("sides", (0,), mine), ("sides", (1,), its))
        yield Solved("fits_into", (a, b), spare, 2 * hypot(a.sigma, b.sigma), asks, (("least spare side", spare),))
    for trio in combinations(things, 3):
        pairs = ((0, 1), (1, 2), (0, 2))
        lines = [apart(trio[i], trio[j]) for i, j in pairs]
        spread = max(lines) - min(lines)
        asks = tuple(("distance", pair, (line,)) for pair, line in zip(pairs, lines, strict=True))
        sigma = 2 * max(one.sigma for one in trio)
        yield Solved("isosceles", trio, ALIKE_M - spread, sigma, asks, (("longest minus shortest", spread),))
        turn = int(draw.uniform() * 3)
        order = (*trio[turn:], *trio[:turn])
        if all(asker.hide_sizes(one.id) is None for one in order):
            away = [sizes.camera_distance(one.body, viewer) for one in order]
            first, second, _ = sorted(range(3), key=away.__getitem__)
            lead, sigma = away[second] - away[first], hypot(order[first].sigma, order[second].sigma)
            asks = tuple(("camera_distance", (place,), (length,)) for place, length in enumerate(away))
            yield Solved("nearest", order, lead, sigma, asks, (("lead of the nearest", lead),), winner=first)
        for a, b, c in (trio, (trio[1], trio[0], trio[2]), (trio[2], trio[0], trio[1])):
            one, other = apart(a, b), apart(a, c)
            asks, values = (
                (("distance", (0, 1), (one,)), ("distance", (0, 2), (other,))),
                (("first", one), ("second", other)),
            )
            yield Solved("longer", (a, b, c), one - other, hypot(2 * a.sigma, b.sigma, c.sigma), asks, values)
