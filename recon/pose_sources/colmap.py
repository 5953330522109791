"""COLMAP models, binary or text: cam_from_world with OpenCV axes per image name, and cameras. Points are not used."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pycolmap

from recon.colmap.read import read_model
from recon.errors import ReconError
from recon.geometry import Pose
from recon.pose_sources.records import Lens, PosedPicture, PoseSource

_NETWORK_PX, _TILE_PX = 518, 14
"""MapAnything writes models of the pictures that it saw: 518 pixels long, in tiles of 14."""


def is_colmap_model(folder: Path) -> bool:
    """Whether the folder holds a model in COLMAP's binary or text format."""
    return any((folder / f"images{suffix}").is_file() for suffix in (".bin", ".txt"))


def read_colmap(folder: Path) -> PoseSource:
    """Read the registered images of a model.

    Raises:
        ReconError: If a file is missing or damaged, or no image has a pose.
    """
    model = read_model(folder, with_points=False)
    images = [model.image(image_id) for image_id in sorted(model.reg_image_ids())]
    if not images:
        raise ReconError(f"{folder}: no image of this model has a pose")
    pictures = tuple(
        PosedPicture(world_from_cam=Pose.from_rigid3d(image.cam_from_world().inverse()), name=image.name)
        for image in images
    )
    return PoseSource(str(folder), "colmap", pictures, _lens(model, images))


def _lens(model: pycolmap.Reconstruction, images: list[pycolmap.Image]) -> Lens:
    """The lens of most images. Where each has a camera of its own, the median of those of the same kind and size."""
    cameras = [model.camera(image.camera_id) for image in images]
    kind = Counter((camera.model.name, camera.width, camera.height) for camera in cameras).most_common(1)[0][0]
    params = np.array([camera.params for camera in cameras if (camera.model.name, camera.width, camera.height) == kind])
    name, *size = kind
    is_prepared = max(size) == _NETWORK_PX and not any(side % _TILE_PX for side in size)
    return Lens.of_all(name, params, (size[0], size[1]), is_prepared)
