"""Models and the frames they share: which two to join next, whether they agree there, and which model adds nothing.

Halves of a clip and sub-models of a tour are joined by the same rules, with bars of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pycolmap

from recon.colmap.align import Alignment
from recon.colmap.database import list_verified_pairs
from recon.records import SubModel

T = TypeVar("T")


def find_shared_frames(first: SubModel, second: SubModel) -> tuple[int, ...]:
    """Frames with a pose in both models, in time order."""
    return tuple(sorted(set(first.frames) & set(second.frames)))


def find_partner(
    model: SubModel, others: Iterable[SubModel], least: int, refused: Collection[frozenset[str]] = ()
) -> tuple[SubModel, tuple[int, ...]] | None:
    """The model that shares most frames with another one, and these frames; the first of equals.

    Args:
        model: To be joined with one of the others.
        others: With names of their own.
        least: Shared frames below which two cannot be joined.
        refused: Pairs of names that were tried already.

    Returns:
        None if no pair is left.
    """
    untried = (other for other in others if frozenset((model.name, other.name)) not in refused)
    shared = [(other, find_shared_frames(model, other)) for other in untried]
    enough = [pair for pair in shared if len(pair[1]) >= least]
    return max(enough, key=lambda pair: len(pair[1]), default=None)


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """How closely two models must agree on the frames they share."""

    turn_deg: float
    """Median angle between the shared cameras."""
    steps: float
    """Median distance of their centres, in median steps of the first model's walk; both bars must be exceeded."""
    depth: float
    """The same, as a share of the median depth."""
    scale: float
    """Relative change of the scale between the models along the shared frames."""

    def find_disagreement(self, alignment: Alignment, step: float) -> str:
        """Why aligned models cannot show the same place, `step` being that of the first; empty if they can."""
        if alignment.rotation_disagreement_deg > self.turn_deg:
            return f"shared cameras differ by {alignment.rotation_disagreement_deg:.1f} deg, allowed {self.turn_deg}"
        off = alignment.center_disagreement
        if off > self.steps * step and off > self.depth * alignment.depth:
            steps = off / step if step > 0 else np.inf
            return f"shared cameras lie {steps:.1f} steps apart after alignment, allowed {self.steps}"
        return ""

    def find_drift(self, alignment: Alignment) -> str:
        """Why the scale between aligned models is not believed; empty if it is."""
        if alignment.scale_disagreement <= self.scale:
            return ""
        return (
            f"the scale between the models drifts by {alignment.scale_disagreement:.0%} along the shared frames, "
            f"allowed {self.scale:.0%}; one of them is bent"
        )


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
