"""Colors of points from the pictures that see them."""

from __future__ import annotations

from pathlib import Path

import pycolmap

from recon.colmap.log import quiet_colmap
from recon.tasks import THREADS_PER_TASK


def color_points(reconstruction: pycolmap.Reconstruction, frames_dir: Path) -> None:
    """Give every point of a model the mean color of its observations, in place."""
    with quiet_colmap():
        reconstruction.extract_colors_for_all_images(frames_dir, THREADS_PER_TASK)
