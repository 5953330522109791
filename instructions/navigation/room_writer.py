"""Texts about rooms without a language model: which rooms a way leads through, and what is seen in them.

Each kind fills its own sentences; what it says is read back and compared with the geometry before it is accepted, as
the texts of a language model are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from instructions.facts.way import WayGeometry, find_stays, room_at
from instructions.navigation.grammar_writer import WRITER
from instructions.navigation.reasons import list_claims
from instructions.navigation.records import KIND, Instruction, InstructionKind
from instructions.navigation.way_plans import PlanOptions, WayPlan, plan_ways
from instructions.records import ClaimCheck, RoomSpan, SceneObject, Side
from instructions.rows import name_perception, row_id
from instructions.tour import Tour
from instructions.truth.check import TextCheck, check_text
from instructions.wording.english import with_article
from recon.records import SceneModel
from trajectories.records import Trajectory

PER_ROOM = 3
"""Things named in one room: more would be a list."""
_SIDES: Mapping[Side, str] = {"left": "on the left", "middle": "ahead", "right": "on the right"}
_ORDER: tuple[Side, ...] = ("left", "middle", "right")


KINDS: tuple[InstructionKind, ...] = ("rooms", "room_objects", "room_objects_spatial", "room_objects_target")


@dataclass(frozen=True)
class _Stay:
    """A stay in a room on a way."""

    room: str
    things: tuple[str, ...]
    """Ids of things of this room that are seen there, most salient first."""
    sides: tuple[tuple[str, Side], ...]
    """Of such things in the view that shows most of them, from left to right."""

    def without(self, names: set[str]) -> _Stay:
        """The same with fewer things."""
        things = tuple(name for name in self.things if name not in names)
        return replace(self, things=things, sides=tuple(one for one in self.sides if one[0] not in names))


@dataclass(frozen=True)
class _Told:
    text: str
    destination: str | None = None
    """What the text has to name."""


@dataclass(frozen=True)
class _Draft:
    text: str
    checked: TextCheck
    named: tuple[str, ...]
    claims: tuple[ClaimCheck, ...]
    dropped: tuple[ClaimCheck, ...]


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
            geometry = WayGeometry(plan.walk, plan.way.first, plan.way.last, plan.metre, things, tuple(rooms))
            for kind in KINDS:
                draft = _tell_what_holds(kind, plan, _find_stays(plan, rooms, things), things, geometry)
                if draft is not None:
                    written.append(_row(tour, trajectory, model, plan, kind, draft))
    return written


def _tell_what_holds(
    kind: InstructionKind,
    plan: WayPlan,
    stays: Sequence[_Stay],
    things: Mapping[str, SceneObject],
    geometry: WayGeometry,
) -> _Draft | None:
    """Tell, and leave out the things of which it is false, until all that is told is true or no such thing is left."""
    dropped: tuple[ClaimCheck, ...] = ()
    while True:
        told = _tell(kind, plan, stays, things)
        if told is None:
            return None
        checked = check_text(told.text, geometry, must_tell_turns=False)
        named = tuple(dict.fromkeys(one.told.things[0] for one in checked.checks if one.told.things))
        claims = list_claims(checked, plan.walk.frames)
        false = {name for one in checked.checks if not one.true for name in one.told.things}
        left = [stay.without(false) for stay in stays]
        if left == list(stays):
            if told.destination not in (None, *named):
                return None  # the reader takes its name for another thing
            return _Draft(told.text, checked, named, claims, dropped)
        dropped += tuple(claim for claim in claims if not claim.true)
        stays = left


def _row(
    tour: Tour, trajectory: Trajectory, model: SceneModel, plan: WayPlan, kind: InstructionKind, draft: _Draft
) -> Instruction:
    return Instruction(
        id=row_id(tour.seed, tour.id, KIND, WRITER, trajectory.id, *plan.ends, kind, 0),
        tour=tour.id,
        model=trajectory.model,
        views=plan.way.views,
        scale_status=model.scale.status,
        claims=draft.claims,
        perception=name_perception(tour.objects_of(model)),
        writer=WRITER,
        seed=tour.seed,
        accepted=draft.checked.fault is None,
        rejected_because=draft.checked.fault,
        rejection=draft.checked.false_because,
        trajectory=trajectory.id,
        kind=kind,
        text=draft.text,
        objects=draft.named,
        spatial_lines=plan.lines,
        dropped=draft.dropped,
    )


def _find_stays(plan: WayPlan, rooms: Sequence[RoomSpan], things: Mapping[str, SceneObject]) -> list[_Stay]:
    """Rooms of a way in order, with what its views show of the things of each: through a door one sees others too.

    Things that only their room tells apart are left out: in a sentence about the room their names are not theirs alone.
    """
    frames = plan.walk.frames[plan.way.first : plan.way.last + 1]
    order = {
        one.thing.id: row
        for row, one in enumerate(plan.candidates)
        if one.thing.category is not None and not one.thing.alias.endswith(f" in the {one.thing.room}")
    }
    stays = []
    for room, start, end in find_stays(rooms, frames):
        views = [view for view in plan.way.views if frames[start] <= view <= frames[end]]
        shown = [
            [one for one in plan.seen.get(view, ()) if one.object in order and things[one.object].room == room]
            for view in views
        ]
        seen = sorted({one.object for view in shown for one in view}, key=lambda thing: order[thing])
        best = max(shown, key=len, default=[])
        placed: list[tuple[str, Side]] = [(one.object, one.sides[0]) for one in best if len(one.sides) == 1]
        stays.append(_Stay(room, tuple(seen), tuple(sorted(placed, key=lambda one: _ORDER.index(one[1])))))
    return stays


def _tell(
    kind: InstructionKind, plan: WayPlan, stays: Sequence[_Stay], things: Mapping[str, SceneObject]
) -> _Told | None:
    """A text of a kind; None where the way has nothing for it."""
    rooms = [stay.room for stay in stays]
    if kind == "rooms":
        return _Told(_tell_rooms(rooms)) if rooms else None
    told: set[str] = set()
    if kind == "room_objects":
        seen = [[with_article(things[one].alias) for one in _fresh(stay.things, told)] for stay in stays]
        return _Told(_tell_things(rooms, [_list(names, "visible") for names in seen])) if any(seen) else None
    if kind == "room_objects_spatial":
        sides = [dict(stay.sides) for stay in stays]
        placed = [
            [f"{with_article(things[one].alias)} {_SIDES[side[one]]}" for one in _fresh(list(side), told)]
            for stay, side in zip(stays, sides, strict=True)
        ]
        return _Told(_tell_things(rooms, [_list(names, "") for names in placed])) if any(placed) else None
    end = plan.events[-1] if plan.events else None
    if end is None or end.object is None or end.kind not in ("stop_at", "see") or not rooms:
        return None
    name = with_article(things[end.object].alias)
    ending = f"It ends {'in front of' if end.kind == 'stop_at' else 'facing'} {name}."
    return _Told(f"{_tell_way(rooms)} {ending}", end.object)


def _fresh(names: Sequence[str], told: set[str]) -> list[str]:
    """The first that were not told before, as many as one tells of a room; they are told now."""
    fresh = [name for name in names if name not in told][:PER_ROOM]
    told.update(fresh)
    return fresh


def _list(names: Sequence[str], state: str) -> str:
    """`a bed and two chairs are visible`; empty for none."""
    if not names:
        return ""
    joined = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
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
