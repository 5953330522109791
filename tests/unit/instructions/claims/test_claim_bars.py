"""One claim on each side of every bar of its judge, with one quantity changed at a time."""

from dataclasses import replace

import numpy as np

from instructions.claims.walk_claims import check_claims, judge_untold_turn
from instructions.records import Claim, Obb, SceneObject
from recon.geometry import Pose
from recon.records import Scene
from tests.support.cases import each_case
from tests.support.worlds.boxworld import make_world
from trajectories.records import Trajectory, TrajectoryPoint

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
WORLD = make_world((), (("walk", 0.5),), walls=())
"""Frames 1 to 3 go 0.5 m along +x."""


def made_walk(xs, headings, times=None, ys=None) -> Trajectory:
    """Frames count from 1, a tenth of a second apart."""
    times = [0.1 * number for number in range(len(xs))] if times is None else times
    ys = [0.0] * len(xs) if ys is None else ys
    points = tuple(
        TrajectoryPoint(number, float(time), (float(x), float(y), 1.5), (float(look) + 180.0) % 360.0 - 180.0, 0.0)
        for number, (x, y, time, look) in enumerate(zip(xs, ys, times, headings, strict=True), start=1)
    )
    return replace(WORLD.trajectory, points=points)


def made_thing(name, x, y, *, z=0.0, size=(0.0, 0.0, 0.0), seen=(1,), category=None) -> SceneObject:
    half = (size[0] / 2, size[1] / 2, size[2] / 2)
    return SceneObject(name, "0", category, "thing", None, None, Obb((x, y, z), half, AXES), (), seen, False, "made")


def is_true(
    kind,
    xs,
    *,
    ys=None,
    heading=0.0,
    turned=0.0,
    headings=None,
    thing=None,
    z=0.0,
    size=(0.0, 0.0, 0.0),
    seen=(1,),
    times=None,
    side=None,
    angle=None,
    words="words",
    others=(),
    boxes=None,
    metre=1.0,
):
    """Verdict on a claim over a whole walk along +x that looks to `heading`, and turns by `turned` at its end.

    `thing` is the place of a thing, seen by the frames `seen`, and `others` are more things; of those with a side the
    same is claimed. All lengths are in metres, and the world is in a unit of which a metre has `metre`.
    """
    if headings is None:
        headings = [heading] * (len(xs) - 1) + [heading + turned]
        if abs(turned) > 180.0:  # a heading on the way tells it from the short way round
            headings[-2] = heading + turned / 2
    walk = made_walk(xs, headings, times, ys)
    objects = [made_thing("0_0", *(thing or (0.0, 0.0)), z=z, size=size, seen=tuple(seen))]
    claims = [Claim(kind, words, None if thing is None else "0_0", side, angle, 1, len(xs))]
    for other, its_side in others:
        objects.append(other)
        if its_side is not None:
            claims.append(replace(claims[0], object=other.id, side=its_side))
    shown = {} if boxes is None else {"0_0": boxes}
    points = tuple(replace(point, position=enlarge(point.position, metre)) for point in walk.points)
    walk, objects = replace(walk, points=points), [enlarge_thing(one, metre) for one in objects]
    return all(one.true for one in check_claims(enlarge_scene(metre), walk, objects, claims, boxes=shown))


def enlarge(place: tuple[float, float, float], metre: float) -> tuple[float, float, float]:
    x, y, z = place
    return metre * x, metre * y, metre * z


def enlarge_thing(thing: SceneObject, metre: float) -> SceneObject:
    box = replace(
        thing.obb, center=enlarge(thing.obb.center, metre), half_extents=enlarge(thing.obb.half_extents, metre)
    )
    return replace(thing, obb=box)


def enlarge_scene(metre: float) -> Scene:
    poses = {frame: Pose(pose.rotation, metre * pose.translation) for frame, pose in WORLD.model.world_from_cam.items()}
    model = replace(WORLD.model, world_from_cam=poses)
    vars(model)["nominal_metre"] = metre  # else found from depths, of which this world has none
    return replace(WORLD.scene, models=(model,))


def walking(xs, angle=0.0, **more):
    return {"kind": "walk", "xs": xs, "angle": angle, **more}


