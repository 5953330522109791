"""What the feet and the view do on a way, as events to tell: walks to one side of the view, turns, and looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from instructions.navigation.motion import Going, Motion
from instructions.navigation.turns import MOST_TOLD_DEG, Turn
from instructions.records import ClaimKind, Side

_LEAST_M: dict[Going, float] = {"forward": 0.7, "back": 0.8, "left": 1.2, "right": 1.2}
"""Shorter walks are the shifting of feet; a person who is told to go sideways expects more than a step."""
_ANGLE_DEG: dict[Going, float] = {"forward": 0.0, "left": 90.0, "back": 180.0, "right": -90.0}
_LEAST_TOLD_DEG = 30.0
_LOOK_SHARE = 0.4
"""A turn of the view while the direction of travel changes by at most this share of it is a look."""
_PAUSE_SHARE = 0.3
"""Two walks one way with a rest between them that takes at most this share of the time are one."""


@dataclass(frozen=True)
class Event:
    """One thing that happens between two frames of a way; becomes one clause and one claim."""

    kind: ClaimKind
    first_frame: int
    last_frame: int
    object: str | None = None
    side: Side | None = None
    angle_deg: float | None = None
    """Of a turn or look: left positive. Of a walk: walking direction relative to the view, 0 is forward."""


def find_walks(motion: Motion, first: int, last: int) -> list[Event]:
    """The walks between two positions without a turn in between; nothing where one hardly goes anywhere."""
    walk = motion.walk
    found: list[tuple[int, int, Going]] = []
    for one in motion.find_stretches(first, last) if last > first else []:
        if one.going == "stand" or motion.measure_path(one.first, one.last) < _LEAST_M[one.going]:
            continue
        if found and found[-1][2] == one.going:
            start, before, _ = found[-1]
            rest_s = walk.time_s[one.first] - walk.time_s[before]
            if rest_s <= _PAUSE_SHARE * (walk.time_s[one.last] - walk.time_s[start]):
                found[-1] = (start, one.last, one.going)
                continue
        found.append((one.first, one.last, one.going))
    return [Event("walk", walk.frames[a], walk.frames[b], angle_deg=_ANGLE_DEG[going]) for a, b, going in found]


def turn_claim(angle_deg: float) -> tuple[Side | None, float]:
    """Side and rounded angle of a turn as it is worded: no side for a turn around (150 to 210 degrees)."""
    angle = round(angle_deg / 15.0) * 15.0
    if 150.0 < abs(angle_deg) < 210.0:
        return None, 180.0
    return ("left" if angle_deg > 0 else "right"), angle


def tell_turn(motion: Motion, turn: Turn) -> Event:
    """A turn of the walk, or a look: the view turns while the feet go on as before."""
    frames = motion.walk.frames
    if _is_look(motion, turn):
        angle = round(turn.angle_deg / 15.0) * 15.0
        side: Side = "left" if turn.angle_deg > 0 else "right"
        return Event("look", frames[turn.first], frames[turn.last], side=side, angle_deg=angle)
    told, angle = turn_claim(turn.angle_deg)
    return Event("turn", frames[turn.first], frames[turn.last], side=told, angle_deg=angle)


def _is_look(motion: Motion, turn: Turn) -> bool:
    if any(motion.going[index] == "stand" for index in range(turn.first, turn.last + 1)):
        return False
    turned = motion.measure_course_turn_deg(turn.first, turn.last)
    return turned is not None and abs(turned) <= _LOOK_SHARE * abs(turn.angle_deg)


def join_turns(motion: Motion, events: Sequence[Event]) -> list[Event]:
    """Turns to one side with no walk between them become one, so that no text says `turn left, turn left`."""
    out: list[Event] = []
    for event in events:
        before = out[-1] if out else None
        if event.kind == "turn" and before is not None and before.kind == "turn":
            first, last = motion.walk.index_of[before.first_frame], motion.walk.index_of[event.last_frame]
            joined = Turn(first, last, float(motion.facing_deg[last] - motion.facing_deg[first]))
            parts = (before.angle_deg or 0.0, event.angle_deg or 0.0)
            is_one_sense = abs(joined.angle_deg) > max(map(abs, parts)) and abs(joined.angle_deg) <= MOST_TOLD_DEG
            if is_one_sense:
                out[-1] = tell_turn(motion, joined)
                continue
        out.append(event)
    return [
        event for event in out if event.kind not in ("turn", "look") or abs(event.angle_deg or 0) >= _LEAST_TOLD_DEG
    ]
