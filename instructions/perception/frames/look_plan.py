"""Which frames the light networks look at: what a walker sees changes little within half a second.

A network asked more often says the same again, at its full price. Frames in between get the boxes of the looks on
either side (see `carry`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recon.records import Frame

LOOK_EVERY_S = 0.6
"""Least time between two looks. A quarter of the frames of `office_walk` and half of those of `home_walk` find as many
labelled things as all of them, as precisely; with 0.75 s the names get worse (26 of 30 right instead of 29 of 31)."""
LEAST_LOOKS = 32
"""A short tour, or one filmed or played fast, is looked at more often: about so many times, if it has the frames."""


@dataclass(frozen=True)
class LookPlan:
    """Frame indices in time order."""

    looked: tuple[int, ...]
    shots: tuple[tuple[int, ...], ...]
    """All frames of each shot; nothing is carried from one to another."""


def plan_looks(frames: Sequence[Frame], every_s: float = LOOK_EVERY_S) -> LookPlan:
    """First and last frame of each shot, and in between one as soon as `every_s` has passed since the last, or
    less in a short tour.

    Args:
        frames: The tour's frames, in time order.
        every_s: Least time between two looks in seconds, but for the last frame of a shot and short tours.
    """
    shots: dict[int, list[Frame]] = {}
    for frame in frames:
        shots.setdefault(frame.shot, []).append(frame)
    span_s = sum(shot[-1].time_s - shot[0].time_s for shot in shots.values())
    every_s = min(every_s, span_s / LEAST_LOOKS)
    looked: list[int] = []
    for shot in shots.values():
        last_s = float("-inf")
        for frame in shot:
            if frame.time_s - last_s >= every_s or frame is shot[-1]:
                looked.append(frame.index)
                last_s = frame.time_s
    return LookPlan(tuple(looked), tuple(tuple(frame.index for frame in shot) for shot in shots.values()))
