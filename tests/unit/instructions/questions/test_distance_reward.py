"""The reward of a walk rises exactly where the distance falls."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instructions.facts.things import know_things
from instructions.questions.reward import distance_reward, reward_walk
from recon.records import Scale
from tests.support.worlds.box_rooms import Block, make_room


def walk(eyes: list[tuple[float, float, float]]):
    room = make_room([Block("sofa", (4.0, 0.0, 0.5), (1.0, 2.0, 1.0))], eyes=eyes)
    known, _ = know_things(room.model, room.objects, room.observations, exact=True)
    return room.model, known["0_0"].body


@given(st.floats(0, 50), st.floats(0, 50))
def test_nearer_is_more(one: float, other: float) -> None:
    assert 0 < distance_reward(max(one, other)) <= distance_reward(min(one, other)) <= 1
    assert (distance_reward(0), distance_reward(1)) == (1, pytest.approx(0.36788, abs=1e-5))
    for none in (-0.1, nan, -inf):
        with pytest.raises(ValueError, match="need at least 0"):
            distance_reward(none)


def test_a_walk_towards_the_thing_earns_more_each_frame_and_away_less() -> None:
    model, sofa = walk([(float(x), 0.0, 1.0) for x in (0, 1, 2, 3, 2, 1)])
    earned = reward_walk(model, sofa, model.frames)
    assert earned == pytest.approx(np.exp([-3.5, -2.5, -1.5, -0.5, -1.5, -2.5]))


def test_no_metres_no_reward_and_frames_without_a_pose_are_left_out() -> None:
    model, sofa = walk([(0.0, 0.0, 1.0), (1.0, 0.0, 1.0)])
    assert reward_walk(model, sofa, (1, 7, 2)) == reward_walk(model, sofa, (1, 2))
    assert reward_walk(replace(model, scale=Scale("relative", 1.0, 0.0, "none")), sofa, (1, 2)) == []
