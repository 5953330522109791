"""What is said of a place: what is on a side of the view there, how far it is, and which room it is in.

Judged from the frames a claim names, by bars of the judge's own, with what perception measured of single frames.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from instructions.claims.projected import is_across
from instructions.claims.walk_bars import ClaimBars
from instructions.facts.walk import ThingAlongWalk, Walk, room_at
from instructions.records import Box, Claim, Range, RoomSpan
from recon.records import SceneModel

FrameRanges = Mapping[str, Mapping[int, Sequence[Range]]]
"""How far each thing is, by object and frame that observed it: the ranges that hold enough of it."""


def judge_side(
    claim: Claim, thing: ThingAlongWalk, index: int, shown: Box | None, bars: ClaimBars, *, is_in_view: bool
) -> tuple[bool, str]:
    """The thing is in view, off the middle to the side told, not before it by its box in the picture, and at hand."""
    off, distance = float(thing.bearing_deg[index]), float(thing.distance[index])
    sign = {"left": 1.0, "right": -1.0}.get(claim.side or "", 0.0)
    true = bars.side_least_deg <= sign * off <= bars.side_most_deg and distance <= bars.side_m and is_in_view
    reason = f"{off:+.0f} deg off the view at {distance:.1f}" + ("" if is_in_view else ", not in view")
    if true and shown is not None and is_across(shown, bars.side_across_share):
        return False, f"{reason}, and its box reaches from {shown[0]:.0%} to {shown[2]:.0%} of the picture's width"
    return true, reason


def judge_shown_side(
    claim: Claim, walk: Walk, boxes: Mapping[int, Box], model: SceneModel, bars: ClaimBars, reason: str
) -> tuple[bool, str]:
    """Some picture of that moment shows the middle of the thing on that side of its own; true where none shows it."""
    now_s = walk.time_s[walk.index_of[claim.last_frame or 0]]
    width = float(model.camera.width)
    middles = [
        (box[0] + box[2]) / (2.0 * width)
        for frame, box in boxes.items()
        if frame in walk.index_of and abs(walk.time_s[walk.index_of[frame]] - now_s) <= bars.side_seen_s
    ]
    sides = [middle < 0.5 if claim.side == "left" else middle > 0.5 for middle in middles]
    if not sides or any(sides):
        return True, reason
    return False, f"{reason}, but pictures show its middle at {middles[0]:.0%} of their width"


def judge_range(claim: Claim, walk: Walk, index: int, ranges: FrameRanges, bars: ClaimBars) -> tuple[bool, str]:
    """The frame nearest in time that measured the thing has it in the range told."""
    known = {frame: told for frame, told in ranges.get(claim.object or "", {}).items() if frame in walk.index_of}
    if not known:
        return False, "how far it is there is not known"
    now_s = walk.time_s[index]
    nearest = min(known, key=lambda frame: abs(walk.time_s[walk.index_of[frame]] - now_s))
    off_s = float(abs(walk.time_s[walk.index_of[nearest]] - now_s))
    measured = " and ".join(known[nearest]) or "no range"
    return off_s <= bars.range_seen_s and claim.range in known[nearest], f"{measured} in frame {nearest}"


def judge_room(claim: Claim, walk: Walk, index: int, rooms: Sequence[RoomSpan], bars: ClaimBars) -> tuple[bool, str]:
    """The position is in the room; one that is entered or left changes with another known one about then."""
    here = room_at(rooms, walk.frames[index])
    if claim.kind == "room":
        return here == claim.room, f"the room is {here or 'not known'}"
    around = np.flatnonzero(np.abs(walk.time_s - walk.time_s[index]) <= bars.enter_s)
    seen = [room_at(rooms, frame) for frame in walk.frames[: int(around[-1]) + 1]]
    earlier = [room for room in seen[: int(around[0])] if room is not None]
    known = earlier[-1:] + [room for room in seen[int(around[0]) :] if room is not None]
    changes = [(old, new) for old, new in pairwise(known) if old != new]
    is_changed = any((old if claim.kind == "exit" else new) == claim.room for old, new in changes)
    return is_changed, f"the room is {here or 'not known'}"
