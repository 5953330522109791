"""The stretches of models that nothing speaks against, and how those of two reconstructions make one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pycolmap

from recon.adjust.refine import RefineOptions, refine, until_convergence
from recon.audit.audit import STEADY, Evidence, audit
from recon.audit.contradictions import CHECK_LEARNED, MIN_EXPLAINED, ContradictionOptions, find_unexplained
from recon.audit.scale_hold import ScaleHoldOptions
from recon.audit.torn import TornOptions
from recon.audit.verdict import LEAST_FRAMES, Verdict
from recon.colmap.fuse import subset
from recon.floor_masks import FloorMask
from recon.records import SubModel

_UNEXPLAINED_HELD = 0.6
"""A walk that the floor holds is cut where more lie off. Where its turns were wrong by 8 degrees 65 to 84 % did; set
between that and the half that other models need. What lies between the two is told."""
_LEAST_NEW = 0.5  # share of a part's frames that no larger part has
_REFINE = until_convergence(RefineOptions(search_rounds=1))
"""A part that was cut off is no longer held by what was wrong beyond, nor is its focal length."""


@dataclass(frozen=True, eq=False)
class SoundPart:
    """A stretch of a model that nothing speaks against."""

    model: SubModel
    frames: tuple[int, ...]

    def cut_out(self, database_path: Path, seed: int) -> pycolmap.Reconstruction:
        """The model itself where the stretch is all of it; else a new one, refined if pictures hold its scale."""
        if self.frames == self.model.frames:
            return self.model.reconstruction
        part = subset(self.model.reconstruction, self.frames)
        if not self.model.held_by_floor:
            refine(part, database_path, self.frames, _REFINE, seed)
        return part


def find_sound_parts(
    models: Sequence[SubModel], database_path: Path, torn: TornOptions, floors: Mapping[int, FloorMask]
) -> list[SoundPart]:
    """The consistent stretches of some models by the matches of both kinds of keypoints, longest first."""
    evidence = Evidence(
        database_path=database_path,
        check=CHECK_LEARNED,
        torn=torn,
        max_unexplained=1.0 - MIN_EXPLAINED,
        hold=ScaleHoldOptions(),
        floors=floors,
        steady=STEADY,
        leaps=True,
        revisits=True,
    )
    return _find_parts(models, evidence)


def find_held_parts(
    model: SubModel,
    database_path: Path,
    first_kind_path: Path,
    floors: Mapping[int, FloorMask],
    times_s: Mapping[int, float],
) -> list[SoundPart]:
    """The consistent stretches of a model whose scale the floor holds, longest first.

    Its points have no depth where the camera only turned, so tears say nothing there.
    """
    evidence = Evidence(
        database_path=database_path,
        check=ContradictionOptions(),
        check_path=first_kind_path,
        max_unexplained=_UNEXPLAINED_HELD,
        floors=floors,
        steady=STEADY,
        leaps=True,
        times_s=times_s,
        revisits=True,
        floor_holds=True,
    )
    return _find_parts([model], evidence)


def _find_parts(models: Sequence[SubModel], evidence: Evidence) -> list[SoundPart]:
    found = (
        SoundPart(model, tuple(stretch))
        for model in models
        for stretch in audit(model.reconstruction, evidence).consistent
    )
    return sorted(found, key=lambda part: (-len(part.frames), part.frames))


def find_doubtful_steps(part: SoundPart, database_path: Path) -> list[Verdict]:
    """The steps of a part that the floor holds across which half of the matches or more speak against it."""
    inside = set(pairwise(part.frames))
    return [doubt for doubt in find_unexplained(part.model.reconstruction, database_path) if doubt.frames in inside]


def choose_parts(parts: Sequence[SoundPart]) -> list[SoundPart]:
    """Of parts, the better ones first, those that hold enough frames that no earlier one has, in their order."""
    chosen: list[SoundPart] = []
    have: set[int] = set()
    for part in parts:
        new = set(part.frames) - have
        if len(part.frames) >= LEAST_FRAMES and len(new) > _LEAST_NEW * len(part.frames):
            chosen.append(part)
            have |= new
    return chosen


def longest(parts: Sequence[SoundPart]) -> int:
    """Frames of the longest; 0 for none."""
    return max((len(part.frames) for part in parts), default=0)
