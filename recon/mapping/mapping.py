"""COLMAP's mappers on the frames of a clip or of half of one, and runs from beside the place where one went wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pycolmap

from recon.audit.audit import Audit, Evidence, audit
from recon.audit.torn import frames_beside
from recon.audit.verdict import Verdict
from recon.colmap.database import CAMERA_ID, copy_part, open_database
from recon.mapping.options import MappingBars, SfmOptions
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
    setup.mapper.abs_pose_min_num_inliers = _REGISTER_MIN_INLIERS
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
_REGISTER_MIN_INLIERS = 15
"""3D points a new frame must agree with. Half of COLMAP's default; with 30 office walks break at blank walls."""
_REGISTER_MAX_ERROR_PX = 8.0
"""Reprojection error that counts as agreement. COLMAP's 12 are meant for large pictures."""


def map_globally(job: MappingJob) -> list[pycolmap.Reconstruction]:
    """Sub-models placed all at once (GLOMAP). Three to five times the CPU time of incremental mapping."""
    setup = pycolmap.GlobalPipelineOptions(
        num_threads=THREADS_PER_TASK, random_seed=job.seed, min_model_size=job.options.min_model_frames
    )
    database = job.own_database("global")
    pycolmap.set_random_seed(job.seed)
    models = pycolmap.global_mapping(database, job.frames_dir, database.parent, setup)
    return list(models.values())


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
        return not self.doubts

    @property
    def doubts(self) -> tuple[Verdict, ...]:
        """On the largest model."""
        return () if self.audit is None else self.audit.doubts

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
