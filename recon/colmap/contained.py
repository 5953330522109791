"""Leave models out that hold only frames of larger ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

T = TypeVar("T")


def leave_contained_out(
    models: Iterable[T], frames_of: Callable[[T], Collection[int]]
) -> tuple[list[T], list[tuple[T, T]]]:
    """The models that add a frame to those before them, largest first, and the others, each with a larger one.

    Args:
        models: Of any kind.
        frames_of: Their registered frames.
    """
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
