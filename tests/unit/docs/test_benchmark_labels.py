"""The labels of real tours (`benchmarks/labels/`): their shape, and that there are enough of them."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import ROOT

FOLDER = ROOT / "benchmarks" / "labels"
HEIGHTS = {"floor", "waist", "eye", "ceiling"}
WALKS = {"forward", "back", "side_left", "side_right", "standing", "curve_left", "curve_right"}
VIEWS = {"ahead", "turns_left", "turns_right"}
TOURS = {
    "office_walk": (1, 373),
    "home_walk": (0.0, 22.9),
    "office_loop": (1, 237),
    "corridor_square": (0.0, 7.3),
    "apartment_walk": (0.0, 4.2),
    "robot_lift_hall": (0.0, 8.5),
    "robot_workshop": (0.0, 12.3),
}
"""Those with labels of motion, and from where to where these go."""
THING_KEYS = {"id", "category", "also", "phrase", "ranges", "height", "over_40cm", "sure"}
STRETCH_KEYS = {
    "tour",
    "first",
    "last",
    "walk",
    "walk_also",
    "view",
    "turn_deg",
    "view_deg",
    "from_m",
    "to_m",
    "sure",
    "note",
}


def read(name: str) -> dict[str, Any]:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def check_spans(spans: list[tuple[float, float]], first: float, last: float) -> None:
    """Spans are inside the tour, in order and apart from each other; frame numbers are whole."""
    flat = [edge for span in spans for edge in span]
    assert spans
    assert flat[0] >= first
    assert flat[-1] <= last
    assert all(start <= end for start, end in spans)
    assert all(end < start for (_, end), (start, _) in itertools.pairwise(spans))
    if isinstance(first, int):
        assert all(isinstance(edge, int) for edge in flat)


def stretches(tour: str) -> Iterator[dict[str, Any]]:
    return (stretch for stretch in read("motion.json")["stretches"] if stretch["tour"] == tour)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*_things.json")), ids=lambda path: path.stem)
def test_things_and_rooms_have_one_shape(path: Path):
    labels = read(path.name)
    things = labels["things"]
    assert path.name == f"{labels['tour']}_things.json"
    assert labels["use"] in ("tune", "check")
    assert labels["frames_per_second"] > 0
    assert len({thing["id"] for thing in things}) == len(things)
    assert len({thing["phrase"] for thing in things}) == len(things)
    for thing in things:
        assert set(thing) - {"colors"} == THING_KEYS
        assert thing["category"]
        assert thing["category"] not in thing["also"]
        assert thing["height"] in HEIGHTS
        assert isinstance(thing["over_40cm"], bool)
        assert isinstance(thing["sure"], bool)
        check_spans([tuple(span) for span in thing["ranges"]], labels["first"], labels["last"])
    for room in labels["rooms"]:
        first, last = ("first", "last") if "first" in room else ("start_s", "end_s")
        assert labels["first"] <= room[first] <= room[last] <= labels["last"]
        assert room["room"]
        assert room["room"] not in room["also"]


def test_stretches_of_motion_have_one_shape(subtests: pytest.Subtests):
    for tour, at_least in (
        ("office_walk", 28),
        ("home_walk", 12),
        ("office_loop", 9),
        ("corridor_square", 4),
        ("apartment_walk", 4),
        ("robot_lift_hall", 3),
        ("robot_workshop", 4),
    ):
        with subtests.test(str(tour)):
            found = list(stretches(tour))
            assert len(found) >= at_least
            check_spans([(stretch["first"], stretch["last"]) for stretch in found], *TOURS[tour])
            for stretch in found:
                assert set(stretch) == STRETCH_KEYS
                assert stretch["walk"] in WALKS
                assert stretch["view"] in VIEWS
                assert set(stretch["walk_also"]) <= WALKS - {stretch["walk"]}
                assert stretch["note"]


def test_degrees_agree_with_the_words():
    """A walk or view that is said to go left has no degrees to the right; standing, the two numbers are one."""
    for stretch in read("motion.json")["stretches"]:
        turn, view = stretch["turn_deg"], stretch["view_deg"]
        if stretch["walk"] == "standing":
            assert turn == view
        if turn is not None and stretch["walk"].startswith("curve"):
            assert (turn > 0) == (stretch["walk"] == "curve_left")
        if view is not None and stretch["view"].startswith("turns"):
            assert (view > 0) == (stretch["view"] == "turns_left")
        if view is not None and stretch["view"] == "ahead":
            assert abs(view) <= 15


def test_no_stretch_is_of_another_tour_and_every_motion_occurs():
    found = read("motion.json")["stretches"]
    assert {stretch["tour"] for stretch in found} == set(TOURS)
    assert {stretch["walk"] for stretch in found} == WALKS
    assert {stretch["view"] for stretch in found} == VIEWS
