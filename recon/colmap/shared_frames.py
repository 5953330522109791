"""Models and the frames they share, the matches between them, and which model adds nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

import pycolmap

from recon.colmap.database import list_verified_pairs
from recon.records import SubModel

T = TypeVar("T")


def find_shared_frames(first: SubModel, second: SubModel) -> tuple[int, ...]:
    """Frames with a pose in both models, in time order."""
    return tuple(sorted(set(first.frames) & set(second.frames)))


def read_pairs_across(
    database: pycolmap.Database, one: Collection[int], other: Collection[int]
) -> list[tuple[int, int, int]]:
    """Verified pairs with a frame of one and a frame of the other only, sorted, and how many matches each has."""
    sides = set(one) - set(other), set(other) - set(one)
    return [
        (a, b, count)
        for a, b, count in list_verified_pairs(database)
        if any(a in side and b in rest for side, rest in (sides, sides[::-1]))
    ]


def leave_contained_out(
    models: Iterable[T], frames_of: Callable[[T], Collection[int]]
) -> tuple[list[T], list[tuple[T, T]]]:
    """The models that add a frame to those before them, largest first, and the others, each with a larger one."""
    kept: list[T] = []
    left_out: list[tuple[T, T]] = []
    for model in sorted(models, key=lambda model: (-len(frames_of(model)), sorted(frames_of(model)))):
        frames = frames_of(model)
        larger = next((other for other in kept if set(frames).issubset(frames_of(other))), None)
        if larger is None:
            kept.append(model)
        else:
            left_out.append((model, larger))
    return kept, left_out
