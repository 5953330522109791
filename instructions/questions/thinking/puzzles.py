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


@dataclass(frozen=True)
class Solved:
    """A puzzle with its answer."""

    puzzle: Puzzle
    things: tuple[SeenThing, ...]
    names: tuple[Naming, ...]
    verdict: bool | int
    """Yes or no; for `nearest` the place among the things."""
    asks: tuple[Ask, ...]
    """Measures that it takes."""
    evidence: tuple[Measured, ...]
    given_m: float | None = None
    """The width of the robot."""


@dataclass(frozen=True, eq=False)
class _Case:
    """A puzzle before anybody knows whether it may be asked."""

    puzzle: Puzzle
    things: tuple[SeenThing, ...]
    spare: float
    """Room to spare: yes where there is some, no where it lacks, nothing in between."""
    sigma: float
    asks: tuple[Ask, ...]
    values: tuple[tuple[str, float], ...]
    """What decided, by name."""
    given_m: float | None = None
    winner: int | None = None
    """Place of the thing that is the answer, in place of yes or no."""


def find_puzzles(asker: Asker, things: Sequence[SeenThing], draw: Draw) -> Iterator[Solved]:
    """All puzzles about nameable, visible things of a view that its measures decide; none without metres."""
    bars, is_rough = asker.bars, asker.view.model.scale.sigma > asker.bars.relative_sigma_bar
    for case in _list_cases(asker, things, draw) if asker.has_scale and not is_rough else ():
        floor = _ALIKE_FLOOR_M if case.puzzle == "isosceles" else find_floor(case.sigma, 1.0)
        margin = max(SIGMAS * case.sigma, floor)
        if abs(case.spare) < margin or any(value > bars.most_m for _, _, values in case.asks for value in values):
            continue
        is_nearest = case.winner is not None
        try:
            named = asker.refer_all([thing.id for thing in case.things], "ahead" if is_nearest else "none")
        except Refused:
            continue
        names = number_marks([wordings[0] for wordings in named])
        evidence = [Measured(name, value, "m", case.sigma) for name, value in case.values]
        evidence += [] if is_nearest else [Measured("margin", margin, "m", 0.0)]
        verdict = case.spare > 0 if case.winner is None else case.winner
        yield Solved(case.puzzle, case.things, names, verdict, case.asks, tuple(evidence), case.given_m)


def _list_cases(asker: Asker, things: Sequence[SeenThing], draw: Draw) -> Iterator[_Case]:
    floor_z, viewer = asker.view.model.floor_z, asker.view.viewer

    def apart(one: SeenThing, other: SeenThing) -> float:
        return asker.pairs.of(one, other).distance

    sized = [thing for thing in things if asker.hide_sizes(thing.id) is None]
    for a in things:
        if floor_z is not None and asker.is_upright and (up := sizes.elevation(a.body, floor_z)) > 0:
            asks, values = (("elevation", (0,), (up,)),), (("bottom above the floor", up),)
            yield _Case("child_reach", (a,), REACH_M - up, a.sigma, asks, values)
    for a, b in combinations(sized, 2):
        if asker.is_upright and hide_off_floor(asker, (a.id, b.id)) is None:
            free, robot = asker.pairs.of(a, b).passage, draw.pick(ROBOTS_M)
            asks, values = (("passage", (0, 1), (free,)),), (("free width", free), ("robot", robot))
            yield _Case("wide_enough", (a, b), free - robot, hypot(a.sigma, b.sigma), asks, values, robot)
    for a, b in permutations(sized, 2):
        mine, its = (tuple(sorted((2 * one.body.half).tolist())) for one in (a, b))
        spare = min(other - own for own, other in zip(mine, its, strict=True))
        asks = (("sides", (0,), mine), ("sides", (1,), its))
        yield _Case("fits_into", (a, b), spare, 2 * hypot(a.sigma, b.sigma), asks, (("least spare side", spare),))
    for trio in combinations(things, 3):
        pairs = ((0, 1), (1, 2), (0, 2))
        lines = [apart(trio[i], trio[j]) for i, j in pairs]
        spread = max(lines) - min(lines)
        asks = tuple(("distance", pair, (line,)) for pair, line in zip(pairs, lines, strict=True))
        sigma = 2 * max(one.sigma for one in trio)
        yield _Case("isosceles", trio, ALIKE_M - spread, sigma, asks, (("longest minus shortest", spread),))
        turn = int(draw.uniform() * 3)
        order = (*trio[turn:], *trio[:turn])
        if all(asker.hide_sizes(one.id) is None for one in order):
            away = [sizes.camera_distance(one.body, viewer) for one in order]
            first, second, _ = sorted(range(3), key=away.__getitem__)
            lead, sigma = away[second] - away[first], hypot(order[first].sigma, order[second].sigma)
            asks = tuple(("camera_distance", (place,), (length,)) for place, length in enumerate(away))
            yield _Case("nearest", order, lead, sigma, asks, (("lead of the nearest", lead),), winner=first)
        for a, b, c in (trio, (trio[1], trio[0], trio[2]), (trio[2], trio[0], trio[1])):
            one, other = apart(a, b), apart(a, c)
            asks, values = (
                (("distance", (0, 1), (one,)), ("distance", (0, 2), (other,))),
                (("first", one), ("second", other)),
            )
            yield _Case("longer", (a, b, c), one - other, hypot(2 * a.sigma, b.sigma, c.sigma), asks, values)
