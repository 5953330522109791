"""COLMAP's mappers on the frames of a clip, or of its two halves, and runs from beside the place where one went wrong.

Incremental mapping keeps one core busy, so two halves take half the time; but a shorter stretch bends more easily, and
what the halves share must hold them together. So they meet near the middle where the walk is linked well, and are
believed only where neither is torn, and they agree closely on the frames they share and hold most of the clip together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pycolmap

from recon.adjust.refine import thin
from recon.audit.audit import Audit, Evidence, audit
from recon.audit.torn import TornOptions, frames_beside
from recon.audit.verdict import Verdict, count_across
from recon.colmap.database import CAMERA_ID, copy_part, list_verified_pairs, open_database
from recon.colmap.fuse import Alignment, align, find_shared_frames, fuse
from recon.mapping.options import ENOUGH_OF_CLIP, MappingBars, SfmOptions
from recon.matching.interfaces import LEAST_MATCHES
from recon.records import SubModel
from recon.tasks import THREADS_PER_TASK


@dataclass(frozen=True)
class MappingJob:
    """What is mapped, and how."""

    database_path: Path
    frames_dir: Path
    frames: tuple[int, ...]
    work_dir: Path  # each call makes a folder of its own there
    options: SfmOptions
    bars: MappingBars
    seed: int
    is_half: bool = False  # whether the frames are half of a clip

    def is_calibrated(self) -> bool:
        """Whether the pairs voted for a focal length."""
        with open_database(self.database_path) as database:
            return bool(database.read_camera(CAMERA_ID).has_prior_focal_length)

    def own_database(self, folder: str) -> Path:
        """The frames' part of the database, in a new folder for one run of a mapper."""
        output = self.work_dir / folder
        output.mkdir(parents=True)
        copy_part(self.database_path, self.frames, output / "database.db")
        return output / "database.db"


def map_incrementally(job: MappingJob, start_frame: int | None = None) -> list[pycolmap.Reconstruction]:
    """Sub-models grown frame by frame, from the best first pair or from the best one with `start_frame`."""
    # Loose and cheap on purpose: every sub-model is adjusted properly afterwards. Tight tolerances cost four times the
    # CPU for the same result. A focal length that all pairs voted for stays fixed meanwhile: freed, it ran off by 30 %
    # in stretches with little depth and bent the walk by half a metre.
    calibrated = job.is_calibrated()
    setup = pycolmap.IncrementalPipelineOptions(
        num_threads=THREADS_PER_TASK,
        random_seed=job.seed,
        extract_colors=False,
        min_model_size=job.options.min_model_frames,
        structure_less_registration_fallback=job.bars.register_by_matches,
        ba_refine_focal_length=not calibrated,
        ba_refine_extra_params=not calibrated,
        ba_local_max_num_iterations=10,
        ba_local_max_refinements=1,
        ba_local_function_tolerance=1e-3,
        # Rarer global adjustment (2.0) saved a tenth of the CPU and put a shot of six seconds wrong by 70 cm.
        ba_global_frames_ratio=1.4,
        ba_global_points_ratio=1.4,
        ba_global_max_num_iterations=20,
        ba_global_max_refinements=1,
        ba_global_function_tolerance=1e-3,
    )
    setup.mapper.abs_pose_refine_focal_length = not calibrated
    setup.mapper.abs_pose_refine_extra_params = not calibrated
    setup.mapper.init_min_num_inliers = job.bars.init_min_inliers
    setup.mapper.init_min_tri_angle = _INIT_MIN_ANGLE_DEG
    setup.mapper.abs_pose_min_num_inliers = LEAST_MATCHES  # half of COLMAP's; with 30 walks break at blank walls
    setup.mapper.abs_pose_min_inlier_ratio = job.bars.register_min_inlier_ratio
    setup.mapper.abs_pose_max_error = _REGISTER_MAX_ERROR_PX
    if start_frame is not None:
        setup.init_image_id1 = start_frame
    database = job.own_database(f"incremental_{start_frame or 'anywhere'}")
    pycolmap.set_random_seed(job.seed)
    models = pycolmap.incremental_mapping(database, job.frames_dir, database.parent, setup)
    return list(models.values())


_INIT_MIN_ANGLE_DEG = 6.0
"""Median triangulation angle of a first pair. COLMAP asks for 16 and 100 matches, which in a walk leads to pairs far
apart: of 20 first mappings of the office 15 were torn, with 8 degrees and 50 matches 7, with 6 degrees 4."""
_REGISTER_MAX_ERROR_PX = 8.0  # Reprojection error that counts as agreement. COLMAP's 12 are meant for large pictures.


def map_globally(job: MappingJob) -> list[pycolmap.Reconstruction]:
    """Sub-models placed all at once (GLOMAP). Three to five times the CPU time of incremental mapping."""
    setup = pycolmap.GlobalPipelineOptions(
        num_threads=THREADS_PER_TASK, random_seed=job.seed, min_model_size=job.options.min_model_frames
    )
    database = job.own_database("global")
    pycolmap.set_random_seed(job.seed)
    models = pycolmap.global_mapping(database, job.frames_dir, database.parent, setup)
    return list(models.values())


@dataclass(frozen=True, eq=False)
class Attempt:
    """The sub-models of one run of a mapper."""

    name: str
    models: tuple[pycolmap.Reconstruction, ...]  # largest first
    audit: Audit
    """Of the largest model, an empty one for none. Smaller ones often hold the same frames once more, and merging looks
    after them."""
    finished: bool = False  # whether the models are refined and have all their points
    left_out: tuple[tuple[int, Verdict], ...] = ()  # how many frames each model has that was dropped, and why

    @property
    def registered(self) -> int:
        """Frames with a pose in any of the models."""
        return len({frame for model in self.models for frame in model.reg_image_ids()})


def make_attempt(
    name: str,
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
    found = audit(ordered[0], evidence) if ordered else Audit(pycolmap.Reconstruction(), ())
    return Attempt(name, ordered, found, finished, tuple(left_out))


def map_again(
    bad: Attempt, job: MappingJob, grow_from: Callable[[int], Attempt], is_enough: Callable[[Attempt], bool]
) -> list[Attempt]:
    """Attempts that grow from frames beside the worst place of a bad one, until one is enough.

    The worst is the most torn one; without tears, the widest that anything else speaks against.
    """
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


def halves_of(job: MappingJob) -> tuple[MappingJob, MappingJob] | None:
    """The jobs of mapping the two overlapping halves of a clip; None if it is too short."""
    if len(job.frames) // 2 < _LEAST_HALF:
        return None
    middle, half = _find_meeting_place(job), replace(job, is_half=True)
    first = replace(half, frames=job.frames[: middle + _SHARED // 2], work_dir=job.work_dir / "half_0")
    return first, replace(half, frames=job.frames[middle - _SHARED // 2 :], work_dir=job.work_dir / "half_1")


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
        return make_attempt("half", models, half, tears_only=True)  # what else is wrong comes later

    whole = grow_from(None)
    if not whole.audit.doubts:
        return list(whole.models)
    *_, last = [whole, *map_again(whole, half, grow_from, _is_whole)]
    return list(last.models) if _is_whole(last) else []


def _is_whole(attempt: Attempt) -> bool:
    return bool(attempt.models) and not attempt.audit.doubts


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
