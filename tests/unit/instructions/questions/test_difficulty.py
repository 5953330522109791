"""Difficulty: rises towards the bar, lies in 0 to 1, and is not told where nothing says it."""

from __future__ import annotations

import pytest

from instructions.questions.core.records import Question
from instructions.questions.quality.explain import rate_difficulty
from recon.records import Scale
from tests.support.worlds.box_rooms import Block, ask_about, make_room


def ask(side_m: float, scale_sigma: float = 0.0) -> tuple[Question, ...]:
    blocks = (
        Block("chair", (4.0, side_m / 2, 0.45), (0.3, 0.3, 0.9)),
        Block("lamp", (5.0, -side_m / 2, 0.9), (0.3, 0.3, 1.8)),
    )
    kind = Scale("assumed" if scale_sigma else "metric", 1.0, scale_sigma, "made")
    return ask_about(make_room(blocks, kind=kind)).rows


def mean_of(rows: tuple[Question, ...], kind: str) -> float:
    rated = [rate_difficulty(row) for row in rows if row.type == kind]
    told = [one for one in rated if one is not None]
    assert told
    return sum(told) / len(told)


def test_the_further_apart_the_plainer():
    near, far = (mean_of(ask(side_m), "left_predicate") for side_m in (0.8, 2.4))
    assert 0 < far < near <= 1
    assert near == pytest.approx(3 * far, rel=0.35)  # the bar is 3 cm, or a share of the distance of the two


def test_the_surer_a_number_the_plainer():
    assert mean_of(ask(1.0, 0.15), "distance") == pytest.approx(0.75, abs=0.05)
    assert mean_of(ask(1.0, 0.05), "distance") == pytest.approx(0.25, abs=0.05)
    assert mean_of(ask(1.0), "distance") == 0.0


def test_all_lie_between_nothing_and_the_bar_and_what_is_too_close_to_call_has_none():
    rows = [row for side_m in (0.0, 0.8, 2.0) for row in ask(side_m)]
    assert {rate_difficulty(row) for row in rows if row.truth == "too close"} == {None}
    told = [one for one in map(rate_difficulty, rows) if one is not None]
    assert len(told) > 20
    assert all(0.0 <= one <= 1.0 for one in told)
