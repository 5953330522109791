"""What is up in a single image: the plane of the pixels that show ground, and no other.

A plane fitted to all points takes walls for the floor; where too little ground shows, nothing is called up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recon.geometry import Array, Pose, fit_plane, require_shape
from recon.planes import find_planes

LEAST_GROUND = 0.05
"""Share of the points that must be ground."""
_REACH_M = 0.05
"""Ground this far from the plane is on it."""
_LEAST_ON_PLANE = 0.5
"""Share of the ground that must lie on the plane; with less it is stairs or a slope, and no plane."""
_MOST_TILT_DEG = 75.0
"""Angle between the plane's normal and the image's up: nobody holds a camera further round."""
IMAGE_UP = np.array([0.0, -1.0, 0.0])
_CAMERA_WORLD = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
"""World axes of an image without a vertical: x ahead, y left, z up as the image has them."""


class Canonical(NamedTuple):
    """Points in the world of an image, and how that world lies."""

    points: Array  # (N, 3)
    ok: bool
    """Whether z is up: enough ground shows, and it is a plane."""
    world_from_cam: Pose
    """z up, x along the optical axis laid on the plane, y left; the origin is under the camera, on the plane."""


def canonicalise(points_cam: Array, ground: NDArray[np.bool_], *, seed: int = 0) -> Canonical:
    """Turn the points of an image upright by its ground.

    Args:
        points_cam: (N, 3) in camera axes, metres.
        ground: (N,) which of them are ground: floor, or another level surface such as a table top.
        seed: Of the search.

    Returns:
        The world; without enough ground z is the image's own up, the origin the camera, and `ok` is False.
    """
    require_shape("points_cam", points_cam, (None, 3))
    plane = _find_plane(points_cam[ground], seed) if len(ground) and ground.mean() >= LEAST_GROUND else None
    if plane is None:
        world_from_cam = Pose(_CAMERA_WORLD, np.zeros(3))
        return Canonical(world_from_cam @ points_cam, False, world_from_cam)
    normal, offset = plane
    world_from_cam = stand_upright(normal, -offset)
    return Canonical(world_from_cam @ points_cam, True, world_from_cam)


def stand_upright(up_cam: Array, height: float) -> Pose:
    """world_from_cam of a camera so high above the origin: z up, x along the optical axis laid on the floor, y left.

    Args:
        up_cam: (3,) unit, in camera axes.
        height: Of the camera above the level through the origin.
    """
    ahead = np.array([0.0, 0.0, 1.0]) - up_cam[2] * up_cam
    if np.linalg.norm(ahead) < 1e-6:  # straight down or up: ahead is where the image's up points
        ahead = IMAGE_UP - (IMAGE_UP @ up_cam) * up_cam
    ahead = ahead / np.linalg.norm(ahead)
    return Pose(np.array([ahead, np.cross(up_cam, ahead), up_cam]), np.array([0.0, 0.0, height]))


def _find_plane(ground: Array, seed: int) -> tuple[Array, float] | None:
    """Normal towards the image's up, and offset (normal @ x = offset), of most of the points; None if they are none."""
    most_tilted = np.cos(np.radians(_MOST_TILT_DEG))
    planes = find_planes(
        ground, _REACH_M, is_wanted=lambda normals: np.abs(normals @ IMAGE_UP) >= most_tilted, seed=seed
    )
    on_plane = [np.abs(ground @ plane.normal - plane.offset) < _REACH_M for plane in planes]
    best = max(on_plane, key=lambda rows: int(rows.sum()), default=None)
    if best is None or best.mean() < _LEAST_ON_PLANE:
        return None
    normal, offset = fit_plane(ground[best])
    return (normal, offset) if normal @ IMAGE_UP > 0 else (-normal, -offset)
