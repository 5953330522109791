"""A measured quantity against its bar; a verdict that is not ok is a doubt, at which the frames of a model are cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from recon.geometry import Array

LEAST_FRAMES = 8
"""Of a model, a stretch or a side of one, that proves anything, under three seconds of walk: fewer fit nearly any path,
and lie on a point where the camera turns. Set by hand."""
EvidenceKind = Literal[
    "contradicted",  # share of pairs across that have another relative pose
    "torn",  # share of matches across that lie on two points
    "open scale",  # what the open scale moves of the smaller side, over the depth
    "unexplained",  # share of matches across that lie off their epipolar lines
    "blind",  # frames in a row that see next to no points
    "height",  # factor by which the camera's height above the floor changes
    "leap",  # length of a step over the usual one
    "revisits",  # share of the revisits across that contradict
    "look-alikes",  # share of pairs whose matches mix two motions
    "frames",  # registered
    "parallax",  # share of matches that no homography explains
    "points",  # seen by an average frame
    "tracks",  # share of points that a third frame sees
]
"""What a verdict rests on, and the quantity that is its value."""


@dataclass(frozen=True)
class Verdict:
    """A quantity of a model, its bar, and on which side of it the quantity lies."""

    ok: bool
    evidence: EvidenceKind
    value: float  # of the quantity that `EvidenceKind` names
    bar: float  # at which the verdict turns
    frames: tuple[int, int]  # Those before and behind the place it is about, or the first and the last of the model
    words: str  # the measurement for people: `24 of 42 pairs contradict it`
    sigma: float | None = None
    """Standard deviation of what was measured, where it is known; of an open scale, of its logarithm."""

    @property
    def first(self) -> int:
        """Frame before the first doubtful step."""
        return self.frames[0]

    @property
    def last(self) -> int:
        """Frame behind the last doubtful step."""
        return self.frames[1]


def count_across(frames: int, begin: ArrayLike, end: ArrayLike, amounts: ArrayLike = 1.0) -> Array:
    """(F - 1,) Sum over intervals that span each step between neighboring frames.

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


def cut_at(frames: Sequence[int], places: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Cut frames (in time order) wherever a place, from one frame to another, lies between two of them.

    Returns:
        The parts in time order; a frame inside a place is a part of its own.
    """
    cuts = list(places)
    parts = [[frame] for frame in frames[:1]]
    for before, after in pairwise(frames):
        if any(first <= before and after <= last for first, last in cuts):
            parts.append([])
        parts[-1].append(after)
    return parts
