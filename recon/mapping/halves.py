"""Map a long clip in two overlapping halves, each a task of its own, where they prove to agree.

Incremental mapping keeps one core busy, so two halves take half the time; but a shorter stretch bends more easily, and
what the halves share must hold them together. So they meet near the middle where the walk is linked well, and are
believed only where both are without a tear, agree closely on the frames they share, and hold most of the clip together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pycolmap

from recon.adjust.thinning import ThinningOptions, thin
from recon.colmap.align import align
from recon.colmap.database import open_database
from recon.colmap.fuse import fuse
from recon.diagnosis.doubt import Doubt, count_across
from recon.diagnosis.torn import TornOptions, find_torn_seams, frames_beside
from recon.mapping.mapping import MappingJob, map_incrementally
from recon.records import SubModel


def halves_of(job: MappingJob, torn: TornOptions = TornOptions()) -> tuple[MappingJob, MappingJob] | None:
    """The jobs of mapping the two overlapping halves of a clip; None if it is too short."""
    if len(job.frames) // 2 < _LEAST_HALF:
        return None
    middle = _find_meeting_place(job, torn.reach)
    first = replace(job, frames=job.frames[: middle + _SHARED // 2], work_dir=job.work_dir / "half_0")
    return first, replace(job, frames=job.frames[middle - _SHARED // 2 :], work_dir=job.work_dir / "half_1")


def join_halves(
    first: Sequence[pycolmap.Reconstruction], second: Sequence[pycolmap.Reconstruction], total: int
) -> list[pycolmap.Reconstruction]:
    """One model made of what `map_half` made of both halves, then those that hold further frames.

    Args:
        first: Models of the first half, largest first.
        second: Of the second.
        total: Frames of the clip.

    Returns:
        None where the halves are not believed.
    """
    if not first or not second:
        return []
    one, other = (
        [SubModel(f"half_{number}/{place}", (), model) for place, model in enumerate(models)]
        for number, models in enumerate((first, second))
    )
    models = _join_agreeing(one[0], [*other, *one[1:]])
    covered = {frame for model in models for frame in model.frames}
    whole = len(models[0].frames) >= _LEAST_IN_ONE * total and len(covered) >= _LEAST_REGISTERED * total
    return [model.reconstruction for model in models] if whole else []


def map_half(half: MappingJob, thinning: ThinningOptions, torn: TornOptions) -> list[pycolmap.Reconstruction]:
    """Thinned models of a half, largest first; mapped again from beside a tear in the largest; none if all are torn."""

    def map_from(start: int | None) -> tuple[list[pycolmap.Reconstruction], list[Doubt]]:
        models = sorted(map_incrementally(half, start), key=lambda model: -model.num_reg_images())
        for model in models:
            thin(model, thinning)
        return models, find_torn_seams(models[0], half.database_path, torn) if models else []

    models, tears = map_from(None)
    worst = max(tears, key=lambda tear: tear.score, default=None)
    for start in frames_beside(worst.place, half.frames) if worst else []:
        again, torn_again = map_from(start)
        if again and not torn_again:
            return again
    return [] if tears else models


def _join_agreeing(model: SubModel, others: Sequence[SubModel]) -> list[SubModel]:
    """The model with all others that agree with it closely, then those of the rest that hold further frames."""
    rest = list(others)
    while True:
        rest = [other for other in rest if not set(model.frames).issuperset(other.frames)]
        shared = {other.name: sorted(set(model.frames) & set(other.frames)) for other in rest}
        for other in sorted(rest, key=lambda other: -len(shared[other.name])):
            if (fused := _fuse(model, other, shared[other.name])) is not None:
                model = fused
                rest.remove(other)
                break
        else:
            return [model, *rest]


def _fuse(model: SubModel, other: SubModel, shared: Sequence[int]) -> SubModel | None:
    if len(shared) < _SHARED // 2:
        return None
    found = align(model, other, shared)
    if found is None or (
        found.rotation_disagreement_deg > _MOST_TURN_DEG
        or found.center_disagreement > _MOST_SHIFT * found.depth
        or found.scale_disagreement > _MOST_SCALE
    ):
        return None
    return SubModel(model.name, (), fuse(model.reconstruction, other.reconstruction, found.first_from_second))


_LEAST_HALF = 60
"""Frames; below, mapping takes a few seconds anyway."""
_SHARED = 20
"""Frames in both halves."""
_LEAST_REGISTERED = 0.9
"""Share of the clip's frames that all models must hold together; refinement rescues the rest."""
_LEAST_IN_ONE = 0.8
"""Share of the clip's frames that the model made of both halves must hold: where a walk cannot be followed, mapping it
whole breaks there too."""
_MOST_TURN_DEG = 0.3
"""Medians between the shared cameras of the halves. Sound halves: 0.02 degrees, 0.04 % of the depth and 2 % of scale;
a bent one: 0.8 degrees, 2 % and 12 %."""
_MOST_SHIFT = 0.005
"""Of the median depth, see above."""
_MOST_SCALE = 0.05
"""Relative, see above."""


def _find_meeting_place(job: MappingJob, reach: int) -> int:
    """Number of frames before the middle of the shared ones.

    It is the place nearest to the clip's middle, and not beyond a third to two thirds, where the weakest step between
    two shared frames has nearly as many matches across it as anywhere.
    """
    frames = sorted(job.frames)
    number = {frame: k for k, frame in enumerate(frames)}
    with open_database(job.database_path) as database:
        ids, counts = database.read_two_view_geometry_num_inliers()
    pairs = [(*sorted(pycolmap.pair_id_to_image_pair(pair)), count) for pair, count in zip(ids, counts, strict=True)]
    near = [
        (number[first], number[second], count)
        for first, second, count in pairs
        if second - first <= reach and first in number and second in number
    ]
    across = count_across(len(frames), *np.array(near, np.int64).reshape(-1, 3).T)
    half = _SHARED // 2
    places = np.arange(len(frames) // 3, len(frames) - len(frames) // 3 + 1)
    weakest = np.array([across[place - half : place + half - 1].min() for place in places])
    good = places[weakest >= _NEARLY * weakest.max()]
    return int(good[np.abs(good - len(frames) // 2).argmin()])


_NEARLY = 0.8
"""Share of the most matches that is good enough: the nearer to the middle, the sooner both halves are done."""
