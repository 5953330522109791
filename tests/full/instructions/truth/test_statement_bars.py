"""A stretch of a way on each side of every bar of statements of free texts, with one quantity changed at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import numpy as np
import pytest
from numpy.typing import ArrayLike

from instructions.facts.walk import Walk
from instructions.facts.way import WayGeometry
from instructions.records import Obb, RoomSpan, SceneObject
from instructions.truth.bars import StatementBars
from instructions.truth.evidence import find_spans
from instructions.truth.motion import WalkMotion
from instructions.truth.stretches import (
    find_approaches,
    find_between,
    find_departures,
    find_entries,
    find_facing,
    find_in_view,
    find_near,
    find_on_side,
    find_passes,
    find_stops,
    find_walked,
)
from instructions.truth.told import Told
from tests.support.cases import each_case

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ROOMS = (RoomSpan("s0", "hall", 1, 3, 1.0, None), RoomSpan("s1", "kitchen", 4, 9, 1.0, "hall"))


def way(xs, *, ys=None, headings: ArrayLike = 0.0, times=None, seen=None, rooms=(), **places) -> WayGeometry:
    """A walk, half a second from place to place, with things without size; frames count from 1, and all see them."""
    count = len(xs)
    xy = np.column_stack([xs, np.zeros(count) if ys is None else ys]).astype(float)
    time_s = np.array(0.5 * np.arange(count) if times is None else times, dtype=np.float64)
    frames = tuple(range(1, count + 1))
    walk = Walk(frames, time_s, xy, np.zeros(count) + np.array(headings, float))
    things = {
        name: SceneObject(
            name, "0", None, "thing", None, None, Obb((*at, 0.0), (0.0, 0.0, 0.0), AXES), (), seen or frames, False, "m"
        )
        for name, at in places.items()
    }
    return WayGeometry(walk, 0, count - 1, 1.0, things, rooms)


def turned(away, deg) -> tuple[float, float]:
    """A place so far from the origin, so far to the left of +x."""
    return float(away * np.cos(np.radians(deg))), float(away * np.sin(np.radians(deg)))


def passes(xs=(0.0, 1.0, 2.0, 2.95, 4.0, 5.0), thing=(3.0, 1.0), **more) -> bool:
    return bool(find_passes(way(xs, thing=thing, **more), "thing"))


def approaches(xs, thing=(5.0, 0.0), **more) -> bool:
    return bool(find_approaches(way(xs, thing=thing, **more), "thing"))


def leaves(end=2.0, **more) -> bool:
    return bool(find_departures(way([0.5, end], thing=(0.0, 0.0), **more), "thing"))


def is_left_behind(end) -> bool:
    """From half a metre beyond it on, `once it is behind you`."""
    at = way([0.5, end], thing=(0.0, 0.0))
    told = Told("leave", "is behind you", 0, things=("thing",))
    return bool(find_spans(told, at, WalkMotion(at.walk, 1.0))[0])


def stands(find, at, *, age=0.0) -> bool:
    """What `find` says of a thing that was seen so long before the end, from the origin, looking along +x."""
    standing = way([0.0, 0.0], times=[0.0, age], seen=(1,), thing=at)
    return any(span.last == 1 for span in find(standing, "thing"))


def lies_between(deg, away=1.0, age=0.0) -> bool:
    at = way([0.0, 0.0], times=[0.0, age], seen=(1,), one=turned(away, 0.0), other=turned(1.0, deg))
    return any(span.last == 1 for span in find_between(at, "one", "other"))


def is_on_side(side, deg, *, headings: ArrayLike = 0.0, times=None) -> bool:
    count = np.size(headings)
    at = way([0.0] * count, headings=headings, times=times, thing=turned(2.0, deg))
    return bool(find_on_side(at, "thing", side))


def goes(kind, off_deg, xs=(0.0, 1.0, 2.0), side=None) -> bool:
    """Whether a walk along +x, which looks so far to the right of where it goes, goes as told."""
    at = way(xs, headings=-off_deg)
    return bool(find_spans(Told(kind, "words", 0, side=side), at, WalkMotion(at.walk, 1.0))[0])


def walks(told_m, *, deg=0.0, sigma=0.0) -> bool:
    """Whether a walk of 4 m, or of 12 m with a turn in the middle, has a stretch as long as told."""
    course = np.repeat([0.0, deg], 60 if deg else 20)
    steps = 0.1 * np.column_stack([np.cos(np.radians(course)), np.sin(np.radians(course))])
    xy = np.vstack([np.zeros((1, 2)), steps.cumsum(axis=0)])
    at = way(xy[:, 0], ys=xy[:, 1], headings=[0.0, *course], times=0.1 * np.arange(len(xy)))
    return bool(find_walked(at, WalkMotion(at.walk, 1.0), told_m, sigma))


def turns_to_see(deg) -> bool:
    """Looks so far to the left of the way, so that what is passed on the left is on the right of the view."""
    at = way([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0], headings=[*[deg] * 4, 0.0, 0.0, 0.0], thing=(2.0, 1.0))
    return bool(find_on_side(at, "thing", "right"))


def enters_at(seconds) -> bool:
    """Whether the place so long before the change of room belongs to it."""
    at = way([0.0] * 5, times=[0.0, 5.0, 9.0 - seconds, 9.0, 20.0], rooms=ROOMS)
    return find_entries(at, "kitchen")[0].first == 2


Case = Callable[[float], bool]
BARS: dict[str, tuple[Case, float, float]] = {
    "pass_clear_m": (lambda y: passes(thing=(3.0, y)), 0.21, 0.19),
    "pass_clear_m, on the right": (lambda y: passes(thing=(3.0, -y)), 0.21, 0.19),
    "pass_within_m": (lambda y: passes(thing=(2.95, y)), 2.99, 3.01),
    "pass_margin_m, before": (lambda x: passes([3.0 - x, 3.05, 3.5, 4.0]), 0.11, 0.09),
    "pass_margin_m, after": (lambda x: passes([0.0, 1.0, 2.0, 2.5, 2.9, 3.0 + x]), 0.11, 0.09),
    "pass_seen_before_s": (lambda age: passes(times=[0, age - 2, age - 1, age, age + 2, age + 3], seen=(1,)), 6.9, 7.1),
    "pass_seen_after_s": (lambda wait: passes(times=[0, 1, 2, 3, 3 + wait, 9], seen=(5,)), 0.9, 1.1),
    "pass_straight": (
        lambda deg: passes(
            [0.0, 1.0, 2.0, 3.0, 3.0 + turned(1.0, deg)[0]], ys=[0, 0, 0, 0, -turned(1.0, deg)[1]], thing=(2.5, 1.0)
        ),
        45.0,
        46.0,
    ),
    "local_s": (lambda age: passes([0.0, 2.95, 4.0, 5.0], times=[0, age, age + 1, age + 2]), 7.9, 8.1),
    "local_m": (lambda far: passes([2.95 - far, 2.95, 4.0, 5.0]), 3.9, 4.1),
    "approach_m": (lambda step: approaches([3.5, 3.5 + step]), 0.51, 0.49),
    "approach_share": (lambda step: approaches([0.0, step]), 1.01, 0.99),
    "approach_view_deg": (lambda deg: approaches([0.0, 2.0], headings=deg), 39.0, 41.0),
    "approach_course_deg": (
        lambda deg: approaches(
            [0.0, 2.0, 3.0], headings=[deg, deg, deg + 180], thing=(2 + turned(5, deg)[0], turned(5, deg)[1])
        ),
        49.0,
        51.0,
    ),
    "approach_seen_s": (lambda age: approaches([0.0, 2.0], times=[0.0, age], seen=(1,)), 2.4, 2.6),
    "reversal_m": (lambda back: approaches([2.0, 2.4, 2.4 - back, 2.65]), 0.29, 0.31),
    "leave_m": (leaves, 1.51, 1.49),
    "leave_behind_deg": (lambda deg: leaves(headings=180.0 - deg), 81.0, 79.0),
    "behind_m": (is_left_behind, 0.81, 0.79),
    "leave_seen_s": (lambda age: leaves(times=[0.0, age], seen=(1,)), 13.9, 14.1),
    "face_deg": (lambda deg: stands(find_facing, turned(2.0, deg)), 27.0, 29.0),
    "face_m": (lambda away: stands(find_facing, (away, 0.0)), 6.9, 7.1),
    "front_seen_s": (lambda age: stands(find_facing, (2.0, 0.0), age=age), 1.4, 1.6),
    "front_seen_s, at hand": (lambda age: stands(find_near, (4.0, 0.0), age=age), 1.4, 1.6),
    "stop_deg": (lambda deg: stands(find_stops, turned(2.0, deg)), 31.5, 32.5),
    "stop_m": (lambda away: stands(find_stops, (away, 0.0)), 3.4, 3.6),
    "near_m": (lambda away: stands(find_near, (-away, 0.0)), 2.9, 3.1),
    "near_seen_s": (lambda age: stands(find_near, (-2.0, 0.0), age=age), 6.9, 7.1),
    "near_ahead_m": (lambda away: stands(find_near, (away, 0.0)), 4.9, 5.1),
    "near_ahead_deg": (lambda deg: stands(find_near, turned(4.0, deg)), 49.0, 51.0),
    "between_deg": (lies_between, 101.0, 99.0),
    "near_m, between": (lambda away: lies_between(170.0, away), 2.9, 3.1),
    "near_seen_s, between": (lambda age: lies_between(170.0, age=age), 6.9, 7.1),
    "in_view_s": (lambda age: stands(find_in_view, (-9.0, 0.0), age=age), 0.69, 0.71),
    "middle_deg": (lambda deg: is_on_side("middle", deg), 11.5, 12.5),
    "middle_deg, to the right": (lambda deg: is_on_side("middle", -deg), 11.5, 12.5),
    "aside_deg": (lambda deg: is_on_side("left", deg), 3.5, 2.5),
    "aside_deg, to the right": (lambda deg: is_on_side("right", -deg), 3.5, 2.5),
    "turned_deg": (turns_to_see, 76.0, 74.0),
    "aside_s": (
        lambda seconds: is_on_side("left", 5.0, headings=[9, 0, 0, 9], times=[0, 1, 1 + seconds, 4]),
        0.61,
        0.59,
    ),
    "walk_off_deg": (lambda deg: goes("walk", deg), 74.5, 75.5),
    "move_m": (lambda far: goes("walk", 0.0, (0.0, far / 2, far)), 0.41, 0.39),
    "move_off_deg": (lambda deg: goes("back", 180.0 - deg), 59.0, 61.0),
    "aside_off_deg": (lambda deg: goes("aside", 90.0 + deg, side="left"), 51.0, 53.0),
    "aside_off_deg, to the right": (lambda deg: goes("aside", -90.0 + deg, side="right"), 51.0, 53.0),
    "leg_turn_deg": (lambda deg: walks(12.0, deg=deg), 30.5, 33.0),
    "length_m": (walks, 5.29, 5.31),
    "length_share": (walks, 3.05, 3.03),
    "edge_s": (enters_at, 0.9, 1.1),
}
"""By bar: what holds or does not, a value at which it does, and one at which it does not."""


@each_case("bar", BARS)
def test_each_bar_divides_what_holds_from_what_does_not(bar):
    holds, inside, outside = BARS[bar]
    assert holds(inside)
    assert not holds(outside)


def test_no_bar_is_left_out():
    assert {key.split(",")[0] for key in BARS} == {bar.name for bar in fields(StatementBars)}


@pytest.mark.parametrize(("told_m", "holds"), [(6.9, True), (6.95, False)])
def test_a_length_may_be_off_by_twice_the_error_of_the_scale_too(told_m, holds):
    """4 m walked: 0.5 m, 15 % and twice 10 % of what is told."""
    assert walks(told_m, sigma=0.1) is holds
    assert StatementBars().length_tolerance_m(2.0, 0.1) == pytest.approx(1.2)
