"""Claims about a part of a walk, and about two things at once: frames beyond the part say nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest

from instructions.records import Claim, ClaimCheck, Obb, SceneObject
from instructions.truth.claims import check_claims
from tests.support.worlds.boxworld import make_world
from trajectories.records import TrajectoryPoint

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
WORLD = make_world((), (("walk", 0.5),), walls=())


def thing(name: str, x: float, y: float, seen=tuple(range(1, 10))) -> SceneObject:
    box = Obb((x, y, 0.0), (0.0, 0.0, 0.0), AXES)
    return SceneObject(name, "0", None, "thing", None, None, box, (), seen, False, "made")


def check(claims: list[Claim], things=(), xs=None, headings=None) -> tuple[ClaimCheck, ...]:
    """Verdicts on claims about a walk along +x, half a second between positions; frames count from 1."""
    xs = xs or [0.75 * number for number in range(9)]
    headings = headings or [0.0] * len(xs)
    points = tuple(
        TrajectoryPoint(number, 0.5 * number, (x, 0.0, 1.5), heading, 0.0)
        for number, (x, heading) in enumerate(zip(xs, headings, strict=True), start=1)
    )
    return check_claims(WORLD.scene, replace(WORLD.trajectory, points=points), list(things), claims)


def passes(
    name: str, side: Literal["left", "right"], text: str = "between the two", first: int = 1, last: int = 9
) -> Claim:
    return Claim("pass", text, name, side, None, first, last)


def test_between_is_true_of_two_things_on_either_hand():
    things = [thing("a", 3.0, 1.0), thing("b", 3.0, -1.0)]
    verdicts = check([passes("a", "left"), passes("b", "right")], things)
    assert [one.true for one in verdicts] == [True, True]


def test_between_one_thing_there_is_nothing():
    (verdict,) = check([passes("a", "left")], [thing("a", 3.0, 1.0)])
    assert (verdict.true, verdict.reason) == (False, "between is told of one thing only")
    (plain,) = check([passes("a", "left", "past it")], [thing("a", 3.0, 1.0)])
    assert plain.true


def test_between_three_things_is_not_between():
    things = [thing("a", 3.0, 1.0), thing("b", 3.0, -1.0), thing("c", 3.0, 1.2)]
    claims = [passes("a", "left"), passes("b", "right"), passes("c", "left")]
    assert [one.true for one in check(claims, things)] == [False] * 3


@pytest.mark.parametrize(
    ("place", "is_true"),
    [((3.0, -1.0), True), ((3.0, -1.9), True), ((3.0, -2.1), False)],
)
def test_two_things_that_are_wide_apart_leave_no_gap(place, is_true):
    """Together at most 3 m away."""
    verdicts = check([passes("a", "left"), passes("b", "right")], [thing("a", 3.0, 1.0), thing("b", *place)])
    assert [one.true for one in verdicts] == [is_true] * 2
    if not is_true:
        assert "the two are at most" in verdicts[0].reason


def test_a_gap_before_the_frames_told_does_not_count():
    things = [thing("a", 0.75, 1.0), thing("b", 0.75, -1.0)]
    assert not any(one.true for one in check([passes("a", "left", first=5), passes("b", "right", first=5)], things))


def test_a_gap_at_the_last_frame_told_counts():
    """Before it the two lie too narrowly ahead, and after it too narrowly behind."""
    things = [thing("a", 2.9, 1.0), thing("b", 2.9, -1.0)]
    xs = [0.0, 1.0, 2.0, 3.05, 4.0, 5.0]
    verdicts = check([passes("a", "left", last=4), passes("b", "right", last=4)], things, xs)
    assert [one.true for one in verdicts] == [True, True]


def test_between_is_a_word_of_passes():
    """Whatever else is told in these words is one claim of one thing."""
    walk = Claim("walk", "between the two", None, None, 0.0, 1, 9)
    leave = Claim("leave", "between the two", "a", None, None, 1, 9)
    assert [one.true for one in check([walk, leave], [thing("a", -1.0, 0.0)])] == [True, True]


def test_of_what_has_no_name_to_be_called_by_nothing_is_true():
    doubted = replace(thing("a", 3.0, 1.0), category="chair", categories=(("chair", 0.4), ("stool", 0.6)))
    (verdict,) = check([passes("a", "left", "past it")], [doubted])
    assert (verdict.true, verdict.reason) == (False, "is called chair by 40% of the evidence")


def test_a_claim_that_only_texts_make_is_not_true_by_itself():
    odd = replace(passes("a", "left", "past it"), kind="near")  # type: ignore[arg-type]
    (verdict,) = check([odd], [thing("a", 3.0, 1.0)])
    assert not verdict.true


def test_a_claim_that_ends_before_it_begins_is_false_and_of_one_frame_is_judged():
    (backwards,) = check([Claim("walk", "walk", None, None, 0.0, 5, 2)])
    assert (backwards.true, backwards.reason) == (False, "ends before it begins")
    (one,) = check([Claim("walk", "walk", None, None, 0.0, 5, 5)])
    assert one.true


def test_a_look_is_judged_by_its_own_frames():
    headings = [0.0, 0.0, 40.0, 40.0, 0.0, -80.0, -80.0, 0.0, 0.0]
    xs = [0.0] * 9
    look = Claim("look", "look left", None, "left", None, 2, 5)
    assert check([look], xs=xs, headings=headings)[0].true
    assert not check([replace(look, last_frame=6)], xs=xs, headings=headings)[0].true


def test_what_happens_before_what_was_told_before_it_is_false():
    things = [thing("a", 1.5, 1.0), thing("b", 4.5, 1.0)]
    first, later = passes("a", "left", "past a"), passes("b", "left", "past b")
    assert [one.true for one in check([first, later], things)] == [True, True]
    verdicts = check([later, first], things)
    assert [one.true for one in verdicts] == [True, False]
    assert "happens before what the text mentions before it" in verdicts[1].reason


def test_a_thing_and_frames_that_are_not_there_are_named():
    unknown, beyond = passes("z", "left", "past it"), passes("a", "left", "past it", last=10)
    reasons = [one.reason for one in check([unknown, beyond], [thing("a", 3.0, 1.0)])]
    assert reasons == ["no object z in this model", "frames 1 to 10 are not in this walk"]
