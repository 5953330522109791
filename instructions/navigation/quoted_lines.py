"""The frames' lines as data for a prompt: what is where in each view, in order of time, within a budget of characters.

A long way has more views than a prompt should hold and than a model can keep apart. A view that shows what the one
before it showed is left out; of the rest, the view that tells least new goes first until the budget holds.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

from instructions.facts.placing import SIDES
from instructions.facts.way import room_at
from instructions.language.quoting import name
from instructions.navigation.frame_lines import add_ranges
from instructions.records import Observation, RoomSpan, SceneObject

LINES_CHARS = 1800
"""Budget of all lines of one question, as JSON: about 600 tokens, a third of a prompt with its rules and examples."""
PER_SIDE = 4
"""Nearest things told of one side of a view; more is a list, which the prompts forbid."""

Line = dict[str, object]


def quote_lines(
    views: Sequence[int],
    seen: Mapping[int, Sequence[Observation]],
    objects: Mapping[str, SceneObject],
    rooms: Sequence[RoomSpan],
    things: Collection[str],
    most_chars: int = LINES_CHARS,
) -> list[Line]:
    """The lines of a way.

    Args:
        views: Frames in time order.
        seen: Observations by frame.
        objects: By id.
        rooms: Stays in rooms; a view outside all of them has no room.
        things: Ids that may be named.
        most_chars: Budget as JSON.

    Returns:
        One dictionary per view that is kept: `room`, then `left`, `middle` and `right` with names and their ranges
        in words (`oak desk in the near distance`), nearest first; what is empty or unknown is left out. Every string
        from outside has gone through `name`.
    """
    lines: list[Line] = []
    for frame in views:
        line = _line(seen.get(frame, ()), objects, room_at(rooms, frame), things)
        if line and (not lines or line != lines[-1]):
            lines.append(line)
    while len(lines) > 1 and len(json.dumps(lines, ensure_ascii=False)) > most_chars:
        least = min(range(1, len(lines)), key=lambda at: (_count_new(lines[at - 1], lines[at]), at))
        del lines[least]
    return lines


def _line(
    seen: Sequence[Observation], objects: Mapping[str, SceneObject], room: str | None, things: Collection[str]
) -> Line:
    line: Line = {} if room is None else {"room": name(room)}
    known = [one for one in seen if one.object in things and one.object in objects]
    for side in SIDES:
        here = sorted((one for one in known if side in one.sides), key=lambda one: (one.depth, one.object))
        if here:
            line[side] = [add_ranges(name(objects[one.object].alias), one.ranges) for one in here[:PER_SIDE]]
    return line


def _count_new(before: Line, line: Line) -> int:
    """How many entries of a line the one before does not have."""
    return len(_entries(line) - _entries(before))


def _entries(line: Line) -> set[tuple[str, str]]:
    return {(key, str(one)) for key, value in line.items() for one in (value if isinstance(value, list) else [value])}
