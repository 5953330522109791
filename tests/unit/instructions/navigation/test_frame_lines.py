"""The paper's rules, worked by hand, borders included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instructions.facts.placing import range_limits, ranges_of
from instructions.navigation.way.frame_lines import describe_frame
from instructions.records import Obb, Observation, Range, SceneObject, Side

IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def thing(name: str, alias: str) -> SceneObject:
    obb = Obb((0.0, 0.0, 0.0), (1.0, 1.0, 1.0), IDENTITY)
    return SceneObject(name, "0", None, alias, None, None, obb, (), (1,), False, "test")


def seen(name: str, side: Side, depth: float, *ranges: Range, frame: int = 1) -> Observation:
    return Observation(frame, name, (0.0, 0.0, 1.0, 1.0), 1.0, 1.0, depth, (side,), ranges)


def test_limits_cut_depths_at_30_and_70_percent():
    assert range_limits(np.arange(0.0, 101.0)) == pytest.approx((30.0, 70.0))
    assert range_limits([np.nan, 1.0, np.nan]) == pytest.approx((1.0, 1.0))
    assert range_limits([np.nan]) is None
    assert range_limits([]) is None
    assert ranges_of([1.0], None) == ()


@given(st.lists(st.floats(0.1, 50.0), min_size=1, max_size=60), st.lists(st.floats(0.1, 50.0), min_size=1, max_size=60))
def test_every_object_is_in_at_least_one_range_and_nothing_that_comes_closer_goes_further(frame_depths, object_depths):
    limits = range_limits(frame_depths)
    ranges = ranges_of(object_depths, limits)
    assert ranges
    nearer = ranges_of(np.array(object_depths) * 0.5, limits)
    assert "near" not in ranges or "near" in nearer
    assert "further" not in nearer or "further" in ranges


def test_line_leaves_the_range_out_where_no_depth_is_known_and_says_when_nothing_stands_out():
    objects = {"a": thing("a", "red object")}
    assert describe_frame(1, [seen("a", "middle", 1.0)], objects).text == "In the middle: a red object."
    assert describe_frame(1, [], {}).text == "No object stands out."
