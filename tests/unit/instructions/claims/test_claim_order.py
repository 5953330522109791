"""Claims about a part of a walk, and about two things at once: frames beyond the part say nothing."""

from dataclasses import replace
from typing import Literal

from instructions.claims.walk_claims import check_claims
from instructions.records import Claim, ClaimCheck, Obb, RoomSpan, SceneObject
from tests.support.worlds.boxworld import make_world
from trajectories.records import TrajectoryPoint

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
WORLD = make_world((), (("walk", 0.5),), walls=())


def thing(name: str, x: float, y: float, seen=tuple(range(1, 10))) -> SceneObject:
    box = Obb((x, y, 0.0), (0.0, 0.0, 0.0), AXES)
    return SceneObject(name, "0", None, "thing", None, None, box, (), seen, False, "made")


def check(claims: list[Claim], things=(), xs=None, headings=None, **known) -> tuple[ClaimCheck, ...]:
    """Verdicts on claims about a walk along +x, half a second between positions; frames count from 1."""
    xs = xs or [0.75 * number for number in range(9)]
    headings = headings or [0.0] * len(xs)
    points = tuple(
        TrajectoryPoint(number, 0.5 * number, (x, 0.0, 1.5), heading, 0.0)
        for number, (x, heading) in enumerate(zip(xs, headings, strict=True), start=1)
    )
    return check_claims(WORLD.scene, replace(WORLD.trajectory, points=points), list(things), claims, **known)


def passes(
    name: str, side: Literal["left", "right"], text: str = "between the two", first: int = 1, last: int = 9
) -> Claim:
    return Claim("pass", text, name, side, None, first, last)


A, B = thing("a", 3.0, 1.0), thing("b", 3.0, -1.0)


def test_what_cannot_be_judged_is_false_with_the_reason():
    past = passes("a", "left", "past it")
    told = {
        "no object z in this model": check([passes("z", "left", "past it")], [A]),
        "frames 1 to 10 are not in this walk": check([replace(past, last_frame=10)], [A]),
        "ends before it begins": check([Claim("walk", "walk", None, None, 0.0, 5, 2)]),
    }
    assert {reason: [(one.true, one.reason) for one in verdicts] for reason, verdicts in told.items()} == {
        reason: [(False, reason)] for reason in told
    }
    assert check([Claim("walk", "walk", None, None, 0.0, 5, 5)])[0].true, "of one frame"
    assert not check([past], [replace(A, frames=())])[0].true, "nobody saw it"


def test_rooms_sides_and_ranges_are_judged_where_they_are_told():
    rooms = (RoomSpan("s0", "hall", 1, 4, 0.9, None), RoomSpan("s1", "kitchen", 5, 9, 0.9, "hall"))
    places = [Claim("room", "in", first_frame=at, last_frame=at, room="hall") for at in (2, 8)]
    places += [Claim("enter", "in", first_frame=at, last_frame=at, room="kitchen") for at in (5, 9)]
    places += [Claim("exit", "out of", first_frame=at, last_frame=at, room="hall") for at in (5, 9)]
    assert [check([one], rooms=rooms)[0].true for one in places] == [True, False, True, False, True, False]
    assert not any(check([one])[0].true for one in places)
    sides = [Claim("side", "with it", "a", side, first_frame=2, last_frame=2) for side in ("left", "right")]
    assert [check([one], [A])[0].true for one in sides] == [True, False]
    ahead = thing("a", 3.0, 0.0)
    ranges = [Claim("see", "facing", "a", first_frame=1, last_frame=1, range=told) for told in ("near", "further")]
    measured = {"a": {1: ("closer", "further")}}
    assert [check([one], [ahead], ranges=measured)[0].true for one in ranges] == [False, True]
    assert not any(check([one], [ahead])[0].true for one in ranges)


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
