"""COLMAP's mappers on the frames of one clip: incremental and global."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pycolmap

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
