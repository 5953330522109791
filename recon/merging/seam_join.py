"""Join finished models over frames that both hold, where `floor_seam` settles the scale and nothing contradicts it.

Nothing is adjusted after: the pictures there hold no scale, and an adjustment would bend the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from time import perf_counter

import pycolmap

from recon.adjust.densify import densify
from recon.adjust.refine import adjust_and_filter
from recon.colmap.fuse import fuse
from recon.colmap.log import quiet_colmap
from recon.colmap.shared_frames import find_shared_frames
from recon.diagnosis.floor_height import FloorMask, measure_heights, scale_changes
from recon.diagnosis.leaps import find_leaps
from recon.findings import Finding
from recon.merging.floor_seam import MIN_SHARED_FRAMES, FloorSeam, find_floor_seam
from recon.merging.join import JoinJob, MergeOptions, begin_attempt, find_contradiction
from recon.merging.merge import MergeResult, drop_contained, tell_of_parts
from recon.records import Frame, MergeAttempt, SubModel
from recon.tasks import fixed_threads

Floors = Callable[[Sequence[Frame]], Mapping[int, FloorMask]]
"""Says where the pictures of frames show the floor; nothing where no model can tell."""

_AROUND = 60
"""Frames on either side of a seam whose floor is looked at: the vertical of the place, not of another storey."""


def join_over_seams(
    merged: MergeResult,
    database_path: Path,
    frames: Sequence[Frame],
    floors_of: Floors,
    options: MergeOptions = MergeOptions(),
    seed: int = 0,
) -> MergeResult:
    """Join models that were left apart though they share frames, where the floor tells that they are of one scale.

    Not where the matches of a tour take look-alikes for each other, nor two models that a join showed to disagree.

    Args:
        merged: What could be joined otherwise.
        database_path: From `build_database`.
        frames: Of the tour, in time order.
        floors_of: Asked for frames around shared ones only.
        options: When models are joined.
        seed: Of random sampling.

    Returns:
        The same where no models share enough frames, or where nothing was joined.
    """
    models, attempts, findings = list(merged.models), list(merged.attempts), list(merged.findings)
    tried: set[frozenset[str]] = set()
    if any(finding.code == "merge.look_alikes" for finding in findings):
        return merged
    job = JoinJob(options, database_path, seed)
    with quiet_colmap(), fixed_threads():
        while seam := _find_next(models, tried, MIN_SHARED_FRAMES):
            first, second, shared = seam
            tried.add(frozenset((first.name, second.name)))
            undone = _find_undone(merged.attempts, shared)
            if any(attempt.verdict == "rolled back" for attempt in undone):  # by what came of it, not for want of scale
                continue
            start = perf_counter()
            found = _join(first, second, shared, frames, floors_of, job)
            attempt = replace(begin_attempt(first, second, shared, "floor"), seconds=perf_counter() - start)
            if isinstance(found, str):
                attempts.append(replace(attempt, reason=found))
                continue
            joined, seam_found = found
            reason = _say(seam_found)
            attempts.append(_accept(attempt, joined, seam_found, reason))
            models, contained = drop_contained([joined, *(model for model in models if model not in (first, second))])
            mended = {f"{attempt.first} + {attempt.second}" for attempt in undone}
            kept = [finding for finding in findings if finding.code != "merge.undone" or finding.where not in mended]
            place, message = f"frames {shared[0]}-{shared[-1]}", f"two parts were joined: {reason}"
            findings = [*kept, Finding("info", "merge.by_floor", place, message), *contained]
    if len(models) == len(merged.models):
        return replace(merged, attempts=tuple(attempts))
    named = tuple(replace(model, name=f"merged/{place}") for place, model in enumerate(models))  # the largest first
    others = (finding for finding in findings if finding.code != "merge.apart")
    return MergeResult(named, tuple(attempts), (*others, *tell_of_parts(named)))


def _find_next(
    models: Sequence[SubModel], tried: set[frozenset[str]], least: int
) -> tuple[SubModel, SubModel, tuple[int, ...]] | None:
    """The two models, the larger first, that share most frames and were not tried; None if none share enough."""
    by_size = sorted(models, key=lambda model: (-len(model.frames), model.frames))
    pairs = (pair for pair in combinations(by_size, 2) if frozenset(model.name for model in pair) not in tried)
    seams = [(first, second, find_shared_frames(first, second)) for first, second in pairs]
    return max((seam for seam in seams if len(seam[2]) >= least), key=lambda seam: len(seam[2]), default=None)


def _find_undone(attempts: Sequence[MergeAttempt], shared: Sequence[int]) -> list[MergeAttempt]:
    """The joins over these frames, or some of them, that were undone."""
    return [
        attempt
        for attempt in attempts
        if attempt.verdict != "accepted" and attempt.shared_frames and set(attempt.shared_frames) <= set(shared)
    ]


def _join(
    first: SubModel, second: SubModel, shared: Sequence[int], frames: Sequence[Frame], floors_of: Floors, job: JoinJob
) -> tuple[SubModel, FloorSeam] | str:
    """The joined model and what told its scale, or why there is none."""
    floors = floors_of([frame for frame in frames if shared[0] - _AROUND <= frame.index <= shared[-1] + _AROUND])
    if not floors:
        return "there are no light models here to find the floor, which would tell the scale"
    agreement = job.options.agreement
    seam = find_floor_seam(first, second, shared, floors, agreement, job.seed)
    if isinstance(seam, str):
        return seam
    first, second = _share_camera(first, second, job.options)
    seam = find_floor_seam(first, second, shared, floors, agreement, job.seed)
    if isinstance(seam, str):
        return seam
    model = fuse(first.reconstruction, second.reconstruction, seam.alignment.first_from_second)
    assert job.database_path is not None
    densify(model, job.database_path, sorted(model.reg_image_ids()), job.options.densify, job.seed)
    clips = tuple(sorted({*first.clips, *second.clips}))
    joined = SubModel(f"{first.name}+{second.name}", clips, model, held_by_floor=True)
    doubt = find_contradiction(joined, first, second, job) or find_doubt_beside(joined, shared[0], shared[-1], floors)
    return doubt or (joined, seam)


def _accept(attempt: MergeAttempt, joined: SubModel, seam: FloorSeam, reason: str) -> MergeAttempt:
    """The attempt when a model came of it."""
    return replace(
        attempt,
        result=joined.name,
        error_merged_px=joined.mean_reprojection_error_px,
        rotation_disagreement_deg=seam.alignment.rotation_disagreement_deg,
        scale_disagreement=seam.alignment.scale_disagreement,
        observations_after=joined.reconstruction.compute_num_observations(),
        verdict="accepted",
        reason=reason,
    )


def _share_camera(before: SubModel, after: SubModel, options: MergeOptions) -> tuple[SubModel, SubModel]:
    """Both with the camera of the larger one; the other is adjusted to it."""
    one, other = sorted((before, after), key=lambda model: -len(model.frames))
    adapted = pycolmap.Reconstruction(other.reconstruction)
    (camera,) = one.reconstruction.cameras.values()
    for own in adapted.cameras.values():
        own.params = camera.params
    adjust_and_filter(adapted, other.frames[1:], options.adjust)  # one frame held still holds the camera too
    changed = replace(other, reconstruction=adapted)
    return (before, changed) if other is after else (changed, after)


def find_doubt_beside(joined: SubModel, last: int, first: int, floors: Mapping[int, FloorMask]) -> str:
    """What speaks against the joined model beside a seam; empty if nothing does.

    Args:
        joined: Made of two models.
        last: Frame before the seam.
        first: Frame behind it.
        floors: Where pictures show the floor.
    """
    near = [frame for frame in joined.frames if last - _AROUND <= frame <= first + _AROUND]
    changes = scale_changes(measure_heights(joined.reconstruction, floors).called)
    doubts = [*find_leaps(joined.reconstruction, near), *(change for change in changes if change.score > _CHANGED)]
    return next((doubt.reason for doubt in doubts if doubt.first < first + _SEAM and doubt.last > last - _SEAM), "")


_CHANGED = 1.25
"""Factor between the medians of the heights on both sides, below which a change is none: a walk is parted where one
frame leaves the range of all before. On a sound office walk such a place had 1.1. Set by hand."""
_SEAM = 8
"""Frames beside a seam within which a doubt is about it."""


def _say(seam: FloorSeam) -> str:
    return (
        f"beyond the frames that both hold, the camera's height above the floor agrees to {seam.scale_off:.0%} and "
        f"their floors to {seam.lean_deg:.1f} deg"
    )
