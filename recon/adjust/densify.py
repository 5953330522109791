"""Give a finished model the points that mapping did without: triangulated from all matches, its poses held still."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pycolmap

from recon.adjust.misfits import MIN_ANGLE_DEG, remove_misfits
from recon.adjust.refine import adjust_points
from recon.colmap.database import load_cache


def densify(model: pycolmap.Reconstruction, database_path: Path, frames: Collection[int], seed: int = 0) -> None:
    """Triangulate every matched keypoint that has no point yet, in place.

    Poses and the camera stay as they are; the places of all points are adjusted to them.

    Matches of `frames` are used, all of the model's among them.
    """
    mapper = pycolmap.IncrementalMapper(load_cache(database_path, frames))
    mapper.begin_reconstruction(model)
    choice = pycolmap.IncrementalTriangulatorOptions(min_angle=MIN_ANGLE_DEG, random_seed=seed)
    for image in sorted(model.reg_image_ids()):
        mapper.triangulate_image(choice, image)
    # Each frame made tracks of its own with those after it; many are one point, and would pass for a tear (`torn`).
    mapper.complete_and_merge_tracks(choice)
    mapper.end_reconstruction(False)
    adjust_points(model)
    remove_misfits(model)
