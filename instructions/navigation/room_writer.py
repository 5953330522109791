"""Texts about rooms without a language model: which rooms a way leads through, and what is seen in them.

Each kind fills its own sentences and lists what they claim; the claims are looked for on the way before a text is
accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from instructions.claims.walk_bars import ClaimBars
from instructions.claims.walk_claims import check_claims
from instructions.facts.walk import find_stays, room_at
from instructions.navigation.grammar import Text
from instructions.navigation.grammar_writer import Draft, make_row
from instructions.navigation.records import Instruction, InstructionKind
from instructions.navigation.way.way_plans import PlanOptions, WayPlan, plan_ways
from instructions.records import Claim, ClaimCheck, RoomSpan, SceneObject, Side
from instructions.tour import Tour
from instructions.wording.english import join_list, with_article
from trajectories.records import Trajectory

_BARS = ClaimBars(side_m=float("inf"))
"""In a room a thing may be told on a side from across it."""
PER_ROOM = 3
"""Things named in one room: more would be a list."""
_SIDES: Mapping[Side, str] = {"left": "on the left", "middle": "ahead", "right": "on the right"}
_ORDER: tuple[Side, ...] = ("left", "middle", "right")


KINDS: tuple[InstructionKind, ...] = ("rooms", "room_objects", "room_objects_spatial", "room_objects_target")


@dataclass(frozen=True)
class _Stay:
    """A stay in a room on a way."""

    room: str
    first: int
    """The frame it begins with."""
    last: int
    things: tuple[tuple[str, int], ...]
    """Things of this room that are seen there, most salient first: id, and the first view that shows it."""
    sides: tuple[tuple[str, Side], ...]
    """Of such things in the view that shows most of them, from left to right."""
    view: int
    """That view."""

    def without(self, names: set[str]) -> _Stay:
        """The same with fewer things."""
        things = tuple(thing for thing in self.things if thing[0] not in names)
        return replace(self, things=things, sides=tuple(side for side in self.sides if side[0] not in names))


def write_room_texts(
    tour: Tour, trajectories: Sequence[Trajectory], options: PlanOptions = PlanOptions()
) -> list[Instruction]:
    """Write the kinds of description that name rooms.

    Args:
        tour: With its stays in known rooms; ways that begin or end in an unknown one get no text.
        trajectories: Walks, each in one model of the scene.
        options: How walks are cut.

    Returns:
        In time order per trajectory. A thing of which a text says something false is left out of it and kept in
        `dropped`; a text that is wrong without repair is kept with `accepted` False.
    """
    written: list[Instruction] = []
    rooms = tour.rooms
    for trajectory in trajectories if rooms else ():
        model = tour.find_model(trajectory.model, f"trajectory {trajectory.id}")
        things = {thing.id: thing for thing in tour.objects_of(model)}
        for plan in plan_ways(tour, trajectory, options):
            if None in [room_at(rooms, frame) for frame in plan.ends]:
                continue  # where it begins or ends is not known, so no way from room to room can be told
            measured = partial(check_claims, tour.scene, trajectory, tuple(things.values()), bars=_BARS, rooms=rooms)
            for kind in KINDS:
                draft = _tell_what_holds(kind, plan, _find_stays(plan, rooms, things), things, measured)
                if draft is not None:
                    written.append(make_row(tour, trajectory, plan, kind, draft))
    return written


def _tell_what_holds(
    kind: InstructionKind,
    plan: WayPlan,
    stays: Sequence[_Stay],
    things: Mapping[str, SceneObject],
    measured: Callable[[Sequence[Claim]], tuple[ClaimCheck, ...]],
) -> Draft | None:
    """Tell, and leave out the things of which it is false, until all that is told is true or no such thing is left."""
    dropped: tuple[ClaimCheck, ...] = ()
    while True:
        told = _tell(kind, plan, stays, things)
        if told is None:
            return None
        checks = measured(told.claims)
        false = {check.claim.object for check in checks if not check.true and check.claim.object is not None}
        left = [stay.without(false) for stay in stays]
        if left == list(stays):
            wrong = "; ".join(f"{check.claim.text!r}: {check.reason}" for check in checks if not check.true)
            return Draft(told, checks, dropped, "false_claim" if wrong else None, wrong or None)
        dropped += tuple(check for check in checks if not check.true)
        stays = left


def _find_stays(plan: WayPlan, rooms: Sequence[RoomSpan], things: Mapping[str, SceneObject]) -> list[_Stay]:
    """Rooms of a way in order, with what its views show of the things of each: through a door one sees others too.

    Things that only their room tells apart are left out: in a sentence about the room their names are not theirs alone.
    """
    frames = plan.walk.frames[plan.way.first : plan.way.last + 1]
    order = {
        one.id: row
        for row, one in enumerate(thing.along.thing for thing in plan.things)
        if one.category is not None and not one.alias.endswith(f" in the {one.room}")
    }
    stays = []
    for room, start, end in find_stays(rooms, frames):
        views = [view for view in plan.way.views if frames[start] <= view <= frames[end]]
        shown = [
            [one for one in plan.seen.get(view, ()) if one.object in order and things[one.object].room == room]
            for view in views
        ]
        first_seen = {one.object: view for view, seen in reversed(list(zip(views, shown, strict=True))) for one in seen}
        seen = sorted(first_seen.items(), key=lambda item: order[item[0]])
        view, best = max(zip(views, shown, strict=True), key=lambda one: len(one[1]), default=(frames[start], []))
        placed: list[tuple[str, Side]] = [(one.object, one.sides[0]) for one in best if len(one.sides) == 1]
        sides = tuple(sorted(placed, key=lambda one: _ORDER.index(one[1])))
        stays.append(_Stay(room, frames[start], frames[end], tuple(seen), sides, view))
    return stays


def _tell(
    kind: InstructionKind, plan: WayPlan, stays: Sequence[_Stay], things: Mapping[str, SceneObject]
) -> Text | None:
    """A text of a kind; None where the way has nothing for it."""
    rooms = [stay.room for stay in stays]
    if kind == "rooms":
        return Text(_tell_rooms(rooms), tuple(map(_in_room, stays))) if rooms else None
    told: set[str] = set()
    if kind in ("room_objects", "room_objects_spatial"):
        seen = [
            [
                _claim_thing(things[name], side, view, stay)
                for name, side, view in _fresh(_list_things(kind, stay), told)
            ]
            for stay in stays
        ]
        state = "visible" if kind == "room_objects" else ""
        text = _tell_things(rooms, [_list([claim.text for claim in claims], state) for claims in seen])
        claims = [_in_room(stays[0]), *seen[0]]
        for change, more in zip(_list_changes(stays), seen[1:], strict=True):
            claims += [*change, *more]
        return Text(text, tuple(claims)) if any(seen) else None
    end = plan.events[-1] if plan.events else None
    if end is None or end.object is None or end.kind not in ("stop_at", "see") or not rooms:
        return None
    words = f"{'in front of' if end.kind == 'stop_at' else 'facing'} {with_article(things[end.object].alias)}"
    last = Claim(end.kind, words, end.object, first_frame=end.first_frame, last_frame=end.last_frame)
    changes = [one for pair in _list_changes(stays) for one in pair] or [_in_room(stays[0])]
    return Text(f"{_tell_way(rooms)} It ends {words}.", (*changes, last))


def _in_room(stay: _Stay) -> Claim:
    return Claim("room", f"in the {stay.room}", room=stay.room, first_frame=stay.first, last_frame=stay.first)


def _list_changes(stays: Sequence[_Stay]) -> list[tuple[Claim, Claim]]:
    """For each change of room that it is left and the next one entered."""
    return [
        (
            Claim("exit", f"leaves the {old.room}", room=old.room, first_frame=old.last, last_frame=new.first),
            Claim("enter", f"enters the {new.room}", room=new.room, first_frame=new.first, last_frame=new.first),
        )
        for old, new in pairwise(stays)
    ]


def _list_things(kind: InstructionKind, stay: _Stay) -> Sequence[tuple[str, Side | None, int]]:
    """What a text may name of a stay: id, its side where the kind tells one, and the view that shows it."""
    if kind == "room_objects_spatial":
        return [(name, side, stay.view) for name, side in stay.sides]
    return [(name, None, view) for name, view in stay.things]


def _claim_thing(thing: SceneObject, side: Side | None, view: int, stay: _Stay) -> Claim:
    words = with_article(thing.alias)
    if side is None:
        return Claim("visible", words, thing.id, first_frame=stay.first, last_frame=view)
    kind, told = ("see", None) if side == "middle" else ("side", side)
    return Claim(kind, f"{words} {_SIDES[side]}", thing.id, told, first_frame=stay.first, last_frame=view)


def _fresh(named: Sequence[tuple[str, Side | None, int]], told: set[str]) -> list[tuple[str, Side | None, int]]:
    """The first that were not told before, as many as one tells of a room; they are told now."""
    fresh = [one for one in named if one[0] not in told][:PER_ROOM]
    told.update(name for name, *_ in fresh)
    return fresh


def _list(names: Sequence[str], state: str) -> str:
    """`a bed and two chairs are visible`; empty for none."""
    if not names:
        return ""
    joined = join_list(names)
    return f"{joined} {'is' if len(names) == 1 else 'are'} {state}" if state else f"there is {joined}"


def _tell_rooms(rooms: Sequence[str]) -> str:
    if len(rooms) == 1:
        return f"The camera stays in the {rooms[0]}."
    through = "".join(f", goes through the {room}" for room in rooms[1:-1])
    return f"The camera starts in the {rooms[0]}{through} and ends in the {rooms[-1]}."


def _tell_way(rooms: Sequence[str]) -> str:
    if len(rooms) == 1:
        return f"The camera is in the {rooms[0]}."
    changes = [f"leaves the {before} and enters the {after}" for before, after in pairwise(rooms)]
    return f"The camera {', then '.join(changes)}."


def _tell_things(rooms: Sequence[str], seen: Sequence[str]) -> str:
    """One sentence per stay: the room, how the camera comes into it, and what is there."""
    sentences = [f"In the {rooms[0]}, {seen[0]}." if seen[0] else f"The camera is in the {rooms[0]}."]
    for (before, after), things in zip(pairwise(rooms), seen[1:], strict=True):
        where = f", where {things}" if things else ""
        sentences.append(f"The camera leaves the {before} and enters the {after}{where}.")
    return " ".join(sentences)
