"""The way of the camera as steps: nothing is dropped, whatever the walk."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from instructions.questions.sets.families.steps import (
    STANDING_M,
    SWAY_DEG,
    TOLD_DEG,
    TOLD_M,
    Step,
    find_steps,
    measure_miss,
    round_steps,
    say_step,
)

WALKS = st.lists(st.tuples(st.floats(-170, 170), st.floats(0, 2.0)), min_size=1, max_size=40)


def walk_of(moves: Sequence[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    """Positions and headings of a walker who turns, then goes ahead."""
    heading = np.cumsum([0.0, *(turn for turn, _ in moves)])
    ahead = np.column_stack([np.cos(np.radians(heading)), np.sin(np.radians(heading))])
    xy = np.vstack([np.zeros(2), np.cumsum(ahead[1:] * np.array([away for _, away in moves])[:, None], axis=0)])
    return xy, (heading + 180) % 360 - 180


@given(WALKS, st.integers(1, 6))
@settings(max_examples=60)
def test_sums_equal_the_walk(moves, every):
    xy, heading = walk_of(moves)
    stops = sorted({*range(0, len(xy), every), len(xy) - 1})
    steps = find_steps(xy, heading, stops)
    assert sum(step.turn_deg for step in steps) == pytest.approx(sum(turn for turn, _ in moves), abs=1e-6)
    assert sum(step.distance for step in steps) == pytest.approx(sum(away for _, away in moves), abs=1e-6)
    told = round_steps(steps)
    assert sum(turn for turn, _ in told) == pytest.approx(sum(turn for turn, _ in moves), abs=TOLD_DEG / 2 + 0.01)
    assert sum(away for _, away in told) == pytest.approx(sum(away for _, away in moves), abs=TOLD_M / 2 + 0.001)
    assert all(abs(turn) >= SWAY_DEG - TOLD_DEG or away >= STANDING_M - TOLD_M for turn, away in told[:-1])
    assert all(abs(step.turn_deg) <= 180 for step in find_steps(xy, heading, list(range(len(xy)))) if len(moves) == 1)


def test_who_takes_the_steps_ends_where_a_walker_who_looks_ahead_does_and_not_where_one_who_backs_off_does():
    xy, heading = walk_of([(30, 1.0), (-60, 2.0), (15, 1.5)])
    steps = round_steps(find_steps(xy, heading, range(4)))
    assert measure_miss(steps, heading[0], xy[-1] - xy[0]) < 0.05
    there = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    back = np.array([[1.0, 0.0], [0.0, 0.0]])
    xy, heading = np.vstack([there, back]), np.zeros(5)
    steps = round_steps(find_steps(xy, heading, range(5)))
    assert measure_miss(steps, 0.0, xy[-1] - xy[0]) == pytest.approx(1.0)


def test_small_steps_are_added_to_the_next_one_and_the_rest_closes_the_list():
    xy, heading = walk_of([(10, 0.05), (30, 1.0), (0, 1.5), (2, 0.6), (5, 0.02)])
    assert [(round(step.turn_deg), round(step.distance, 2)) for step in find_steps(xy, heading, range(6))] == [
        (40, 1.05),
        (2, 2.1),
        (5, 0.02),
    ]


def test_a_pan_in_small_shuffles_is_one_turn():
    xy, heading = walk_of([(20, 0.05)] * 4 + [(20, 1.0)])
    assert [(round(step.turn_deg), round(step.distance, 2)) for step in find_steps(xy, heading, range(6))] == [
        (100, 1.2)
    ]


def test_both_axes_and_the_path_count_not_the_chord():
    xy, heading = walk_of([(0, 3.0), (90, 4.0), (90, 3.0)])
    assert sum(step.distance for step in find_steps(xy, heading, [0, 3])) == pytest.approx(10.0)


def test_a_wide_turn_between_two_stops_is_split():
    xy, heading = walk_of([(60, 0.5)] * 5)
    steps = find_steps(xy, heading, [0, 5])
    assert len(steps) == 2
    assert sum(step.turn_deg for step in steps) == pytest.approx(300)
    assert max(abs(step.turn_deg) for step in steps) <= 180


def test_no_walk_no_steps():
    assert find_steps(np.zeros((1, 2)), np.zeros(1), [0]) == []
    assert round_steps([]) == []


def test_steps_are_told_with_left_positive():
    assert say_step(35, 1.2) == "turn left by 35 degrees and walk 1.2 meters"
    assert [say_step(-90, 0.0), say_step(0, 2.0), say_step(0, 0.0)] == [
        "turn right by 90 degrees",
        "walk 2.0 meters",
        "stay",
    ]
    assert round_steps([Step(89.7, 1.004), Step(-20.4, 0.5)]) == [(90, 1.0), (-20, 0.5)]
