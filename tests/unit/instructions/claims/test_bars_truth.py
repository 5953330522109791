"""Sides, ranges and rooms: one case on each side of each bar of their judges."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from instructions.claims.walk_bars import ClaimBars
from instructions.claims.walk_places import judge_range, judge_room, judge_shown_side, judge_side, project_box
from instructions.facts.walk import ThingAlongWalk, Walk
from instructions.records import Claim, Obb, RoomSpan, SceneObject
from recon.geometry import Camera, Pose
from tests.support.cases import each_case

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
LEVEL = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])  # looks along +x, z up
BARS = ClaimBars()


def thing(x=0.0, y=0.0, z=0.0, size=(0.4, 0.4, 1.0), frames=(1, 2, 3, 4, 5), **more) -> SceneObject:
    box = Obb((x, y, z), (size[0] / 2, size[1] / 2, size[2] / 2), AXES)
    made = SceneObject("0_0", "0", "chair", "chair", None, None, box, (), tuple(frames), False, "made")
    return replace(made, **more)


def walk(xs, *, ys=None, headings=None, times=None) -> Walk:
    count = len(xs)
    xy = np.column_stack([xs, np.zeros(count) if ys is None else ys]).astype(float)
    heading = np.zeros(count) if headings is None else np.array(headings, float)
    time_s = np.array([0.5 * place for place in range(count)] if times is None else times, float)
    return Walk(tuple(range(1, count + 1)), time_s, xy, heading)


def judge_aside(x, y, *, side, seen=True, shown=None):
    along = ThingAlongWalk(walk([0.0, 0.0]), thing(x, y, size=(0.0, 0.0, 0.0)), 1.0)
    return judge_side(Claim("see", "words", side=side), along, 0, shown, BARS, is_in_view=seen)[0]


def test_a_side_is_off_the_middle_and_not_behind():
    for bearing_deg, true in ((2.9, False), (3.1, True), (99.0, True), (101.0, False)):
        x, y = 3 * np.cos(np.radians(bearing_deg)), 3 * np.sin(np.radians(bearing_deg))
        assert judge_aside(x, y, side="left") is judge_aside(x, -y, side="right") is true
        assert not judge_aside(x, y, side="left", seen=False)
        for sign, side in ((1, "right"), (1, "middle"), (-1, "middle"), (-1, None)):
            assert not judge_aside(x, sign * y, side=side)


def test_a_side_is_told_of_what_is_at_hand_and_does_not_reach_across_the_middle():
    assert [judge_aside(0.0, away, side="left") for away in (4.9, 5.1)] == [True, False]
    across = [judge_aside(2.0, 2.0, side="left", shown=(0.2, 0.0, 0.5 + beyond, 1.0)) for beyond in (0.11, 0.13)]
    assert across == [True, False]
    along = ThingAlongWalk(walk([0.0]), thing(0.0, 2.0, size=(0.0, 0.0, 0.0)), 1.0)
    claim = Claim("see", "words", side="left")
    told = [judge_side(claim, along, 0, None, BARS, is_in_view=seen)[1] for seen in (True, False)]
    assert told == ["+90 deg off the view at 2.0", "+90 deg off the view at 2.0, not in view"]


@each_case(("frame", "middle", "true"), [(3, 0.49, True), (3, 0.51, False), (5, 0.51, False), (6, 0.51, True)])
def test_a_picture_of_that_moment_shows_the_side(frame, middle, true):
    """Frames are half a second apart, and a moment is a second to either side."""
    model: Any = SimpleNamespace(camera=SimpleNamespace(width=200))
    box = (200 * middle - 20, 0.0, 200 * middle + 20, 10.0)
    claim = Claim("see", "words", side="left", last_frame=3)
    assert judge_shown_side(claim, walk([0.0] * 7), {frame: box, 99: box}, model, BARS, "why")[0] is true
    other = replace(claim, side="right")
    mirrored = {frame: (200 - box[2], 0.0, 200 - box[0], 10.0)}
    assert judge_shown_side(other, walk([0.0] * 7), mirrored, model, BARS, "why")[0] is true
    assert judge_shown_side(other, walk([0.0] * 7), {3: (0.0, 0.0, 99.0, 9.0)}, model, BARS, "why")[0] is False


@each_case(("age_s", "true"), [(0.9, True), (1.1, False)])
def test_a_range_was_measured_near_that_moment(age_s, true):
    ranges = {"0_0": {1: ("near", "closer"), 3: ("further",), 99: ("near",)}}
    at = walk([0.0, 0.0, 0.0], times=[0.0, age_s, age_s + 9.0])
    claim = Claim("see", "words", object="0_0", range="near")
    assert judge_range(claim, at, 1, ranges, BARS)[0] is true
    assert judge_range(replace(claim, range="further"), at, 2, ranges, BARS)[0]
    assert not judge_range(replace(claim, range="further"), at, 0, ranges, BARS)[0]
    assert judge_range(claim, at, 0, {}, BARS) == (False, "how far it is there is not known")


ROOMS = (RoomSpan("s0", "hall", 1, 4, 1.0, None), RoomSpan("s1", "kitchen", 5, 9, 1.0, "hall"))


@each_case(("index", "entered"), [(1, False), (2, True), (4, True), (6, True), (7, False)])
def test_a_room_is_entered_near_the_change(index, entered):
    """The change lies between positions 3 and 4, and a second is two positions."""
    at = walk([0.0] * 9)
    assert judge_room(Claim("enter", "words", room="kitchen"), at, index, ROOMS, BARS)[0] is entered
    assert not judge_room(Claim("enter", "words", room="hall"), at, index, ROOMS, BARS)[0]
    assert judge_room(Claim("room", "words", room="hall"), at, index, ROOMS, BARS)[0] is (index <= 3)


def look_at(x, y, z, size) -> tuple | None:
    camera = Camera("SIMPLE_RADIAL", 200, 100, (100.0, 100.0, 50.0, 0.0))
    model: Any = SimpleNamespace(camera=camera, world_from_cam={1: Pose(LEVEL, np.zeros(3))}, nominal_metre=1.0)
    assert project_box(thing(), model, 2) is None
    return project_box(thing(x, y, z, size), model, 1)


def test_a_box_fills_the_part_of_a_picture_that_it_projects_to():
    assert look_at(2.5, 0.0, 0.0, (1.0, 1.0, 0.5)) == pytest.approx((0.375, 0.375, 0.625, 0.625))
    assert look_at(2.5, 1.0, 0.25, (1.0, 1.0, 0.5)) == pytest.approx((0.125, 0.25, 1.25 / 3, 0.5))
