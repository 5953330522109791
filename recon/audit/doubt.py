"""A place of a model that is not to be trusted, whatever told it; what spans it is counted, frames are cut there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from recon.geometry import Array

DoubtKind = Literal["contradicted", "torn", "loose", "unexplained", "leap", "height"]
"""Pairs have another pose; matches lie on two points; nothing holds the scale; matches lie off their lines; a step is
too long; the camera's height above the floor changes."""


@dataclass(frozen=True)
class Doubt:
    """Neighbouring frames whose relation in a model is doubted."""

    first: int
    """Frame before the first doubtful step."""
    last: int
    """Frame after the last doubtful step; the frame after `first` for a single one."""
    kind: DoubtKind
    score: float
    """How bad, the more the worse, comparable within a kind: the share of pairs or matches against it, the standard
    deviation of the log scale, or how many times too much."""
    reason: str
    """For people: `24 of 42 pairs contradict it`."""
    scale: float | None = None
    """What lies behind is larger by this factor; none where that is not known."""

    @property
    def place(self) -> tuple[int, int]:
        """First and last frame."""
        return self.first, self.last


def count_across(frames: int, begin: ArrayLike, end: ArrayLike, amounts: ArrayLike = 1.0) -> Array:
    """(F - 1,) Sum over intervals that span each step between neighbouring frames.

    Args:
        frames: F, how many there are.
        begin: (N,) row of the first frame of each interval.
        end: (N,) row of its last, at or behind the first.
        amounts: (N,) or one for all: what each counts.
    """
    changes, counts = np.zeros(frames + 1), np.asarray(amounts, np.float64)
    np.add.at(changes, np.asarray(begin, np.int64), counts)
    np.add.at(changes, np.asarray(end, np.int64), -counts)
    return np.cumsum(changes)[: max(0, frames - 1)]


def cut_at(frames: Sequence[int], places: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Cut frames (in time order, at least one) wherever a place, from one frame to another, lies between two of them.

    Returns:
        The parts in time order; a frame inside a place is a part of its own.
    """
    parts: list[list[int]] = [[frames[0]]]
    for before, after in pairwise(frames):
        if any(first <= before and after <= last for first, last in places):
            parts.append([])
        parts[-1].append(after)
    return parts
