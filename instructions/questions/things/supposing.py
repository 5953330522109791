"""Of two things: how they would lie if the viewer had turned a quarter on the spot, or stepped aside by a metre.

After a turn, what is ahead lies at the side. After a step, near things move more in the picture than far ones, so two
things may change places in it.
"""

from __future__ import annotations

from math import hypot
from typing import Literal

from instructions.facts.gap import point_distances
from instructions.facts.measured import Measured
from instructions.facts.verdict import SIGMAS, Verdict
from instructions.questions.core.asker import Asker
from instructions.questions.core.truths import Judged
from instructions.questions.core.types import QuestionType
from instructions.questions.core.world import Given, Ids
from instructions.questions.things.comparisons import judge_sign

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


def judge_supposed(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged | str:
    """Which would be further to the left, or to the right, from another place or with another heading."""
    pair = asker.pair(*things)
    if pair.is_nested:
        return "inside_other"
    move, _, rest = kind.name.partition("_")
    side: Literal["left", "right"] = "left" if rest.startswith("left") else "right"
    if move == "step":
        return _judge_step(asker, kind, things, side)
    found = pair.lies_right(asker.view.viewer.turn_quarter(side), asker.standpoint.turn_sigma)
    return _tell(kind, things, found, (Measured("difference", found.value, asker.unit, found.sigma),))


def _judge_step(asker: Asker, kind: QuestionType, things: Ids, side: Literal["left", "right"]) -> Judged | str:
    if not asker.has_scale:
        return "no_scale"
    here, step = asker.view.viewer, STEP_M * asker.metre
    there = here.step_aside(side, step)
    known = [asker.known(one) for one in things]
    ends = [one.body.center for one in known]
    away = [here.distance_ahead(end) for end in ends]
    if min(away) < asker.bars.min_depth * asker.metre:
        return "near_camera"
    if any(point_distances(one.body, there.eye)[0] < FREE_M * asker.metre for one in asker.view.things):
        return "no_step"
    columns = [there.measure_column(end) for end in ends]
    if max(map(abs, columns)) > asker.view.widest_column:
        return "out_of_view"
    difference, before = columns[0] - columns[1], here.measure_column(ends[0]) - here.measure_column(ends[1])
    sigma = hypot(
        *(one.sigma * hypot(1.0, column) / far for one, column, far in zip(known, columns, away, strict=True)),
        asker.view.model.scale.sigma * step * (1.0 / away[0] - 1.0 / away[1]),
    )
    margin = max(SIGMAS * sigma, LEAST_COLUMN)
    found = Verdict(difference > 0 if abs(difference) >= margin else None, difference, margin, sigma, "ratio")
    if found.state is None and abs(difference) + SIGMAS * sigma <= CLOSE_COLUMN:
        found = Verdict(None, difference, CLOSE_COLUMN, sigma, "ratio", is_close=True)
    told = (Measured(BEFORE_STEP, before, "ratio", 0.0), Measured("difference", difference, "ratio", sigma))
    return _tell(kind, things, found, told)


def _tell(kind: QuestionType, things: Ids, found: Verdict, told: tuple[Measured, ...]) -> Judged | str:
    margin = Measured("margin", found.margin, told[-1].unit, 0.0)
    return judge_sign(kind, things, found, (*told, margin)) if found.sign is not None else "undecided"
