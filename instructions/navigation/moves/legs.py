"""What feet and view do on a way, as events to tell: walks to one side of the view and how far, turns, and looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from instructions.facts.walk import measure_turn_back
from instructions.navigation.moves.motion import Going, Motion
from instructions.navigation.moves.turns import MOST_TOLD_DEG, Turn
from instructions.records import ClaimKind, Range, Side
from recon.geometry import Array
from recon.records import Scale

LEAST_M: dict[Going, float] = {"forward": 0.7, "back": 0.8, "left": 1.2, "right": 1.2}
"""Shorter walks are the shifting of feet; a person who is told to go sideways expects more than a step."""
_ANGLE_DEG: dict[Going, float] = {"forward": 0.0, "left": 90.0, "back": 180.0, "right": -90.0}
_LEAST_TOLD_DEG = 30.0
_BEND_DEG, _BEND_M = 60.0, 2.5
"""A slight turn on so long a way (nominal metres) is a bend of it, and what one walks by there is told."""
_PAUSE_SHARE = 0.3
"""Two walks one way with a rest between them that takes at most this share of the time are one."""


Part = Literal["start", "turn", "leg", "end"]
"""What a place is told for: where a way starts or ends, and where a turn or look, or a leg of walking, leads to."""


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
    range: Range | None = None
    """How far a thing is there, by the rules of frame lines; None where it is not told."""
    room: str | None = None
    length_m: float | None = None
    """Of a length, whole metres; None for a few steps."""
    part: Part | None = None
    """Of what is told of a place: of which one."""
    is_many: bool = False
    """Of an approach: others of its name stand beside it, and all of them are walked up to."""


def find_walks(motion: Motion, first: int, last: int) -> list[Event]:
    """The walks between two positions without a turn in between; nothing where one hardly goes anywhere."""
    walk = motion.walk
    found: list[tuple[int, int, Going]] = []
    for stretch in motion.find_stretches(first, last) if last > first else []:
        if stretch.going == "stand" or motion.measure_path(stretch.first, stretch.last) < LEAST_M[stretch.going]:
            continue
        if found and found[-1][2] == stretch.going:
            start, end, _ = found[-1]
            if _is_one_walk(walk.time_s, start, end, stretch.first, stretch.last):
                found[-1] = (start, stretch.last, stretch.going)
                continue
        found.append((stretch.first, stretch.last, stretch.going))
    return [Event("walk", walk.frames[a], walk.frames[b], angle_deg=_ANGLE_DEG[going]) for a, b, going in found]


def _is_one_walk(time_s: Array, first: int, last: int, next_first: int, next_last: int) -> bool:
    """Whether the rest between two walks one way is short beside them."""
    return bool(time_s[next_first] - time_s[last] <= _PAUSE_SHARE * (time_s[next_last] - time_s[first]))


def turn_claim(angle_deg: float) -> tuple[Side | None, float]:
    """Side and rounded angle of a turn as it is worded: no side for a turn around (150 to 220 degrees)."""
    angle = round(angle_deg / 15.0) * 15.0
    if 150.0 < abs(angle_deg) < 220.0:
        return None, 180.0
    return ("left" if angle_deg > 0 else "right"), angle


def tell_turn(motion: Motion, turn: Turn) -> Event:
    """A turn of the walk, or a look that is taken back before the walk goes on."""
    frames = motion.walk.frames
    if turn.is_look:
        angle = round(turn.angle_deg / 15.0) * 15.0
        side: Side = "left" if turn.angle_deg > 0 else "right"
        return Event("look", frames[turn.first], frames[turn.last], side=side, angle_deg=angle)
    told, angle = turn_claim(turn.angle_deg)
    if told is None and turn.is_seen:
        told, angle = ("left", angle) if turn.angle_deg > 0.0 else ("right", -angle)
    return Event("turn", frames[turn.first], frames[turn.last], side=told, angle_deg=angle)


def find_walks_within(motion: Motion, turn: Turn, before: Event | None) -> list[Event]:
    """Walks that go on while the walker turns, and that nothing tells yet.

    Before it is the walk told since the turn before it, if any.
    """
    walks = find_walks(motion, turn.first, turn.last)
    if before is None or is_bend(motion, turn):
        return walks
    return [walk for walk in walks if walk.angle_deg != before.angle_deg]


def is_bend(motion: Motion, turn: Turn) -> bool:
    """Whether a walk goes on through a slight turn for so long that what it passes there is to be told."""
    return abs(turn.angle_deg) <= _BEND_DEG and motion.measure_path(turn.first, turn.last) >= _BEND_M


def join_events(motion: Motion, events: Sequence[Event]) -> list[Event]:
    """Turns to one side, and walks one way, with nothing between them become one; small turns are left out."""
    out: list[Event] = []
    for event in events:
        before = out[-1] if out else None
        if event.kind == "turn" and before is not None and before.kind == "turn":
            first, last = motion.walk.index_of[before.first_frame], motion.walk.index_of[event.last_frame]
            joined = Turn(first, last, motion.measure_turn_deg(first, last))
            parts = (before.angle_deg or 0.0, event.angle_deg or 0.0)
            is_one_sense = abs(joined.angle_deg) > max(map(abs, parts)) and abs(joined.angle_deg) <= MOST_TOLD_DEG
            view_deg = motion.walk.heading_deg[first : last + 1]
            if is_one_sense and measure_turn_back(view_deg, np.sign(joined.angle_deg)) < _LEAST_TOLD_DEG:
                out[-1] = tell_turn(motion, joined)
                continue
        if before is not None and event.kind == before.kind == "walk" and event.angle_deg == before.angle_deg:
            at = motion.walk.index_of
            ends = [at[one] for one in (before.first_frame, before.last_frame, event.first_frame, event.last_frame)]
            if _is_one_walk(motion.walk.time_s, *ends):
                out[-1] = replace(before, last_frame=event.last_frame)
                continue
        out.append(event)
    return [
        event for event in out if event.kind not in ("turn", "look") or abs(event.angle_deg or 0) >= _LEAST_TOLD_DEG
    ]


_LEAST_M, _FEW_M = 1.2, 2.2
"""A shorter walk is over before one has counted; up to so far it is a few steps, whatever the scale is worth."""
_MOST_M = 9.5
"""Nobody judges longer walks by eye."""
_STRAIGHT = 0.97
"""Of an arc of 50 degrees the ends are this share of the path apart; of more of a bend a listener would not know along
which line a length is."""
_SIGMA = 0.15
"""Metres are told by a scale so good: beyond it `about four` could be three or five by the scale alone."""

_TELLS_END = ("pass", "approach", "walk", "stop_at")
"""What tells where the walk before it ends."""


def add_extents(motion: Motion, events: Sequence[Event], scale: Scale) -> list[Event]:
    """After each walk that nothing passed, walked up to or reached tells the extent of, how far it goes.

    Metres are told only where the scale was measured, steps also where it was assumed.
    """
    if scale.status == "relative":
        return list(events)
    index_of, has_metres = motion.walk.index_of, scale.status == "metric" and scale.sigma <= _SIGMA
    told: list[Event] = []
    for at, event in enumerate(events):
        told.append(event)
        if event.kind != "walk" or abs(event.angle_deg or 0.0) == 90.0:
            continue
        following = events[at + 1] if at + 1 < len(events) else None
        if following is not None and (following.kind in _TELLS_END or following.part == "leg"):
            continue
        if following is not None and index_of[following.first_frame] < index_of[event.last_frame]:
            continue  # a room is entered, or a turn begins, amid the walk: the length would be told before it
        length_m = _measure_extent(motion, event)
        if length_m is not None and (length_m <= _FEW_M or has_metres):
            meters = None if length_m <= _FEW_M else float(round(length_m))
            told.append(Event("length", event.first_frame, event.last_frame, part="leg", length_m=meters))
    return told


def _measure_extent(motion: Motion, walk: Event) -> float | None:
    """Nominal metres that a walk goes straight on; None where a length would tell little of it."""
    at_of, path = motion.walk.index_of, motion.walk
    first, last = at_of[walk.first_frame], at_of[walk.last_frame]
    length = float(path.travelled[last] - path.travelled[first])
    chord = float(np.linalg.norm(path.xy[last] - path.xy[first]))
    length_m = length / motion.metre
    if not _LEAST_M <= length_m <= _MOST_M or chord < _STRAIGHT * length:
        return None
    return length_m
