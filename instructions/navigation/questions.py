"""From the facts of a way to the questions about it: one task per kind of text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from instructions.facts.way import find_stays, room_at
from instructions.language import prompts
from instructions.language.model import Message
from instructions.language.quoting import name
from instructions.language.requests import Request
from instructions.navigation.legs import Event
from instructions.navigation.quoted_lines import quote_lines
from instructions.navigation.records import InstructionKind
from instructions.navigation.schemas import Texts
from instructions.navigation.way_plans import WayPlan
from instructions.records import RoomSpan, SceneObject, Side

MAX_THINGS = 24
PER_ROOM = 4
TEXT_TOKENS = 60
"""A text of two sentences with its share of the JSON around it."""


@dataclass(frozen=True)
class Task:
    """One kind of text."""

    kind: InstructionKind
    needs_rooms: bool = False
    needs_destination: bool = False
    tells_turns: bool = False
    """A text that leaves a turn out is false."""
    shows_lines: bool = True
    """The lines of the frames are part of the question."""

    @property
    def prompt(self) -> prompts.Prompt:
        """The task's prompt file."""
        return prompts.load("instructions.navigation", self.kind)


TASKS: tuple[Task, ...] = (
    Task("description", tells_turns=True),
    Task("instruction", tells_turns=True),
    Task("rooms", needs_rooms=True, shows_lines=False),
    Task("room_objects", needs_rooms=True),
    Task("room_objects_spatial", needs_rooms=True),
    Task("room_objects_target", needs_rooms=True, needs_destination=True),
)
PLAIN_KINDS = ("description", "instruction")


@dataclass(frozen=True, eq=False)
class Question:
    """One question to the model, with what its texts will be about."""

    task: Task
    plan: WayPlan
    request: Request[Texts]
    destination: str | None
    """Id of the thing the way ends at, where the task asks for it."""


def questions_of(
    way_id: str,
    plan: WayPlan,
    objects: Mapping[str, SceneObject],
    rooms: Sequence[RoomSpan],
    *,
    wordings: int,
    enriched: bool,
    seed: int = 0,
) -> Iterator[Question]:
    """Questions about one way.

    Args:
        way_id: Unique in the tour; the requests' ids begin with it.
        plan: The way.
        objects: By id.
        rooms: Stays in rooms; without any on the way, kinds that need rooms are left out.
        wordings: Texts per kind.
        enriched: Also the kinds beyond description and instruction.
        seed: Another one asks for other texts.

    Yields:
        One question per kind that the way's facts suffice for; none for a way without events.
    """
    if not plan.events:
        return
    stays = room_stays(plan, rooms)
    end = plan.events[-1]
    destination = end.object if end.kind in ("stop_at", "see") else None
    for task in TASKS:
        if (task.needs_rooms and not stays) or (task.needs_destination and destination is None):
            continue
        if task.kind not in PLAIN_KINDS and not enriched:
            continue
        target = destination if task.kind in ("instruction", "room_objects_target") else None
        data = _data(task, plan, objects, rooms, stays, target, wordings)
        asked = "The data of the way, as JSON:\n" + json.dumps(data, ensure_ascii=False)
        messages = (Message("system", task.prompt.text), Message("user", asked))
        request = Request(f"{way_id}_{task.kind}", messages, Texts, seed=seed, likely_tokens=wordings * TEXT_TOKENS)
        yield Question(task, plan, request, target)


def room_stays(plan: WayPlan, rooms: Sequence[RoomSpan]) -> list[tuple[str, int]]:
    """Rooms of a way in order, each with the frame of the way it begins at."""
    frames = plan.walk.frames[plan.way.first : plan.way.last + 1]
    return [(room, frames[start]) for room, start, _ in find_stays(rooms, frames)]


def _data(
    task: Task,
    plan: WayPlan,
    objects: Mapping[str, SceneObject],
    rooms: Sequence[RoomSpan],
    stays: Sequence[tuple[str, int]],
    destination: str | None,
    wordings: int,
) -> dict[str, object]:
    """What the model is given. Every string from outside goes through `name`."""
    used = [event.object for event in plan.events if event.object is not None]
    used += [one.thing.id for one in plan.candidates]
    things = list(dict.fromkeys(used))[:MAX_THINGS]
    data: dict[str, object] = {"number_of_texts": wordings}
    if task.kind in ("instruction", "room_objects_target"):
        data["destination"] = name(objects[destination].alias) if destination is not None else None
    data["rooms"] = [name(room) for room, _ in stays]
    data["things"] = [] if task.kind == "rooms" else [name(objects[thing].alias) for thing in things]
    if task.kind == "room_objects":
        data["room_things"] = _room_things(plan, objects, rooms, stays, things)
    events: list[tuple[float, dict[str, object]]] = []
    if task.kind != "rooms":
        events = [(_moment(event), _describe_event(event, objects)) for event in plan.events]
    for (before, _), (room, frame) in pairwise(stays):
        events.append((frame - 0.5, {"event": "exit", "room": name(before)}))
        events.append((frame - 0.4, {"event": "enter", "room": name(room)}))
    if task.kind != "rooms":
        events = _merge_room_changes(events, len(plan.events))
    data["events"] = [told for _, told in events]
    data["lines"] = quote_lines(plan.way.views, plan.seen, objects, rooms, set(things)) if task.shows_lines else []
    return data


def _moment(event: Event) -> float:
    late = event.kind in ("approach", "stop_at", "see")
    return float(event.last_frame) if late else 0.5 * (event.first_frame + event.last_frame)


def _merge_room_changes(
    events: list[tuple[float, dict[str, object]]], count: int
) -> list[tuple[float, dict[str, object]]]:
    """Room changes between the events they happen between; the events' own order is kept."""
    merged = events[:count]
    for change in events[count:]:
        later = (i for i, (moment, told) in enumerate(merged) if moment > change[0] and "room" not in told)
        merged.insert(next(later, len(merged)), change)
    return merged


def _describe_event(event: Event, objects: Mapping[str, SceneObject]) -> dict[str, object]:
    told: dict[str, object] = {"event": event.kind}
    if event.kind == "walk":
        angle = event.angle_deg or 0.0
        told["direction"] = "forward" if not angle else "backwards" if abs(angle) == 180.0 else _side(angle)
    elif event.kind in ("turn", "look"):
        told["event"] = "turn"  # the prompts know no looks; a look and the turn back are two turns to the check
        told["side"], told["size"] = event.side, _size(event)
    elif event.object is not None:
        told["thing"] = name(objects[event.object].alias)
        if event.side is not None:
            told["side"] = event.side
    return told


def _side(angle_deg: float) -> Side:
    return "left" if angle_deg > 0 else "right"


def _size(turn: Event) -> str:
    angle = abs(turn.angle_deg or 0.0)
    if turn.side is None:
        return "around"
    if angle >= 210.0:
        return "three quarters of a circle"
    return "slight" if angle < 60.0 else "normal" if angle <= 120.0 else "sharp"


def _room_things(
    plan: WayPlan,
    objects: Mapping[str, SceneObject],
    rooms: Sequence[RoomSpan],
    stays: Sequence[tuple[str, int]],
    things: Sequence[str],
) -> list[dict[str, object]]:
    found: dict[str, list[str]] = {room: [] for room, _ in stays}
    for frame, seen in plan.seen.items():
        room = room_at(rooms, frame)
        for one in seen:
            if room in found and one.object in things and one.object not in found[room]:
                found[room].append(one.object)
    return [
        {"room": name(room), "things": [name(objects[thing].alias) for thing in seen[:PER_ROOM]]}
        for room, seen in found.items()
    ]
