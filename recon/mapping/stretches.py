"""The frames of a model in stretches that bad places part."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


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