def turning(deg, **more):
    return {"kind": "turn", "xs": [0.0, 0.0], "turned": deg, **more}


def viewing(kind, headings, side=None, **more):
    """A claim of how the view turns on the spot."""
    return {"kind": kind, "xs": [0.0] * 3, "headings": headings, "side": side, **more}


def passing(lateral=1.0, **more):
    return {"kind": "pass", "xs": [0.0, 2.0, 3.0, 4.0, 6.0], "thing": (3.0, lateral), "side": "left", **more}


def approaching(end=2.0, **more):
    return {"kind": "approach", "xs": [1.0, end], "thing": (5.0, 0.0), **more}


def facing(kind="see", away=2.0, **more):
    return {"kind": kind, "xs": [0.0], "thing": (away, 0.0), **more}


def swinging(deg):
    """A walk of 1 m/s that bends left, goes on, and bends back; without their slow ends the swings are a bit less."""
    course = np.repeat([0.0, deg, 0.0], 40)
    steps = 0.1 * np.column_stack([np.cos(np.radians(course)), np.sin(np.radians(course))])
    xs, ys = steps.cumsum(axis=0).T
    return {"kind": "walk", "xs": xs, "ys": ys, "headings": course, "angle": 0.0}


def standing_before(x, height):
    """What stands at `x` on the line to a thing 4 m ahead."""
    return (made_thing("sofa", x, 0.0, size=(0.2, 0.2, height), category="sofa"), None)


