"""Of two things: how they would lie if the viewer had turned a quarter on the spot, or stepped aside by a metre.

After a turn, what is ahead lies at the side. After a step, near things move more in the picture than far ones, so two
things may change places in it.
"""

from __future__ import annotations

from math import hypot
from typing import Literal

from instructions.facts.gap import point_distances
from instructions.facts.measured import Measured
from instructions.facts.pairs import MOST_INSIDE, Pair
from instructions.facts.verdict import SIGMAS, Verdict
from instructions.questions.core.types import TYPES, QuestionType
from instructions.questions.things.asker import ViewAsker
from instructions.view import SeenThing

STEP_M = 1.0
"""Of a step aside: about one long step of a person."""
LEAST_COLUMN = 0.10
"""Tangent of a bearing (6 degrees) by which two things must be apart after the step."""
CLOSE_COLUMN = 0.02
"""Under this they are in line (1 degree)."""
FREE_M = 0.3
"""Between the eye after a step and any thing of the view: nobody steps into a cupboard."""
BEFORE_STEP = "column before the step"
"""Name of the evidence that tells whether the step changes the order."""
_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


def ask_supposed(asker: ViewAsker, a: SeenThing, b: SeenThing, pair: Pair) -> None:
    """Which would be further to the left, or to the right, from another place or with another heading."""
    for side in _SIDES:
        turn, step = TYPES[f"turn_{side}_choice"], TYPES[f"step_{side}_choice"]
        reason = asker.find_lack(turn, sides=True) or ("inside_other" if max(pair.inside) >= MOST_INSIDE else None)
        if reason is None and any(_needs_clause(asker, one, turn) for one in (a, b)):
            reason = "clause_tells"  # further left is meant from here, not from where one would stand
        if reason is not None:
            asker.refuse(reason, turn, step)
            continue
        _ask_turn(asker, turn, side, a, b, pair)
        if asker.has_scale:
            _ask_step(asker, step, side, a, b)
        else:
            asker.refuse("no_scale", step)


def _needs_clause(asker: ViewAsker, one: SeenThing, kind: QuestionType) -> bool:
    names = asker.find_names(one, kind.dimension)
    return not isinstance(names, str) and any(naming.clause is not None for naming in names)


def _ask_turn(
    asker: ViewAsker,
    kind: QuestionType,
    side: Literal["left", "right"],
    a: SeenThing,
    b: SeenThing,
    pair: Pair,
) -> None:
    found = pair.lies_right(asker.view.viewer.turn_quarter(side), asker.turn_sigma)
    _ask_decided(asker, kind, a, b, found, (Measured("difference", found.value, asker.unit, found.sigma),))


def _ask_step(asker: ViewAsker, kind: QuestionType, side: Literal["left", "right"], a: SeenThing, b: SeenThing) -> None:
    here, step = asker.view.viewer, STEP_M * asker.metre
    there = here.step_aside(side, step)
    ends = [one.body.center for one in (a, b)]
    away = [here.distance_ahead(end) for end in ends]
    if min(away) < asker.bars.min_depth * asker.metre:
        asker.refuse("near_camera", kind)
        return
    if any(point_distances(one.body, there.eye)[0] < FREE_M * asker.metre for one in asker.view.things):
        asker.refuse("no_step", kind)
        return
    columns = [there.measure_column(end) for end in ends]
    if max(map(abs, columns)) > asker.widest_column:
        asker.refuse("out_of_view", kind)
        return
    difference, before = columns[0] - columns[1], here.measure_column(ends[0]) - here.measure_column(ends[1])
    sigma = hypot(
        *(one.sigma * hypot(1.0, column) / far for one, column, far in zip((a, b), columns, away, strict=True)),
        asker.view.model.scale.sigma * step * (1.0 / away[0] - 1.0 / away[1]),
    )
    margin = max(SIGMAS * sigma, LEAST_COLUMN)
    found = Verdict(difference > 0 if abs(difference) >= margin else None, difference, margin, sigma, "ratio")
    if found.state is None and abs(difference) + SIGMAS * sigma <= CLOSE_COLUMN:
        found = Verdict(None, difference, CLOSE_COLUMN, sigma, "ratio", is_close=True)
    told = (Measured(BEFORE_STEP, before, "ratio", 0.0), Measured("difference", difference, "ratio", sigma))
    _ask_decided(asker, kind, a, b, found, told)


def _ask_decided(
    asker: ViewAsker,
    kind: QuestionType,
    a: SeenThing,
    b: SeenThing,
    found: Verdict,
    told: tuple[Measured, ...],
) -> None:
    if found.sign is None:
        asker.refuse("undecided", kind)
        return
    margin = Measured("margin", found.margin, told[-1].unit, 0.0)
    asker.ask_sign(kind, (a, b), found.sign, (*told, margin))
