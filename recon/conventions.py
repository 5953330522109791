"""The one place where axes, handedness and angle conventions change. Everything else uses roomtour's own (see docs).

Own: world right-handed, z up; camera OpenCV (x right, y down, z forward); heading counter-clockwise from +x, so that
a turn to the left is positive.
"""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from recon.geometry import Array, Pose

_OPENGL_FROM_OPENCV = np.diag([1.0, -1.0, -1.0])
_YUP_FROM_ZUP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])


@overload
def wrap_deg(angle_deg: float) -> float: ...
@overload
def wrap_deg(angle_deg: Array) -> Array: ...
def wrap_deg(angle_deg: float | Array) -> float | Array:
    """The same angle, or angles, in [-180, 180)."""
    wrapped = (angle_deg + 180.0) % 360.0 - 180.0
    return wrapped if isinstance(wrapped, np.ndarray) else float(wrapped)


def heading_deg(world_from_cam: Pose) -> float:
    """Direction of the optical axis on the floor, counter-clockwise from +x seen from above, in [-180, 180).

    Raises:
        ValueError: If the camera looks straight up or down, so has no heading.
    """
    forward = world_from_cam.forward
    if np.hypot(forward[0], forward[1]) < 1e-3:
        raise ValueError("camera looks straight up or down, so has no heading")
    return wrap_deg(float(np.degrees(np.arctan2(forward[1], forward[0]))))


def elevation_deg(world_from_cam: Pose) -> float:
    """Angle of the optical axis above the horizon, -90 to 90."""
    return float(np.degrees(np.arcsin(np.clip(world_from_cam.forward[2], -1.0, 1.0))))


def compass_yaw_deg(world_from_cam: Pose) -> float:
    """RoomTour3D's yaw: atan2(dx, dy) of the optical axis, 0 = +y, clockwise, in [-180, 180)."""
    return wrap_deg(90.0 - heading_deg(world_from_cam))


def opengl_pose(world_from_cam: Pose) -> Pose:
    """world_from_glcam: the same camera with OpenGL axes (x right, y up, z backward)."""
    return Pose(world_from_cam.rotation @ _OPENGL_FROM_OPENCV, world_from_cam.translation)


def opencv_pose(world_from_glcam: Pose) -> Pose:
    """world_from_cam: an OpenGL camera (x right, y up, z backward) with OpenCV axes."""
    return Pose(world_from_glcam.rotation @ _OPENGL_FROM_OPENCV, world_from_glcam.translation)


def yup_from_zup(points: ArrayLike) -> Array:
    """Points (3,) or (N, 3) of our z-up world in a y-up world (x kept, z = -y): Habitat's axes."""
    return np.asarray(points, dtype=np.float64) @ _YUP_FROM_ZUP.T


def zup_from_yup(points: ArrayLike) -> Array:
    """Inverse of `yup_from_zup`."""
    return np.asarray(points, dtype=np.float64) @ _YUP_FROM_ZUP


def sprite_from_zup(points: ArrayLike) -> Array:
    """Points (3,) or (N, 3) of our world in SPRITE's left-handed, y-up world: (x, z, y). It is its own inverse.

    The swap changes handedness by itself, so nothing is mirrored: left stays left.
    """
    return np.asarray(points, dtype=np.float64)[..., [0, 2, 1]]


def sprite_yaw_deg(heading_deg: float) -> float:
    """SPRITE's yaw (clockwise from its +z, seen from above) of one of our headings, in [-180, 180); its own inverse."""
    return wrap_deg(90.0 - heading_deg)
