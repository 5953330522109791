"""Join finished models over frames that both hold, where `floor_seam` settles the scale and nothing contradicts it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from time import perf_counter

from recon.adjust.densify import densify
from recon.colmap.fuse import fuse
from recon.colmap.log import quiet_colmap
from recon.colmap.shared_frames import find_shared_frames
from recon.findings import Finding
from recon.mapping.tour_inputs import Floors
from recon.merging.floor_seam import FloorSeam, FloorSeamOptions, find_floor_seam
from recon.merging.join import JoinJob, MergeBars, MergeOptions, begin_attempt, find_contradiction
from recon.merging.last_joins import AROUND, accept, find_doubt_beside, gather, share_camera
from recon.merging.merge import MergeResult, drop_contained
from recon.records import Frame, MergeAttempt, SubModel
from recon.tasks import fixed_threads


def join_over_seams(
    merged: MergeResult,
    database_path: Path,
    frames: Sequence[Frame],
    floors_of: Floors,
    options: MergeOptions = MergeOptions(),
    seed: int = 0,
    bars: MergeBars = MergeBars(),
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
        bars: When a pair contradicts the joined model.

    Returns:
        The same where no models share enough frames, or where nothing was joined.
    """
    models, attempts, told = list(merged.models), list(merged.attempts), list(merged.told)
    left_undone = list(merged.undone)
    tried: set[frozenset[str]] = set()
    if merged.look_alikes is not None and not merged.look_alikes.ok:
        return merged
    job = JoinJob(options, database_path, seed, bars)
    with quiet_colmap(), fixed_threads():
        while pair := _find_next(models, tried, FloorSeamOptions().min_shared_frames):
            first, second, shared = pair
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
            joined, seam = found
            agreed, reason = seam.alignment, _say(seam)
            attempts.append(
                accept(attempt, joined, reason, agreed.rotation_disagreement_deg, agreed.scale_disagreement)
            )
            models, contained = drop_contained([joined, *(model for model in models if model not in (first, second))])
            mended = {(attempt.first, attempt.second) for attempt in undone}
            left_undone = [attempt for attempt in left_undone if (attempt.first, attempt.second) not in mended]
            place, message = f"frames {shared[0]}-{shared[-1]}", f"two parts were joined: {reason}"
            told += [Finding("info", "merge.by_floor", place, message), *contained]
    merged = replace(merged, attempts=tuple(attempts))
    if len(models) == len(merged.models):
        return merged
    return gather(replace(merged, told=tuple(told), undone=tuple(left_undone)), models, attempts)


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
    floors = floors_of([frame for frame in frames if shared[0] - AROUND <= frame.index <= shared[-1] + AROUND])
    if not floors:
        return "there are no light models here to find the floor, which would tell the scale"
    agreement = job.options.agreement
    seam = find_floor_seam(first, second, shared, floors, agreement, seed=job.seed)
    if isinstance(seam, str):
        return seam
    first, second = share_camera(first, second)
    seam = find_floor_seam(first, second, shared, floors, agreement, seed=job.seed)
    if isinstance(seam, str):
        return seam
    model = fuse(first.reconstruction, second.reconstruction, seam.alignment.first_from_second)
    assert job.database_path is not None
    densify(model, job.database_path, sorted(model.reg_image_ids()), seed=job.seed)
    clips = tuple(sorted({*first.clips, *second.clips}))
    joined = SubModel(f"{first.name}+{second.name}", clips, model, held_by_floor=True)
    doubt = find_contradiction(joined, first, second, job) or find_doubt_beside(joined, shared[0], shared[-1], floors)
    return doubt or (joined, seam)


def _say(seam: FloorSeam) -> str:
    return (
        f"beyond the frames that both hold, the camera's height above the floor agrees to {seam.scale_off:.0%} and "
        f"their floors to {seam.lean_deg:.1f} deg"
    )
