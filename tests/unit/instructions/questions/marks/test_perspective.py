"""Marks seen from elsewhere: where a second picture was taken, and at a mark with another one ahead, by hand."""

from __future__ import annotations

from math import sqrt

import pytest

from instructions.questions.marks.families import MarkType
from instructions.questions.marks.perspective import TYPES
from tests.support.worlds.marked import Marked, look, make_marked

KINDS = {one.name: one for one in TYPES}
FAR = {f"far {k}": (8.0, -1.5 + k, 1.5 + 0.8 * (k % 2)) for k in range(4)}
"""Shown by both pictures, so that one is found from the other."""
PASSED = {
    "right": (3.0, -2.0, 1.2),
    "left": (3.0, 1.8, 1.2),
    "behind": (1.5, 0.3, 1.2),
    "ahead left": (5.0, 3.5, 2.6),
}
CAMERAS = [look(0.0, 0.0, 0.0), look(3.0, 0.0, 0.0)]
"""The second three metres on: a mark at (3, -2) is at its right hand."""
AROUND = {"near": (2.5, 0.0, 0.2), "ahead": (5.0, 0.0, 1.0), "side": (3.5, sqrt(3.0), 1.0)}
AROUND |= {"back": (1.5, -1.0, 0.6), "front": (4.5, -1.0, 1.6)}
SWAPPED = {"to your left": "to your right", "on your left": "on your right", "left": "right"}
SWAPPED |= {right: left for left, right in SWAPPED.items()}


@pytest.fixture(scope="module")
def walk() -> Marked:
    return make_marked(PASSED | FAR, CAMERAS)


@pytest.fixture(scope="module")
def room() -> Marked:
    return make_marked(AROUND, CAMERAS[:1])


def there(walk: Marked, name: str) -> dict[tuple[str, ...], str]:
    return {marks: one.truth for marks, one in walk.find(KINDS[name], (1, 2), 150).items()}


def here(room: Marked, name: str) -> dict[tuple[str, ...], str]:
    return {marks: one.truth for marks, one in room.find(KINDS[name], (1,), 120).items()}


def test_sides_from_where_the_second_picture_was_taken(walk):
    assert there(walk, "view_side") == {
        ("right",): "to your right",
        ("left",): "to your left",
        ("ahead left",): "to your left",
        ("behind",): "behind you",
    }
    assert there(walk, "view_turn") == {("right",): "right", ("left",): "left", ("ahead left",): "left"}


def test_only_a_mark_at_the_back_is_behind(walk):
    assert there(walk, "view_behind") == {("behind",): "yes", ("ahead left",): "no"}


def test_hours_from_there(walk):
    assert there(walk, "view_clock") == {("right",): "3", ("left",): "9", ("ahead left",): "10"}


def test_distances_from_there(walk):
    hand = {"right": sqrt(4.09), "left": sqrt(3.33), "behind": sqrt(2.43), "ahead left": sqrt(17.46)}
    told = {marks: float(truth) for marks, truth in there(walk, "view_distance").items()}
    assert told == pytest.approx({(name,): length for name, length in hand.items()}, abs=0.05)
    nearer = there(walk, "view_nearer_choice")
    assert nearer[("behind", "ahead left")] == "mark 1"
    assert nearer[("ahead left", "behind")] == "mark 2"
    assert ("behind", "left") not in nearer
    """1.56 and 1.82 m."""


def test_what_the_second_picture_shows_is_not_looked_for(walk):
    for name in ("view_side", "view_behind", "view_turn", "view_clock", "view_distance"):
        assert {marks[0] for marks in there(walk, name)} <= PASSED.keys()


def test_nothing_from_a_picture_that_shares_nothing(walk):
    alone = make_marked(PASSED, CAMERAS)
    assert not any(there(alone, name) for name in KINDS if name.startswith("view_"))


def test_sides_of_who_stands_at_a_mark(room):
    told = here(room, "facing_side")
    assert told[("near", "ahead", "side")] == "on your left"
    assert told[("ahead", "near", "side")] == "on your right"
    assert ("near", "ahead", "back") not in told
    """From the other end it lies 16 degrees off the way, so it has no twin."""


def test_front_and_back_of_who_stands_at_a_mark(room):
    told = here(room, "facing_front")
    assert told[("near", "ahead", "back")] == "behind you"
    assert told[("near", "ahead", "front")] == "in front of you"
    assert told[("near", "back", "side")] == "behind you"


def test_hours_of_who_stands_at_a_mark(room):
    assert here(room, "facing_clock")[("near", "ahead", "side")] == "10"


def test_nobody_stands_at_the_ceiling():
    high = AROUND | {"near": (2.5, 0.0, 2.3)}
    told = make_marked(high, CAMERAS[:1]).find(KINDS["facing_front"], (1,), 120)
    assert told
    assert all(marks[0] != "near" for marks in told)


def _find(kind: MarkType, **changed: object) -> dict[tuple[str, ...], str]:
    if kind.pictures == 2:
        return there(make_marked(PASSED | FAR, CAMERAS, **changed), kind.name)  # pyright: ignore[reportArgumentType]
    return here(make_marked(AROUND, CAMERAS[:1], **changed), kind.name)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("name", KINDS)
def test_turning_the_world_changes_nothing_and_scale_no_word(name):
    kind = KINDS[name]
    still = _find(kind, scale="relative")
    assert still
    for changed in (_find(kind, turn_deg=70.0, scale="relative"), _find(kind, times=5.0, scale="relative")):
        if kind.form == "number":
            factor = {marks: float(changed[marks]) / float(truth) for marks, truth in still.items()}
            assert len({round(one, 6) for one in factor.values()}) == 1
            assert kind.metric or next(iter(factor.values())) == pytest.approx(1.0)
        else:
            assert changed == still


@pytest.mark.parametrize("name", KINDS)
def test_a_mirror_swaps_left_and_right_and_nothing_else(name):
    kind = KINDS[name]
    still, mirrored = _find(kind), _find(kind, mirror=True)
    for marks in still.keys() & mirrored.keys():
        truth = still[marks]
        if kind.form == "number":
            assert float(mirrored[marks]) == pytest.approx(float(truth))
        elif name.endswith("clock"):
            assert (int(mirrored[marks]) + int(truth)) % 12 == 0
        else:
            assert mirrored[marks] == SWAPPED.get(truth, truth)
    assert still.keys() & mirrored.keys()
