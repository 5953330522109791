"""What frames and views hold, by made detections: stretches without poses, rooms, what lies outside a picture."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from instructions.facts.along import ThingAlongWalk
from instructions.facts.bodies import Body
from instructions.facts.passing import Passing
from instructions.facts.picture_views import find_picture_views
from instructions.facts.reliable import reliable_points, triangulation_angles_deg
from instructions.facts.rooms import find_stays, room_at
from instructions.facts.seen import find_seen_stretches
from instructions.facts.view_things import ViewFacts, ViewThing, _find_inside, _find_loose, _lie_outside
from instructions.facts.walk import Walk
from instructions.facts.way import Span, WayGeometry
from instructions.records import Box, Detection, FrameRoom, Obb, RoomSpan, SceneObject
from recon.geometry import Camera, Pose
from recon.records import Frame

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
LEVEL = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])  # looks along +x, z up
CAMERA = Camera("SIMPLE_RADIAL", 200, 100, (100.0, 100.0, 50.0, 0.0))


def frame(index: int, time_s: float | None = None, shot: int = 0) -> Frame:
    return Frame(index, index / 2 if time_s is None else time_s, f"{index}.jpg", 200, 100, 1.0, shot)


def found(index: int, label: str = "sofa", score: float = 0.9, box: Box = (0.0, 0.0, 10.0, 10.0)) -> Detection:
    return Detection(index, label, score, box, ("left",), (), None)


def shown(frames, detections, rooms=None, posed=()) -> list:
    return find_seen_stretches(frames, detections, rooms or {}, frozenset(posed))


@pytest.mark.parametrize(("views", "stretches"), [(3, 0), (4, 1)])
def test_a_stretch_without_poses_has_four_views(views, stretches):
    assert len(shown([frame(k) for k in range(1, views + 1)], [])) == stretches


@pytest.mark.parametrize(("frames", "is_shown"), [(2, False), (3, True)])
def test_what_three_frames_of_a_stretch_show_is_in_it(frames, is_shown):
    (stretch,) = shown([frame(k) for k in range(1, 7)], [found(k) for k in range(1, frames + 1)] + [found(1)])
    assert bool(stretch.frames[0].things) is is_shown


@pytest.mark.parametrize(("score", "is_shown"), [(0.5, False), (0.51, True)])
def test_a_detection_counts_above_a_score(score, is_shown):
    (stretch,) = shown([frame(k) for k in range(1, 7)], [found(k, score=score) for k in range(1, 7)])
    assert bool(stretch.frames[0].things) is is_shown


@pytest.mark.parametrize(("seconds", "sizes"), [(14.0, [15]), (14.1, [8, 7])])
def test_a_long_stretch_is_cut_into_even_parts(seconds, sizes):
    times = np.linspace(0.0, seconds, 15)
    assert [len(part.frames) for part in shown([frame(k, at) for k, at in enumerate(times)], [])] == sizes


def test_poses_and_shots_part_stretches():
    frames = [frame(k, shot=int(k > 10)) for k in range(1, 16)]
    parts = shown(frames, [], posed=range(1, 5))
    assert [[one.frame for one in part.frames] for part in parts] == [list(range(5, 11)), list(range(11, 16))]


def test_rooms_of_a_stretch_are_told_once_in_their_order():
    (stretch,) = shown([frame(k) for k in range(1, 8)], [], {1: "hall", 3: "hall", 4: "kitchen", 6: "hall"})
    assert stretch.rooms == ("hall", "kitchen", "hall")


ROOMS = (RoomSpan("s0", "hall", 2, 4, 1.0, None), RoomSpan("s1", "kitchen", 6, 9, 1.0, "hall"))


def test_stays_end_with_another_known_room():
    assert [room_at(ROOMS, k) for k in (1, 2, 4, 5, 6, 9, 10)] == [
        None,
        "hall",
        "hall",
        None,
        "kitchen",
        "kitchen",
        None,
    ]
    assert find_stays(ROOMS, [1, 2, 3, 5, 4, 6, 9]) == (("hall", 1, 4), ("kitchen", 5, 6))
    walk = Walk(tuple(range(10)), np.arange(10.0), np.zeros((10, 2)), np.zeros(10))
    way = WayGeometry(walk, 3, 8, 1.0, {}, ROOMS)
    assert way.stays == (("hall", Span(3, 4)), ("kitchen", Span(6, 8)))
    assert list(way.positions) == [3, 4, 5, 6, 7, 8]
    assert way.times.tolist() == [3, 4, 5, 6, 7, 8]


def test_directions_of_a_way_and_what_is_off_its_course():
    xy = np.column_stack([np.arange(8.0), np.zeros(8)])
    xy[5:] = xy[4]
    box = Obb((2.0, 2.0, 0.0), (0.2, 0.2, 0.2), AXES)
    thing = SceneObject("a", "0", None, "thing", None, None, box, (), (1,), False, "made")
    way = WayGeometry(Walk(tuple(range(8)), np.arange(8.0), xy, np.zeros(8)), 0, 7, 1.0, {"a": thing})
    assert way.directions[2].tolist() == [1.0, 0.0]
    assert np.isnan(way.directions[7]).all()
    assert way.off_course_deg("a")[[1, 2, 3, 7]].tolist() == pytest.approx([63.4349, 90.0, 116.5651, 0.0])


# Views


def thing(name: str = "0_0", box: Box = (0.0, 0.0, 10.0, 10.0), at=None, **more: Any) -> ViewThing:
    body = None if at is None else Body.of_box(Obb(at, (0.1, 0.1, 0.1), AXES))
    return ViewThing(name, "sofa", "sofa", None, box, 1.0, 0.6, body=body, **more)


@pytest.mark.parametrize(("off_deg", "is_outside"), [(54.0, False), (58.0, True), (-58.0, True), (170.0, True)])
def test_a_thing_ten_degrees_beyond_the_border_is_not_in_the_picture(off_deg, is_outside):
    """Half of the picture is 45 degrees wide, and the thing reaches half a degree to either side."""
    model: Any = SimpleNamespace(camera=CAMERA)
    away = np.radians(off_deg)
    far = thing(at=(20 * float(np.cos(away)), 20 * float(np.sin(away)), 0.0))
    assert _lie_outside(model, Pose(LEVEL, np.zeros(3)), [far, thing()]) == [is_outside, False]


def test_whose_middle_is_in_the_picture_is_expected():
    model: Any = SimpleNamespace(camera=CAMERA)
    pose = Pose(LEVEL, np.zeros(3))
    things = [
        thing("in", at=(3.0, 2.9, 0.0)),
        thing("beside", at=(3.0, 3.1, 0.0)),
        thing("behind", at=(-3.0, 0.0, 0.0)),
    ]
    assert _find_inside(model, pose, [*things, thing("nowhere")]) == {"in"}
    assert _find_inside(model, pose, [thing("nowhere")]) == frozenset()


@pytest.mark.parametrize(("width", "is_same"), [(5.1, True), (4.9, False)])
def test_a_detection_is_the_thing_that_it_overlaps_by_half(width, is_same):
    one = found(1, box=(0.0, 0.0, width, 10.0))
    assert _find_loose([one], [thing()]) == (() if is_same else (("sofa", 0.9, one.box_xyxy),))
    other = found(1, "bed", box=(0.0, 0.0, width, 10.0))
    assert len(_find_loose([other], [thing()])) == 1
    assert _find_loose([other], [thing(label="bed")]) == (() if is_same else (("bed", 0.9, other.box_xyxy),))


@pytest.mark.parametrize(
    ("label", "score", "width", "disputes"),
    [("bed", 0.6, 6.0, ("bed",)), ("bed", 0.59, 6.0, ()), ("bed", 0.6, 4.9, ()), ("sofa", 0.9, 6.0, ())],
)
def test_another_word_with_as_good_a_score_disputes_a_name(label, score, width, disputes):
    facts = ViewFacts("t", "0", 1, (200, 100), (thing(),), loose=((label, score, (0.0, 0.0, width, 10.0)),))
    assert facts.find_disputes(facts.things[0]) == disputes
    assert facts.find_disputes(thing(label="bench"))[:1] == ("bench",)
    assert facts.find_thing("0_0") is facts.things[0]
    assert facts.find_thing("9") is None
    assert facts.number_things(["a", "b"]).numbers == {0: "a", 1: "b"}
    assert facts.number_things(["a", "b"]).region_count == 2


def test_a_picture_without_a_pose_holds_the_better_of_two_in_one_place():
    at = [
        found(1, "bed", 0.5),
        found(1, "sofa", 0.8, (0.0, 0.0, 10.0, 7.1)),
        found(1, "lamp", 0.3, (50.0, 0.0, 60.0, 9.0)),
    ]
    scene: Any = SimpleNamespace(
        id="t", models=[SimpleNamespace(world_from_cam={2: None})], frames=[frame(1), frame(2), frame(3)]
    )
    room = FrameRoom(1, "hall", 0.7, "hall")
    (view,) = find_picture_views(scene, [*at, found(2)], frame_rooms=[room])
    assert (view.room, view.room_probability) == ("hall", 0.7)
    assert [(one.id, one.category) for one in view.things] == [("d1", "sofa"), ("d2", "lamp")]
    assert view.loose == (("bed", 0.5, (0.0, 0.0, 10.0, 10.0)),)
    assert view.looked_for == {"bed", "sofa", "lamp"}
    (few,) = find_picture_views(scene, at, most=1)
    assert [one.id for one in few.things] == ["d1"]
    apart = [found(1, "bed", 0.5), found(1, "sofa", 0.8, (0.0, 0.0, 10.0, 6.9))]
    (both,) = find_picture_views(scene, apart)
    assert (len(both.things), both.loose) == (2, ())


# Points


def test_parallax_of_a_point_is_that_of_its_widest_rays():
    """Two frames see the first point under 90 degrees, one sees the second."""
    tracks = SimpleNamespace(
        xyz=np.array([[0.0, 0.0, 1.0], [5.0, 5.0, 5.0], [9.0, 9.0, 9.0]]),
        obs_frame=np.array([1, 2, 2, 7]),
        obs_point=np.array([0, 0, 1, 0]),
        error_px=np.array([1.0, 0.1, 0.1]),
    )
    model: Any = SimpleNamespace(tracks=tracks, frames=(1, 2), centers=np.array([[-1.0, 0, 0], [1.0, 0, 0]]))
    assert triangulation_angles_deg(model).tolist() == pytest.approx([90.0, 0.0, 0.0])
    assert reliable_points(model, 1.0, 3, 90.0 - 1e-6).tolist() == [True, False, False]
    assert not reliable_points(model, 0.99, 3, 1.0).any()
    assert not reliable_points(model, 1.0, 4, 1.0).any()
    assert not reliable_points(model, 1.0, 1, 91.0).any()


def test_a_thing_in_line_with_the_walk_lies_to_the_right_by_convention():
    assert Passing(0.0, 1.0, np.zeros(1)).side == "right"
    assert Passing(0.01, 1.0, np.zeros(1)).side == "left"


def test_a_bearing_is_from_the_view_and_wraps():
    walk = Walk((1,), np.zeros(1), np.zeros((1, 2)), np.array([170.0]))
    box = Obb((-1.0, -1.0, 0.0), (0.1, 0.1, 0.1), AXES)
    along = ThingAlongWalk(walk, SceneObject("a", "0", None, "a", None, None, box, (), (), False, "made"), 2.0)
    assert along.bearing_deg.tolist() == pytest.approx([55.0])
    assert along.away.tolist() == [[-0.5, -0.5]]
    assert along.unseen_s.tolist() == [np.inf]
