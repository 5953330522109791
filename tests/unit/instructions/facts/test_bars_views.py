"""What frames and views hold, by made detections: stretches without poses, rooms, what lies outside a picture."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from instructions.facts.seen import find_seen_stretches
from instructions.facts.tracks import reliable_points, triangulation_angles_deg
from instructions.facts.walk import find_stays, room_at
from instructions.records import Box, Detection, FrameRoom, RoomSpan
from instructions.tour import Tour
from instructions.view import View
from recon.records import Frame
from tests.support.worlds.box_rooms import Block, make_room


def frame(index: int, time_s: float | None = None, shot: int = 0) -> Frame:
    return Frame(index, index / 2 if time_s is None else time_s, f"{index}.jpg", 200, 100, 1.0, shot)


def found(index: int, label: str = "sofa", score: float = 0.9, box: Box = (0.0, 0.0, 10.0, 10.0)) -> Detection:
    return Detection(index, label, score, box, ("left",), (), None)


def shown(frames, detections, rooms=None, posed=()) -> list:
    return find_seen_stretches(frames, detections, rooms or {}, frozenset(posed))


def test_what_three_frames_of_a_stretch_show_surely_is_in_it():
    for frames, score, is_shown in ((2, 0.9, False), (3, 0.9, True), (6, 0.5, False), (6, 0.51, True)):
        seen = [found(k, score=score) for k in range(1, frames + 1)] + [found(1, score=score)]
        (stretch,) = shown([frame(k) for k in range(1, 7)], seen)
        assert bool(stretch.frames[0].things) is is_shown


def test_a_stretch_has_four_views_and_a_long_one_is_cut_into_even_parts():
    assert [len(shown([frame(k) for k in range(views)], [])) for views in (3, 4)] == [0, 1]
    for seconds, sizes in ((14.0, [15]), (14.1, [8, 7])):
        frames = [frame(k, at) for k, at in enumerate(np.linspace(0.0, seconds, 15))]
        assert [len(part.frames) for part in shown(frames, [])] == sizes


def test_poses_and_shots_part_stretches_and_rooms_are_told_once_in_their_order():
    frames = [frame(k, shot=int(k > 8)) for k in range(1, 21)]
    parts = shown(frames, [], posed=[15])
    assert [[one.frame for one in part.frames] for part in parts] == [
        list(range(1, 9)),
        list(range(9, 15)),
        list(range(16, 21)),
    ]
    (stretch,) = shown(frames[:8], [], {1: "hall", 3: "hall", 4: "kitchen", 6: "hall"})
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


# Views


def view_past(*blocks: Block, detections=()) -> View:
    """The view of a chair straight ahead, in a picture 77 degrees wide, of a room with these things out of view."""
    room = make_room((Block("chair", (4.0, 0.0, 1.5), (0.5, 0.5, 0.5)), *blocks))
    seen = [one for one in room.observations if one.object == "0_0"]
    return Tour(room.scene, room.objects, seen, detections).views(room.model)[0]


def test_a_thing_ten_degrees_beyond_the_border_is_not_in_the_picture():
    """The thing reaches half a degree to either side."""
    half_deg = np.degrees(np.arctan(320 / 400))
    for off_deg, is_outside in ((half_deg + 9, False), (half_deg + 12, True), (-half_deg - 12, True), (170, True)):
        x, y = 20 * np.cos(np.radians(off_deg)), 20 * np.sin(np.radians(off_deg))
        seen = view_past(Block("lamp", (float(x), float(y), 1.5), (0.2, 0.2, 0.2)))
        assert [one.id for one in seen.others] == ["0_1"]
        assert seen.elsewhere == ({"0_1"} if is_outside else set())


def test_what_would_show_24_pixels_within_eight_meters_is_expected():
    small = (0.2, 0.2, 0.2)
    places = ((3.0, 2.3, 1.5), (3.0, 2.45, 1.5), (-3.0, 0.0, 1.5))  # in it, an end of it in it, behind
    seen = view_past(*(Block("lamp", place, small) for place in places), Block("bed", (8.2, 0.0, 1.5), (0.9, 0.9, 0.9)))
    assert [one.id for one, _ in seen.expected] == ["0_1"]
    assert [one.words for one in seen.rivals] == ["lamp"]
    assert view_past().expected == ()


def test_a_thing_is_in_view_by_its_name_only_where_its_box_is_clear():
    room = make_room((Block("chair", (4.0, 0.0, 1.5), (0.5, 0.5, 0.5)),))
    for is_clear, category, is_shown in ((True, "chair", True), (False, "chair", False), (False, None, True)):
        things = [replace(one, category=category) for one in room.objects]
        seen = [replace(one, is_clear=is_clear) for one in room.observations]
        view = Tour(room.scene, things, seen, ()).views(room.model)[0]
        assert ([one.id for one in view.things], [one.id for one in view.others]) == (
            (["0_0"], []) if is_shown else ([], ["0_0"])
        )


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
    (picture,) = Tour(scene, detections=[*at, found(2)], frame_rooms=[room]).pictures()
    assert (picture.room, picture.room_probability) == ("hall", 0.7)
    assert [(one.id, one.category) for one in picture.things] == [("d1", "sofa"), ("d2", "lamp")]
    assert picture.loose == (at[0],)
    assert picture.looked_for == {"bed", "sofa", "lamp"}
    (few,) = Tour(scene, detections=at).pictures(most=1)
    assert [one.id for one in few.things] == ["d1"]
    apart = [found(1, "bed", 0.5), found(1, "sofa", 0.8, (0.0, 0.0, 10.0, 6.9))]
    (both,) = Tour(scene, detections=apart).pictures()
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
