"""Map a long clip in two overlapping halves, each a task of its own, where they prove to agree.

Incremental mapping keeps one core busy, so two halves take half the time; but a shorter stretch bends more easily, and
what the halves share must hold them together. So they meet near the middle where the walk is linked well, and are
believed only where neither is torn, and they agree closely on the frames they share and hold most of the
clip together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pycolmap

from recon.adjust.refine import thin
from recon.audit.torn import TornOptions
from recon.audit.verdict import count_across
from recon.colmap.align import Alignment, align
from recon.colmap.database import list_verified_pairs, open_database
from recon.colmap.fuse import find_shared_frames, fuse
from recon.mapping.mapping import Attempt, MappingJob, make_attempt, map_again, map_incrementally
from recon.mapping.options import ENOUGH_OF_CLIP
from recon.records import SubModel


def halves_of(job: MappingJob) -> tuple[MappingJob, MappingJob] | None:
    """The jobs of mapping the two overlapping halves of a clip; None if it is too short."""
    if len(job.frames) // 2 < _LEAST_HALF:
        return None
    middle = _find_meeting_place(job)
    first = replace(job, frames=job.frames[: middle + _SHARED // 2], work_dir=job.work_dir / "half_0")
    return first, replace(job, frames=job.frames[middle - _SHARED // 2 :], work_dir=job.work_dir / "half_1")


def join_halves(
    first: Sequence[pycolmap.Reconstruction], second: Sequence[pycolmap.Reconstruction], total: int
) -> list[pycolmap.Reconstruction]:
    """One model made of what `map_half` made of both halves of `total` frames, then those that hold further frames.

    Returns:
        Empty where the halves are not believed.
    """
    if not first or not second:
        return []
    one, other = (
        [SubModel(f"half_{number}/{place}", (), model) for place, model in enumerate(models)]
        for number, models in enumerate((first, second))
    )
    models = _join_agreeing(one[0], [*other, *one[1:]])
    covered = {frame for model in models for frame in model.frames}
    whole = len(models[0].frames) >= _LEAST_IN_ONE * total and len(covered) >= ENOUGH_OF_CLIP * total
    return [model.reconstruction for model in models] if whole else []


def map_half(half: MappingJob) -> list[pycolmap.Reconstruction]:
    """Thin models of a half, largest first; mapped again from beside a tear in the largest; none if all are torn."""

    def grow_from(start: int | None) -> Attempt:
        models = map_incrementally(half, start)
        for model in models:
            thin(model)
        return make_attempt("half", "incremental", models, half, tears_only=True)  # what else is wrong comes later

    whole = grow_from(None)
    if whole.sound:
        return list(whole.models)
    *_, last = [whole, *map_again(whole, half, grow_from, _is_whole)]
    return list(last.models) if _is_whole(last) else []


def _is_whole(attempt: Attempt) -> bool:
    return bool(attempt.models) and attempt.sound


def _join_agreeing(model: SubModel, others: Sequence[SubModel]) -> list[SubModel]:
    """The model with all others that agree with it closely, then those of the rest that hold further frames."""
    rest, refused = list(others), set[str]()
    while True:
        rest = [other for other in rest if not set(model.frames).issuperset(other.frames)]
        shared = {other: find_shared_frames(model, other) for other in rest if other.name not in refused}
        other = max(shared, key=lambda other: len(shared[other]), default=None)
        if other is None or len(shared[other]) < _SHARED // 2:
            return [model, *rest]
        found = align(model, other, shared[other])
        if found is None or not _agrees(found):
            refused.add(other.name)
            continue
        joined = fuse(model.reconstruction, other.reconstruction, found.first_from_second)
        model = SubModel(model.name, (), joined)
        rest.remove(other)
        refused.clear()


def _agrees(found: Alignment) -> bool:
    """Whether the shared cameras of two halves agree, far more closely than is asked of sub-models."""
    return (
        found.rotation_disagreement_deg <= _MOST_TURN_DEG
        and found.center_disagreement <= _MOST_DEPTHS * found.depth
        and found.scale_disagreement <= _MOST_SCALE_DRIFT
    )


_MOST_TURN_DEG, _MOST_DEPTHS, _MOST_SCALE_DRIFT = 0.3, 0.005, 0.05
"""Sound halves: 0.02 degrees, 0.04 % of the depth and 2 % of scale; a bent one: 0.8 degrees, 2 % and 12 %."""
_LEAST_HALF = 60  # frames; below, mapping takes a few seconds anyway
_SHARED = 20  # frames in both halves
_LEAST_IN_ONE = 0.8
"""Share of the clip's frames that the model made of both halves must hold: where a walk cannot be followed, mapping it
whole breaks there too."""


def _find_meeting_place(job: MappingJob) -> int:
    """Number of frames before the middle of the shared ones.

    It is the place nearest to the clip's middle, and not beyond a third to two thirds, where the weakest step between
    two shared frames has nearly as many matches across it as anywhere.
    """
    frames = sorted(job.frames)
    number = {frame: k for k, frame in enumerate(frames)}
    with open_database(job.database_path) as database:
        pairs = list_verified_pairs(database, number, TornOptions().reach)
    near = [(number[first], number[second], count) for first, second, count in pairs]
    across = count_across(len(frames), *np.array(near, np.int64).reshape(-1, 3).T)
    half = _SHARED // 2
    places = np.arange(len(frames) // 3, len(frames) - len(frames) // 3 + 1)
    weakest = np.array([across[place - half : place + half - 1].min() for place in places])
    good = places[weakest >= _NEARLY * weakest.max()]
    return int(good[np.abs(good - len(frames) // 2).argmin()])


_NEARLY = 0.8
"""Share of the most matches that is good enough: the nearer to the middle, the sooner both halves are done."""
