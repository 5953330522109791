"""The judges' own measures by worked examples, and one case on each side of each of their bars."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from instructions.facts.along import ThingAlongWalk
from instructions.facts.swings import Swing
from instructions.facts.walk import Walk
from instructions.facts.way import Span, WayGeometry
from instructions.records import Claim, Obb, Observation, RoomSpan, SceneObject
from instructions.truth.bars import ClaimBars
from instructions.truth.check import _fits
from instructions.truth.motion import WalkMotion, measure_turn_against, measure_untold_deg
from instructions.truth.naming import doubt_name
from instructions.truth.places import judge_range, judge_room, judge_shown_side, judge_side
from instructions.truth.projected import is_across, project_box
from instructions.truth.ranges import find_compared, find_in_range, ranges_by_thing
from instructions.truth.told import Told
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


# Names


@each_case("metre", [1.0, 2.0])
@each_case(
    ("category", "across", "along", "is_doubted"),
    [
        ("sofa", 0.41, 2.0, False),
        ("sofa", 0.39, 2.0, True),
        ("bed", 0.9, 1.21, False),
        ("bed", 0.9, 1.19, True),
        ("chair", 0.26, 0.26, False),
        ("chair", 0.24, 0.5, True),
        ("armchair", 0.36, 0.5, False),
        ("armchair", 0.34, 0.5, True),
        ("table", 0.26, 0.5, False),
        ("table", 0.24, 0.5, True),
        ("bed", 0.51, 1.9, False),
        ("bed", 0.49, 1.9, True),
        ("shelf", 0.13, 0.5, False),
        ("shelf", 0.11, 0.5, True),
        ("lamp", 0.01, 0.01, False),
    ],
)
def test_a_name_needs_a_box_of_its_size(category, across, along, is_doubted, metre):
    times = {frame: float(frame) for frame in range(1, 6)}
    for size in ((across, along), (along, across)):
        named = thing(size=(size[0] * metre, size[1] * metre, 1.0), category=category)
        assert (doubt_name(named, metre, times) is not None) is is_doubted


@pytest.mark.parametrize(("share", "is_doubted"), [(0.5, False), (0.49, True)])
def test_a_name_needs_half_of_the_evidence(share, is_doubted):
    named = thing(categories=(("chair", share), ("stool", 1 - share)))
    assert (doubt_name(named, 1.0, {1: 0.0, 5: 9.0}) is not None) is is_doubted


@pytest.mark.parametrize(("seconds", "is_doubted"), [(0.61, False), (0.59, True)])
def test_a_name_needs_more_than_a_glimpse(seconds, is_doubted):
    told = doubt_name(thing(frames=(3, 1, 77)), 1.0, {1: 4.0, 2: 9.0, 3: 4.0 + seconds})
    assert (told is not None) is is_doubted
    assert doubt_name(thing(frames=(77,)), 1.0, {1: 4.0}) is None
    assert doubt_name(thing(category=None, size=(0.01, 0.01, 0.01)), 1.0, {}) is None


# Places


def judge_aside(x, y, *, side, seen=True, shown=None):
    along = ThingAlongWalk(walk([0.0, 0.0]), thing(x, y, size=(0.0, 0.0, 0.0)), 1.0)
    return judge_side(Claim("see", "words", side=side), along, 0, shown, BARS, is_in_view=seen)[0]


@pytest.mark.parametrize(("bearing_deg", "true"), [(2.9, False), (3.1, True), (99.0, True), (101.0, False)])
def test_a_side_is_off_the_middle_and_not_behind(bearing_deg, true):
    x, y = 3 * np.cos(np.radians(bearing_deg)), 3 * np.sin(np.radians(bearing_deg))
    assert judge_aside(x, y, side="left") is true
    assert judge_aside(x, -y, side="right") is true
    assert not judge_aside(x, y, side="right")
    assert not judge_aside(x, y, side="middle")
    assert not judge_aside(x, -y, side="middle")
    assert not judge_aside(x, -y, side=None)
    assert not judge_aside(x, y, side="left", seen=False)


def test_a_reason_says_what_is_not_in_view():
    along = ThingAlongWalk(walk([0.0]), thing(0.0, 2.0, size=(0.0, 0.0, 0.0)), 1.0)
    claim = Claim("see", "words", side="left")
    told = [judge_side(claim, along, 0, None, BARS, is_in_view=seen)[1] for seen in (True, False)]
    assert told == ["+90 deg off the view at 2.0", "+90 deg off the view at 2.0, not in view"]


@pytest.mark.parametrize(("away", "true"), [(4.9, True), (5.1, False)])
def test_a_side_is_told_of_what_is_at_hand(away, true):
    assert judge_aside(0.0, away, side="left") is true


@pytest.mark.parametrize(("beyond", "true"), [(0.11, True), (0.13, False)])
def test_what_reaches_across_the_middle_is_on_no_side(beyond, true):
    assert judge_aside(2.0, 2.0, side="left", shown=(0.2, 0.0, 0.5 + beyond, 1.0)) is true


@pytest.mark.parametrize(
    ("frame", "middle", "true"), [(3, 0.49, True), (3, 0.51, False), (5, 0.51, False), (6, 0.51, True)]
)
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


@pytest.mark.parametrize(("age_s", "true"), [(0.9, True), (1.1, False)])
def test_a_range_was_measured_near_that_moment(age_s, true):
    ranges = {"0_0": {1: ("near", "closer"), 3: ("further",), 99: ("near",)}}
    at = walk([0.0, 0.0, 0.0], times=[0.0, age_s, age_s + 9.0])
    claim = Claim("see", "words", object="0_0", range="near")
    assert judge_range(claim, at, 1, ranges, BARS)[0] is true
    assert judge_range(replace(claim, range="further"), at, 2, ranges, BARS)[0]
    assert not judge_range(replace(claim, range="further"), at, 0, ranges, BARS)[0]
    assert judge_range(claim, at, 0, {}, BARS) == (False, "how far it is there is not known")


ROOMS = (RoomSpan("s0", "hall", 1, 4, 1.0, None), RoomSpan("s1", "kitchen", 5, 9, 1.0, "hall"))


@pytest.mark.parametrize(("index", "entered"), [(1, False), (2, True), (4, True), (6, True), (7, False)])
def test_a_room_is_entered_near_the_change(index, entered):
    """The change lies between positions 3 and 4, and a second is two positions."""
    at = walk([0.0] * 9)
    assert judge_room(Claim("enter", "words", room="kitchen"), at, index, ROOMS, BARS)[0] is entered
    assert not judge_room(Claim("enter", "words", room="hall"), at, index, ROOMS, BARS)[0]
    assert judge_room(Claim("room", "words", room="hall"), at, index, ROOMS, BARS)[0] is (index <= 3)


# What a picture would show


def look_at(x, y, z, size) -> tuple | None:
    camera = Camera("SIMPLE_RADIAL", 200, 100, (100.0, 100.0, 50.0, 0.0))
    model: Any = SimpleNamespace(camera=camera, world_from_cam={1: Pose(LEVEL, np.zeros(3))}, nominal_metre=1.0)
    assert project_box(thing(), model, 2) is None
    return project_box(thing(x, y, z, size), model, 1)


def test_a_box_fills_the_part_of_a_picture_that_it_projects_to():
    assert look_at(2.5, 0.0, 0.0, (1.0, 1.0, 0.5)) == pytest.approx((0.375, 0.375, 0.625, 0.625))
    assert look_at(2.5, 1.0, 0.25, (1.0, 1.0, 0.5)) == pytest.approx((0.125, 0.25, 1.25 / 3, 0.5))


def test_what_is_out_of_a_picture_has_no_box_in_it():
    assert look_at(-2.0, 0.0, 0.0, (1.0, 1.0, 1.0)) is None
    assert look_at(2.0, 9.0, 0.0, (1.0, 1.0, 1.0)) is None
    assert look_at(2.0, 0.0, 9.0, (1.0, 1.0, 1.0)) is None


def test_what_is_behind_the_camera_does_not_bend_the_rest():
    shown = look_at(0.0, 0.5, 0.0, (6.0, 0.2, 0.2))  # from 3 behind to 3 ahead, to the left
    assert shown is not None
    assert shown[0] == pytest.approx(0.5 - 0.5 * 0.6 / 1.0)  # of its samples the nearest ahead
    assert shown[2] == pytest.approx(0.5 - 0.5 * 0.4 / 3.0)


@pytest.mark.parametrize(
    ("shown", "across"), [((0.42, 0, 0.58, 1), True), ((0.43, 0, 0.7, 1), False), ((0.3, 0, 0.57, 1), False)]
)
def test_what_reaches_to_both_sides_of_the_middle(shown, across):
    assert is_across(shown, 0.08) is across


# Ranges


def way(xs, **things) -> WayGeometry:
    objects = {name: thing(x, 0.0, size=(0.0, 0.0, 1.0), frames=range(1, 99)) for name, x in things.items()}
    return WayGeometry(walk(xs), 0, len(xs) - 1, 1.0, objects)


def test_words_for_distances_where_no_frame_knows_a_range():
    at = way([0.0, 1.3, 3.1, 3.3, 5.0, 7.0], sofa=6.0)  # it is 6, 4.7, 2.9, 2.7, 1 and 1 away
    assert find_in_range(at, "sofa", "near") == [Span(3, 5)]
    assert find_in_range(at, "sofa", "closer") == [Span(1, 3)]
    assert find_in_range(at, "sofa", "further") == [Span(0, 1)]


@pytest.mark.parametrize(("apart", "told"), [(0.29, []), (0.31, [Span(0, 1)])])
def test_nearer_and_further_are_told_apart(apart, told):
    at = way([0.0, 0.1], sofa=3.0, table=3.0 + apart)
    assert find_compared(at, "sofa", "table", "near") == told
    assert find_compared(at, "table", "sofa", "further") == told
    assert find_compared(at, "table", "sofa", "near") == []


@pytest.mark.parametrize(("age_s", "is_told"), [(0.69, True), (0.71, False)])
@pytest.mark.parametrize("unseen", ["sofa", "table"])
def test_how_far_is_told_of_what_is_in_view(unseen, age_s, is_told):
    """Seen at the first place, and one of the two not since."""
    things = {name: thing(x, size=(0.0, 0.0, 1.0), frames=(1, 2)) for name, x in (("sofa", 2.0), ("table", 4.0))}
    things[unseen] = replace(things[unseen], frames=(1,))
    at = WayGeometry(walk([0.0, 0.0], times=[0.0, age_s]), 0, 1, 1.0, things)
    assert (find_compared(at, "sofa", "table", "near") == [Span(0, 1)]) is is_told
    assert (find_compared(at, "table", "sofa", "further") == [Span(0, 1)]) is is_told
    far = "near" if unseen == "sofa" else "closer"
    assert (find_in_range(at, unseen, far) == [Span(0, 1)]) is is_told


def test_ranges_are_those_that_frames_know():
    seen = [
        Observation(1, "a", (0, 0, 1, 1), 1.0, 1.0, 2.0, (), ("near",)),
        Observation(2, "a", (0, 0, 1, 1), 1.0, 1.0, 2.0, (), ()),
    ]
    assert ranges_by_thing(seen) == {"a": {1: ("near",)}}


# Motion


@pytest.mark.parametrize(("pace", "moves"), [(0.19, False), (0.21, True)])
@pytest.mark.parametrize("metre", [1.0, 3.0])
def test_slower_than_a_bar_is_standing(pace, moves, metre):
    motion = WalkMotion(walk(np.arange(9) * 0.5 * pace * metre), metre)
    assert motion.moves.tolist() == [moves] * 9
    assert motion.measure_share_standing(2, 6) == float(not moves)
    assert motion.steps.sum() == pytest.approx(4.0 * pace)


def test_going_is_told_by_the_view_of_that_moment():
    aside = WalkMotion(walk(np.arange(9) * 0.5, headings=[-80.0] * 9), 1.0)
    assert aside.off_view_deg.tolist() == pytest.approx([80.0] * 9)
    assert aside.measure_share_ahead(0, 8) == 0.0
    assert aside.facing_deg.tolist() == [-80.0] * 9
    ahead = WalkMotion(walk(np.arange(9) * 0.5, headings=[-70.0] * 9), 1.0)
    assert ahead.measure_share_ahead(0, 8) == 1.0
    assert ahead.facing_deg.tolist() == pytest.approx([0.0] * 9, abs=1e-9)
    assert ahead.measure_way_gone(0, 8, 70.0, 5.0) == pytest.approx((4.0, 4.0))
    assert ahead.measure_way_gone(0, 8, 0.0, 60.0) == pytest.approx((0.0, 4.0))


def test_a_look_aside_on_a_straight_way_is_no_turn():
    headings = [0.0] * 4 + [80.0, 80.0] + [0.0] * 4
    motion = WalkMotion(walk(np.arange(10) * 0.5, headings=headings), 1.0)
    assert np.abs(motion.off_way_deg).max() < 1.0
    assert motion.find_swings(0, 9) == ()


def test_turning_against_a_sense_is_the_way_back_from_the_extreme():
    angles = np.array([0.0, 30.0, 20.0, 50.0, 10.0, 15.0])
    assert measure_turn_against(angles, 1.0) == 40.0
    assert measure_turn_against(angles, -1.0) == 50.0


@pytest.mark.parametrize(
    ("seconds", "back_deg", "is_look"), [(9.9, -40.0, True), (10.1, -40.0, False), (5.0, 40.0, False)]
)
def test_a_look_about_is_taken_back_soon(seconds, back_deg, is_look):
    motion = WalkMotion(walk([0.0] * 3, headings=[0.0, 40.0, 40.0 + back_deg], times=[0.0, 1.0, seconds]), 1.0)
    assert motion.takes_back(Swing(0, 1, 40.0), Swing(1, 2, back_deg)) is is_look


@pytest.mark.parametrize(("metres", "is_look"), [(1.2, True), (1.4, False)])
def test_a_look_about_is_on_one_spot(metres, is_look):
    motion = WalkMotion(
        walk(np.linspace(0.0, metres, 5), headings=[0.0, 0.0, 40.0, 0.0, 0.0], times=np.arange(5.0) / 2), 1.0
    )
    assert motion.takes_back(Swing(0, 2, 40.0), Swing(2, 4, -40.0)) is is_look


@pytest.mark.parametrize(("rest_deg", "kept"), [(34.0, 0), (36.0, 1)])
def test_a_look_about_ends_near_where_it_began(rest_deg, kept):
    """Else what it leaves is a turn."""
    headings = [*np.arange(0.0, 91.0, 6.0), *np.linspace(84.0, rest_deg, 9)]
    motion = WalkMotion(walk([0.0] * 25, headings=headings, times=np.arange(25.0) / 5), 1.0)
    left = motion.drop_looks([Swing(0, 15, 90.0), Swing(15, 24, rest_deg - 90.0)])
    assert [round(one.angle_deg) for one in left] == [36] * kept


@pytest.mark.parametrize(("angle_deg", "kept"), [(34.0, 0), (36.0, 1)])
def test_a_small_swing_is_nothing_one_had_to_tell(angle_deg, kept):
    motion = WalkMotion(walk([0.0, 0.0], headings=[0.0, angle_deg]), 1.0)
    assert len(motion.drop_looks([Swing(0, 1, angle_deg)])) == kept


@pytest.mark.parametrize(("lag_s", "seen_deg"), [(1.4, 50.0), (1.6, 0.0)])
def test_the_view_may_turn_a_little_later(lag_s, seen_deg):
    at = walk([0.0] * 4, headings=[0.0, 0.0, 0.0, 50.0], times=[0.0, 1.0, 2.0, 2.0 + lag_s])
    motion = WalkMotion(at, 1.0)
    assert motion.count_seen(1, 2, 1.0) == seen_deg
    assert motion.count_seen(1, 2, 1.0, np.array([False, False, False, True])) == seen_deg
    assert motion.count_seen(1, 2, -1.0) == 0.0


def test_what_else_is_told_ends_the_search_for_a_turn_of_the_view():
    """The view turns on before and after: up to the nearest place that another statement tells."""
    at = walk([0.0] * 7, headings=[0.0, 5.0, 15.0, 35.0, 45.0, 55.0, 85.0], times=[0.0, 0.4, 0.8, 1.2, 1.6, 2.0, 2.4])
    motion = WalkMotion(at, 1.0)
    assert motion.count_seen(3, 4, 1.0) == 85.0
    for place, seen_deg in ((0, 85.0), (1, 80.0), (2, 70.0), (3, 85.0), (5, 55.0), (6, 85.0)):
        assert motion.count_seen(3, 4, 1.0, np.arange(7) == place) == seen_deg
    assert motion.count_seen(3, 4, 1.0, np.isin(np.arange(7), (0, 1, 5, 6))) == 50.0


@pytest.mark.parametrize(("told", "is_kept"), [((True, True, False, False), False), ((True, True, True, False), True)])
def test_a_turn_that_a_text_tells_is_no_look(told, is_kept):
    """Told is a swing of which more than half of the places are."""
    motion = WalkMotion(walk([0.0] * 6, headings=[0.0, 20.0, 40.0, 60.0, 30.0, 0.0]), 1.0)
    mask = np.array([*told, False, False])
    kept = motion.drop_looks([Swing(0, 3, 60.0), Swing(3, 5, -60.0)], mask)
    assert [one.angle_deg for one in kept] == ([60.0, -60.0] if is_kept else [])


@pytest.mark.parametrize(
    ("first", "last", "share"), [(0, 3, 0.5), (1, 2, 0.5), (0, 1, 1.0), (2, 3, 0.0), (3, 5, 2 / 3)]
)
def test_shares_are_of_the_places_named(first, last, share):
    headings = [0.0, 0.0, -90.0, -90.0, 0.0, 0.0]
    assert WalkMotion(walk(0.5 * np.arange(6), headings=headings), 1.0).measure_share_ahead(first, last) == share
    stands = WalkMotion(walk([0.0, 1.0, 2.0, 2.0, 2.0, 2.0], times=np.arange(6.0)), 1.0)
    assert stands.measure_share_standing(first, last) == pytest.approx(
        {(0, 3): 0.25, (1, 2): 0.0, (0, 1): 0.0, (2, 3): 0.5, (3, 5): 1.0}[first, last]
    )


def test_what_was_not_told_of_turns_adds_up():
    at = walk([0.0] * 7, headings=[0.0, 30.0, 60.0, 90.0, 90.0, 60.0, 30.0])
    motion, swings = WalkMotion(at, 1.0), (Swing(0, 3, 90.0), Swing(4, 6, -60.0))
    told = np.array([True, True, False, False, False, False, False])
    assert measure_untold_deg(swings, motion, np.zeros(7, bool), 20.0) == 150.0
    assert measure_untold_deg(swings, motion, np.ones(7, bool), 20.0) == 0.0
    assert measure_untold_deg(swings, motion, told, 20.0) == 120.0
    assert measure_untold_deg(swings, motion, told, 61.0) == 0.0


@pytest.mark.parametrize(
    ("angle_deg", "path_m", "fits"),
    [
        (74.0, 0.0, True),
        (76.0, 0.0, False),
        (76.0, 1.9, False),
        (76.0, 2.1, True),
        (109.0, 2.1, True),
        (111.0, 2.1, False),
    ],
)
def test_a_slight_turn_of_a_text_is_slight(angle_deg, path_m, fits):
    told = Told("turn", "bear left", 0, side="left", size="slight")
    assert _fits(told, angle_deg, path_m) is fits
    assert not _fits(told, -angle_deg, path_m)


@pytest.mark.parametrize(("off_deg", "pieces"), [(119.0, 1), (121.0, 2)])
def test_a_swing_is_cut_where_the_walk_goes_on_backwards(off_deg, pieces):
    """Straight on along x while the view turns; in the end so far off it that the feet go backwards, or not quite."""
    headings = [0.0, 0.0, 0.0, *np.linspace(0.0, -off_deg + 2.0, 6), *np.linspace(-off_deg, -off_deg - 0.5, 2)]
    headings += [] if pieces == 1 else np.linspace(-130.0, -180.0, 6).tolist()
    motion = WalkMotion(walk([0.4 * place for place in range(len(headings))], headings=headings), 1.0)
    whole = (Swing(2, len(headings) - 1, float(motion.facing_deg[-1] - motion.facing_deg[2])),)
    cut = motion.cut_where_back(whole)
    assert len(cut) == pieces
    assert sum(one.angle_deg for one in cut) == pytest.approx(whole[0].angle_deg)
