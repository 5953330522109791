"""What one run of a mapper made of a clip or of a half of one, and runs from beside the place where that went wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import pycolmap

from recon.audit.audit import Audit, Evidence, audit
from recon.audit.torn import frames_beside
from recon.audit.verdict import Verdict
from recon.mapping.mapping import MappingJob

Mapper = Literal["incremental", "global"]


@dataclass(frozen=True, eq=False)
class Attempt:
    """The sub-models of one run of a mapper."""

    name: str
    mapper: Mapper
    models: tuple[pycolmap.Reconstruction, ...]  # largest first
    audit: Audit | None
    """Of the largest model. Smaller ones often hold the same frames once more, and merging looks after them."""
    finished: bool = False  # whether the models are refined and have all their points
    left_out: tuple[tuple[int, Verdict], ...] = ()  # how many frames each model has that was dropped, and why

    @property
    def sound(self) -> bool:
        """Whether nothing was found against the largest model."""
        return self.audit is None or not self.audit.doubts

    @property
    def longest(self) -> int:
        """Frames of the longest consistent stretch of the largest model; 0 for none."""
        return 0 if self.audit is None else self.audit.longest

    @property
    def registered(self) -> int:
        """Frames with a pose in any of the models."""
        return len({frame for model in self.models for frame in model.reg_image_ids()})


def make_attempt(
    name: str,
    mapper: Mapper,
    models: Sequence[pycolmap.Reconstruction],
    job: MappingJob,
    *,
    tears_only: bool = False,
    finished: bool = False,
    left_out: Sequence[tuple[int, Verdict]] = (),
) -> Attempt:
    """What a mapper made, as it is, and what speaks against it: tears, and pairs that contradict it."""
    ordered = tuple(sorted(models, key=lambda model: (-model.num_reg_images(), min(model.reg_image_ids()))))
    check = None if tears_only else job.bars.check
    evidence = Evidence(database_path=job.database_path, torn=job.bars.torn, check=check)
    found = audit(ordered[0], evidence) if ordered else None
    return Attempt(name, mapper, ordered, found, finished, tuple(left_out))


def map_again(
    bad: Attempt, job: MappingJob, grow_from: Callable[[int], Attempt], is_enough: Callable[[Attempt], bool]
) -> list[Attempt]:
    """Attempts that grow from frames beside the worst place of a bad one, until one is enough.

    The worst is the most torn one; without tears, the widest that anything else speaks against.
    """
    assert bad.audit is not None
    worst = min(
        bad.audit.doubts,
        key=lambda doubt: (False, -doubt.value) if doubt.evidence == "torn" else (True, doubt.first - doubt.last),
    )
    found: list[Attempt] = []
    for start in frames_beside(worst.frames, job.frames):
        found.append(grow_from(start))
        if is_enough(found[-1]):
            break
    return found
