"""Frames without poses: what is told of them, and that nothing is which only poses could show."""

from instructions.facts.seen import MIN_FRAMES, find_seen_stretches
from instructions.navigation.way.frame_lines import describe_unposed_frames, describe_unposed_stretches
from instructions.records import Detection
from recon.records import Frame, Scene, SourceInfo

SOURCE = SourceInfo("home.mp4", "video", 640, 360, 10.0, 30, 3.0, "h264", 0, "0" * 64)


def scene():
    frames = tuple(Frame(k, k / 3, f"{k:06d}.jpg", 640, 360, 1.0, 0) for k in range(1, 13))
    return Scene("home", SOURCE, frames, (), ())


def box(frame, label, side, score=0.8, ranges=()):
    return Detection(frame, label, score, (0.0, 0.0, 9.0, 9.0), (side,), ranges, None)


SEEN = [
    *(box(frame, "sofa", "left") for frame in range(1, 6)),
    *(box(frame, "door", "right") for frame in range(7, 12)),
    box(3, "toilet", "middle"),  # a slip
    *(box(frame, "bed", "middle", 0.4) for frame in range(1, 12)),  # one detector alone
]
ROOMS = {**dict.fromkeys(range(1, 7), "living room"), **dict.fromkeys(range(7, 13), "hall")}


def stretch(rooms=ROOMS):
    (found,) = find_seen_stretches(scene().frames, SEEN, rooms, frozenset())
    return found


def test_the_view_is_described_by_rooms_and_sides_in_order():
    rows = describe_unposed_stretches(scene(), SEEN, ROOMS, "light")
    spatial = "In the living room there is a sofa on the left. In the hall there is a door on the right."
    assert [(row.kind, row.text, row.accepted) for row in rows] == [
        ("rooms", "The living room comes first, then the hall.", True),
        ("room_objects_spatial", spatial, True),
    ]
    assert all((row.model, row.trajectory, row.scale_status) == ("", "", "relative") for row in rows)
    assert (rows[0].views[0], rows[0].views[-1]) == (1, 12)
    (row,) = describe_unposed_stretches(scene(), SEEN, {}, "light")
    assert (row.kind, row.text) == ("description", "There is a sofa on the left, then a door on the right.")
    assert row.accepted


def test_lines_have_sides_and_ranges_where_depth_is_known():
    seen = [box(frame, "sofa", "left", ranges=("near",) if frame == 1 else ()) for frame in range(1, 6)]
    lines = describe_unposed_frames(scene(), seen, {1: "hall"})
    assert [line.text for line in lines[:2]] == [
        "Hall. To the left of the current spot: a sofa in the near distance.",
        "To the left of the current spot: a sofa.",
    ]
    assert [line.frame for line in lines] == [1, 2, 3, 4, 5]


def test_what_does_not_last_is_not_told():
    for count, is_told in ((MIN_FRAMES - 1, False), (MIN_FRAMES, True)):
        seen = [box(frame, "sofa", "left") for frame in range(1, count + 1)]
        assert bool(describe_unposed_stretches(scene(), seen, {}, "light")) == is_told
