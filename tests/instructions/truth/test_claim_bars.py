"""One claim on each side of every bar of its judge, with one quantity changed at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from instructions.records import Claim, Obb, SceneObject
from instructions.truth.claims import check_claims
from tests.instructions.boxworld import make_world
from trajectories.records import TrajectoryPoint

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
WORLD = make_world((), (("walk", 0.5),), walls=())


def is_true(
    kind, xs, *, heading=0.0, turned=0.0, thing=None, seen=(1,), times=None, side=None, angle=None, words="words"
):
    """Verdict on a claim over a whole walk along +x that looks to `heading`, and turns by `turned` at its end.

    `thing` is the place of a thing without size, seen by the frames `seen`; frames count from 1.
    """
    times = times or [0.1 * number for number in range(len(xs))]
    headings = [heading] * (len(xs) - 1) + [heading + turned]
    if abs(turned) > 180.0:  # a heading on the way tells it from the short way round
        headings[-2] = heading + turned / 2
    points = tuple(
        TrajectoryPoint(number, time, (x, 0.0, 1.5), (look + 180.0) % 360.0 - 180.0, 0.0)
        for number, (x, time, look) in enumerate(zip(xs, times, headings, strict=True), start=1)
    )
    walk = replace(WORLD.trajectory, points=points)
    x, y = thing or (0.0, 0.0)
    box = Obb((x, y, 0.0), (0.0, 0.0, 0.0), AXES)
    objects = [SceneObject("0_0", "0", None, "thing", None, None, box, (), tuple(seen), False, "made")]
    claim = Claim(kind, words, None if thing is None else "0_0", side, angle, 1, len(xs))
    return check_claims(WORLD.scene, walk, objects, [claim])[0].true


def passing(lateral=1.0, start=0.0, end=6.0, **more):
    return {"kind": "pass", "xs": [start, 2.0, 3.0, 4.0, end], "thing": (3.0, lateral), "side": "left", **more}


def approaching(end=2.0, **more):
    return {"kind": "approach", "xs": [1.0, end], "thing": (5.0, 0.0), **more}


def leaving(end=2.0, **more):
    return {"kind": "leave", "xs": [0.5, end], "thing": (0.0, 0.0), **more}


def facing(kind="see", away=2.0, **more):
    return {"kind": kind, "xs": [0.0], "thing": (away, 0.0), **more}


BARS = {
    "walk_m": [{"kind": "walk", "xs": [0.0, x], "angle": 0.0} for x in (0.51, 0.49)],
    "walk_off_deg": [{"kind": "walk", "xs": [0.0, 2.0], "angle": 0.0, "heading": deg} for deg in (59.0, 61.0)],
    "aside_off_deg": [{"kind": "walk", "xs": [0.0, 2.0], "angle": 90.0, "heading": -deg} for deg in (39.0, 37.0)],
    "walk_share": [
        {"kind": "walk", "xs": [*range(7), *back], "times": list(range(7 + len(back))), "angle": 0.0}
        for back in ([5, 4], [5, 4, 3])
    ],
    "walk_stand_share": [
        {"kind": "walk", "xs": [0, 1, 2, 3, *[3] * rests], "times": list(range(4 + rests)), "angle": 0.0}
        for rests in (4, 5)
    ],
    "slight_most_deg": [
        {"kind": "turn", "xs": [0.0, 0.0], "side": "left", "turned": deg, "words": "bear left"} for deg in (74.0, 76.0)
    ],
    "sharp_least_deg": [
        {"kind": "turn", "xs": [0.0, 0.0], "side": "left", "turned": deg, "words": "turn sharply left"}
        for deg in (76.0, 74.0)
    ],
    "turn_deg": [{"kind": "turn", "xs": [0.0, 0.0], "side": "left", "turned": deg} for deg in (21.0, 19.0)],
    "turn_tolerance_deg": [
        {"kind": "turn", "xs": [0.0, 0.0], "side": "left", "angle": 90.0, "turned": deg} for deg in (61.0, 59.0)
    ],
    "around_least_deg": [{"kind": "turn", "xs": [0.0, 0.0], "angle": 180.0, "turned": deg} for deg in (136.0, 134.0)],
    "around_most_deg": [
        {"kind": "turn", "xs": [0.0, 0.0, 0.0], "angle": 180.0, "turned": deg} for deg in (224.0, 226.0)
    ],
    "pass_clear_m": [passing(lateral) for lateral in (0.21, 0.19)],
    "pass_within_m": [passing(lateral) for lateral in (2.99, 3.01)],
    "pass_margin_m, before": [
        {"kind": "pass", "xs": [x, 3.0, 4.0, 6.0], "thing": (3.0, 1.0), "side": "left"} for x in (2.89, 2.91)
    ],
    "pass_margin_m, after": [
        {"kind": "pass", "xs": [0.0, 2.0, 3.0, x], "thing": (3.0, 1.0), "side": "left"} for x in (3.11, 3.09)
    ],
    "pass_reach_m": [
        {"kind": "pass", "xs": [3.0 - x, 3.0, 3.0 + x], "thing": (3.0, 1.0), "side": "left"} for x in (0.26, 0.24)
    ],
    "pass_seen_before_s": [passing(times=[0.0, age - 1.0, age, age + 9.0, age + 10.0]) for age in (6.9, 7.1)],
    "pass_seen_after_s": [passing(times=[0.0, 1.0, 2.0, 2.0 + wait, 9.0], seen=(4,)) for wait in (0.9, 1.1)],
    "approach_share": [approaching(end) for end in (1.61, 1.59)],
    "approach_view_deg": [approaching(heading=deg) for deg in (39.0, 41.0)],
    "seen_s, approached": [approaching(times=[0.0, age]) for age in (2.4, 2.6)],
    "leave_m": [leaving(end) for end in (1.51, 1.49)],
    "leave_behind_deg": [leaving(heading=deg) for deg in (99.0, 101.0)],
    "seen_s, left": [leaving(seen=(2,), times=[0.0, wait]) for wait in (2.4, 2.6)],
    "front_deg": [facing(heading=deg) for deg in (24.0, 26.0)],
    "front_seen_s": [facing(xs=[0.0, 0.0], times=[0.0, age]) for age in (1.4, 1.6)],
    "face_m": [facing(away=away) for away in (6.9, 7.1)],
    "stop_m": [facing("stop_at", away) for away in (3.1, 3.3)],
}


@pytest.mark.parametrize("bar", BARS)
def test_each_bar_divides_true_from_false(bar):
    inside, outside = BARS[bar]
    assert is_true(**inside)
    assert not is_true(**outside)
