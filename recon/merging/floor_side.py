"""A model as it stands on its floor: in units of the camera's height near one of its ends, the floor at z = 0.

Two models that were walked through by one person are then of one scale, whatever the pictures between them can tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from recon.audit.floor_height import FloorMask, find_floor_plane
from recon.geometry import Array, Camera, Pose, Sim3
from recon.records import SubModel

_LEAST_POINTS = 15
"""Of the floor, seen near the end, that tell the camera's height there."""


@dataclass(frozen=True, eq=False)
class FloorSide:
    """One side of a seam."""

    model: SubModel
    floor_from_model: Sim3
    """To z up, the floor at z = 0, and the camera at about (0, 0, 1) near the seam."""
    height_sigma: float
    """Relative standard deviation of the camera's height near the seam: of the floor's points and of the hand."""
    camera: Camera

    def floor_from_cam(self, frame: int) -> Pose:
        """Pose of one of its frames over the floor."""
        rigid = self.model.reconstruction.image(frame).cam_from_world()
        return self.floor_from_model.move_camera(Pose.from_rigid3d(rigid).inverse())


def stand_on_floor(
    model: SubModel, floors: Mapping[int, FloorMask], near: Sequence[int], seed: int = 0
) -> FloorSide | None:
    """Stand a model on the floor that its pictures show.

    Args:
        model: Any.
        floors: Where the pictures show the floor; the more frames of the model, the better the vertical.
        near: Frames at the seam, whose height above the floor becomes 1.
        seed: For drawing planes.

    Returns:
        None where too little of the floor is seen.
    """
    plane = find_floor_plane(model.reconstruction, floors, seed)
    if plane is None:
        return None
    points = plane.seen_by(near)
    if len(points) < _LEAST_POINTS:
        return None
    centers = np.array([model.reconstruction.image(frame).projection_center() for frame in near])
    levels = points @ plane.up
    height = float(np.median(centers @ plane.up) - np.median(levels))
    if height <= 0:
        return None
    noise = 1.48 * float(np.median(np.abs(levels - np.median(levels)))) / np.sqrt(len(levels))
    hand = 1.48 * float(np.median(np.abs(centers @ plane.up - np.median(centers @ plane.up))))
    rotation = _level(plane.up)
    middle = rotation @ np.median(centers, axis=0)
    below = np.array([middle[0], middle[1], float(np.median(levels))]) / height
    camera = Camera.from_colmap(next(iter(model.reconstruction.cameras.values())))
    sigma = float(np.hypot(_LEAST_SIGMA, np.hypot(noise, hand) / height))
    return FloorSide(model, Sim3(1.0 / height, rotation, -below), sigma, camera)


_LEAST_SIGMA = 0.02
"""A hand goes up and down by some 3 cm as one walks."""


def _level(up: Array) -> Array:
    """A rotation (3, 3) that makes `up` +z."""
    aside = np.cross(up, np.eye(3)[int(np.argmin(np.abs(up)))])
    aside /= np.linalg.norm(aside)
    return np.array([aside, np.cross(up, aside), up], np.float64)
