"""What one run of a mapper made of a clip or of a half of one, and runs from beside the place where that went wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import pycolmap

from recon.audit.doubt import cut_at
from recon.audit.torn import find_torn_seams, frames_beside
from recon.findings import Finding
from recon.mapping.mapping import MappingJob

Mapper = Literal["incremental", "global"]


@dataclass(frozen=True, eq=False)
class Attempt:
    """The sub-models of one run of a mapper."""

    name: str
    mapper: Mapper
    models: tuple[pycolmap.Reconstruction, ...]
    """Largest first."""
    places: tuple[tuple[int, int], ...]
    """Where the largest model is torn or contradicts its matches, each from one frame to another, the worst first.
    Smaller models often hold the same frames once more, and merging looks after them."""
    finished: bool = False
    """Whether the models are refined and have all their points."""
    findings: tuple[Finding, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether nothing was found against the largest model."""
        return not self.places

    @cached_property
    def longest(self) -> int:
        """Frames of the longest sound stretch of the largest model."""
        return self.longest_without(())

    def longest_without(self, more: Sequence[tuple[int, int]]) -> int:
        """Frames of the longest stretch of the largest model with none of its places and of some more; 0 for none."""
        if not self.models:
            return 0
        return max(map(len, cut_at(sorted(self.models[0].reg_image_ids()), (*self.places, *more))))

    @property
    def registered(self) -> int:
        """Frames with a pose in any of the models."""
        return len({frame for model in self.models for frame in model.reg_image_ids()})


def make_attempt(name: str, mapper: Mapper, models: Sequence[pycolmap.Reconstruction], job: MappingJob) -> Attempt:
    """What a mapper made, as it is, and where it is torn."""
    ordered = tuple(sorted(models, key=lambda model: (-model.num_reg_images(), min(model.reg_image_ids()))))
    tears = find_torn_seams(ordered[0], job.database_path, job.options.torn) if ordered else []
    worst_first = sorted(tears, key=lambda doubt: -doubt.score)
    return Attempt(name, mapper, ordered, tuple(doubt.place for doubt in worst_first))


def map_again(
    bad: Attempt, job: MappingJob, grow_from: Callable[[int], Attempt], is_enough: Callable[[Attempt], bool]
) -> list[Attempt]:
    """Attempts that grow from frames beside the worst place of a bad one, until one is enough.

    Args:
        bad: With a place.
        job: What was mapped.
        grow_from: Maps from a frame.
        is_enough: Asked of each; all starts are tried where it never holds.
    """
    found: list[Attempt] = []
    for start in frames_beside(bad.places[0], job.frames):
        found.append(grow_from(start))
        if is_enough(found[-1]):
            break
    return found
