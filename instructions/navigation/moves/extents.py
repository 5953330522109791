"""How far a walk goes, where no thing tells where it ends: in whole metres, or as a few steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from instructions.navigation.moves.legs import Event
from instructions.navigation.moves.motion import Motion
from recon.records import Scale

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

    Args:
        motion: Of the whole walk.
        events: Of a way, in the order of the text.
        scale: Of the model. Metres are told only where it was measured, steps also where it was assumed.
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