BARS = {
    "walk_m": [walking([0.0, x]) for x in (0.51, 0.49)],
    "walk_off_deg": [walking([0.0, 2.0], heading=deg) for deg in (59.0, 61.0)],
    "aside_off_deg": [walking([0.0, 2.0], 90.0, heading=-deg) for deg in (39.0, 37.0)],
    "walk_share": [walking([*range(7), *back], times=list(range(7 + len(back)))) for back in ([5, 4], [5, 4, 3])],
    "walk_stand_share": [walking([0, 1, 2, 3, *[3] * rests], times=list(range(4 + rests))) for rests in (4, 5)],
    "walk_swing_deg": [swinging(deg) for deg in (50.1, 52.0)],
    "slight_most_deg": [turning(deg, side="left", angle=59.0) for deg in (74.0, 76.0)],
    "turn_deg": [turning(deg, side="left") for deg in (21.0, 19.0)],
    "turn_tolerance_deg": [turning(deg, side="left", angle=90.0) for deg in (61.0, 59.0)],
    "around_least_deg": [turning(deg, angle=180.0) for deg in (136.0, 134.0)],
    "around_most_deg": [turning(deg, angle=180.0, xs=[0.0] * 3) for deg in (224.0, 226.0)],
    "turn_back_deg": [viewing("turn", [0.0, 90.0, 90.0 - deg], "left") for deg in (34.0, 36.0)],
    "turn_back_deg, to the right": [viewing("turn", [0.0, -90.0, deg - 90.0], "right") for deg in (34.0, 36.0)],
    "turn_back_deg, of a look": [viewing("look", [0.0, 60.0, -deg], "left") for deg in (34.0, 36.0)],
    "turn_deg, of a look": [viewing("look", [0.0, -deg, 0.0], "right") for deg in (21.0, 19.0)],
    "turn_deg, of a look to no side": [viewing("look", [0.0, deg, 0.0]) for deg in (21.0, 19.0)],
    "turn_tolerance_deg, of a look": [viewing("look", [0.0, deg, 0.0], "left", angle=60.0) for deg in (89.0, 91.0)],
    "pass_clear_m": [passing(lateral) for lateral in (0.21, 0.19)],
    "pass_within_m": [passing(lateral) for lateral in (2.99, 3.01)],
    "pass_margin_m, before": [passing(xs=[x, 3.0, 4.0, 6.0]) for x in (2.89, 2.91)],
    "pass_margin_m, after": [passing(xs=[0.0, 2.0, 3.0, x]) for x in (3.11, 3.09)],
    "pass_reach_m": [passing(xs=[3.0 - x, 3.0, 3.0 + x]) for x in (0.26, 0.24)],
    "pass_seen_before_s": [passing(times=[0.0, age - 1.0, age, age + 9.0, age + 10.0]) for age in (6.9, 7.1)],
    "pass_seen_after_s": [passing(times=[0.0, 1.0, 2.0, 2.0 + wait, 9.0], seen=(4,)) for wait in (0.9, 1.1)],
    "approach_share": [approaching(end) for end in (1.61, 1.59)],
    "approach_view_deg": [approaching(heading=deg) for deg in (39.0, 41.0)],
    "seen_s, approached": [approaching(times=[0.0, age]) for age in (2.4, 2.6)],
    "approach_seen_s": [
        approaching(xs=[1.0, 1.5, 2.0, 2.5], times=[0.0, 5.0, 10.0, 10.0 + age], seen=(4,)) for age in (1.1, 1.3)
    ],
    "approach_seen_share": [
        approaching(xs=xs, times=[*range(0, 5 * len(xs) - 5, 5), 5 * len(xs) - 9], seen=(len(xs),))
        for xs in ([1.0, 1.5, 2.0, 2.5], [1.0, 1.2, 1.5, 2.0, 2.5])
    ],
    "approach_course_deg": [
        approaching(2.0, xs=[0.0, 2.0], heading=60.0, thing=(5 * np.cos(deg), 5 * np.sin(deg)))
        for deg in np.radians([39.0, 41.0])
    ],
    "approach_shown_deg": [  # 220 pixels of focal length, the middle at 160
        approaching(xs=[0.0, 1.0, 2.0], boxes=dict.fromkeys((1, 2, 3), (160.0 + beside, 90.0, 220.0, 150.0)))
        for beside in (26.0, 28.0)
    ],
    "behind_m": [facing(away=4.0, others=[standing_before(x, 1.0)]) for x in (3.51, 3.49)],
    "flat_m": [facing(away=4.0, others=[standing_before(2.0, height)]) for height in (0.148, 0.152)],
    "filled_seen_s": [
        facing(away=3.0, z=1.5, size=(0.2, 1.0, 1.0), xs=[0.0, 0.0], times=[0.0, age]) for age in (2.4, 2.6)
    ],
    "filled_share": [
        facing(away=3.0, z=1.5, size=(0.0, wide, wide), xs=[0.0, 0.0], times=[0.0, 2.0]) for wide in (0.6, 0.565)
    ],
    "filled_share, low in the picture": [
        facing(away=3.0, z=0.9, size=(0.0, 1.5, tall), xs=[0.0, 0.0], times=[0.0, 2.0]) for tall in (0.3, 0.2)
    ],
    "across_share": [facing(z=1.5, thing=(2.0, 1.2), size=(0.0, 2 * (1.2 + beyond), 0.2)) for beyond in (0.26, 0.2)],
    "front_deg": [facing(heading=deg) for deg in (24.0, 26.0)],
    "front_seen_s": [facing(xs=[0.0, 0.0], times=[0.0, age]) for age in (1.4, 1.6)],
    "face_m": [facing(away=away) for away in (6.9, 7.1)],
    "stop_m": [facing("stop_at", away) for away in (3.1, 3.3)],
}


@each_case("metre", [1.0, 0.4])
@each_case("bar", BARS)
def test_each_bar_divides_true_from_false(bar, metre):
    """In any unit."""
    inside, outside = BARS[bar]
    assert is_true(**inside, metre=metre)
    assert not is_true(**outside, metre=metre)


@each_case(("deg", "is_told"), [(49.0, False), (51.0, True)])
def test_a_text_may_leave_out_a_little_turning(deg, is_told):
    walk = made_walk([0.0] * 5, [0.0, 0.0, deg, deg, deg], times=[0.0, 2.0, 4.0, 6.0, 8.0])

    def is_untold(*frames: tuple[int, int]) -> bool:
        claims = [Claim("turn", "words", None, "left", None, *one) for one in frames]
        return judge_untold_turn(walk, claims, 1, 5) is not None

    assert is_untold() is is_untold((1, 2), (4, 5)) is is_told
    assert not is_untold((1, 5))
    assert not is_untold((2, 3))
