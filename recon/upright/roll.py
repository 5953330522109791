"""How the camera was held, judged from a model: people turn about the vertical, whatever way up the pictures are.

Between any two frames a camera rotates about some axis of the world. Where a tour turns more than it nods, these axes
are the vertical, however the camera is rolled and pitched. Where the vertical then lies in the pictures is the roll.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial.transform import Rotation

from recon.geometry import Array, Pose

_FRAMES = 60  # so many frames, evenly, say as much as all
_TURNED = 0.25
"""Root mean square over pairs of frames of the sine of half the turn: a quarter turn somewhere on the way has 0.35."""
_TURNED_FAR = 0.4  # from here on nobody nods as much, so the path need not speak for the axis
_NODS = 0.3
"""Turning about a second axis, relative to the first: a camera that nods as much as it turns is no evidence."""
_LEVEL_WALK = 0.5
"""Spread of the path along the axis over its second spread across it: a walk bends sideways more than it bobs. A camera
that nods in a straight corridor turns about a level axis, and its walk bends along it."""
_STEADY = 0.9
"""Length of the mean of the rolls as unit vectors: the camera is held in one way, and not along the axis."""
_UPRIGHT_DEG = 15.0  # a smaller roll is told better by the walls
_DOUBTFUL_DEG = 60.0  # from here on, either side of the pictures may be the upper one
_BELOW, _DOWN_DEG, _OVERTURNED = 0.2, 10.0, -1.0
"""Points below the cameras, beyond half of them, and degrees by which these look down that say as much of what is down;
together they speak for pictures on their head below this sum. On eight upright tours 0.54 to 1.0 of the points lie
below, and the cameras look down by 6 to 28 degrees."""


def find_roll_deg(world_from_cam: Sequence[Pose], xyz: Array) -> float:
    """Find by how many degrees, clockwise, the pictures have to be turned to stand upright, in (-180, 180].

    Of the two ways up, the one nearer to that of the pictures is believed, unless points and looks speak against it;
    of two sideways ways the one for which they speak: there is more to see on floors, and people look down.

    Returns:
        0 for less than 15 degrees, and where the tour does not tell.
    """
    if len(world_from_cam) < 3:
        return 0.0
    axis, turned = _find_turning_axis(world_from_cam)
    if turned < _TURNED:
        return 0.0
    centers = np.array([pose.center for pose in world_from_cam])
    off = centers - centers.mean(axis=0)
    across = np.linalg.svd(off - np.outer(off @ axis, axis), compute_uv=False)[1]
    if turned < _TURNED_FAR and np.linalg.norm(off @ axis) > _LEVEL_WALK * across:
        return 0.0
    ups = np.array([axis @ pose.rotation for pose in world_from_cam])
    mean = complex((-ups[:, 1] - 1j * ups[:, 0]).mean())
    if abs(mean) < _STEADY * np.hypot(ups[:, 0], ups[:, 1]).mean() or abs(mean) < 1.0 - _STEADY:
        return 0.0
    if mean.real < 0.0:
        axis, mean = -axis, -mean
    roll_deg = float(np.degrees(np.angle(mean)))
    if len(xyz) == 0:
        return roll_deg if _UPRIGHT_DEG <= abs(roll_deg) <= _DOUBTFUL_DEG else 0.0
    below = float(np.mean((xyz - np.median(centers, axis=0)) @ axis < 0.0))
    down_deg = -float(np.degrees(np.arcsin(np.median([pose.forward @ axis for pose in world_from_cam]))))
    speaks_for = (below - 0.5) / _BELOW + down_deg / _DOWN_DEG
    if speaks_for < (0.0 if abs(roll_deg) > _DOUBTFUL_DEG else _OVERTURNED):
        return roll_deg - 180.0 if roll_deg > 0.0 else roll_deg + 180.0
    return roll_deg if abs(roll_deg) >= _UPRIGHT_DEG else 0.0


def _find_turning_axis(world_from_cam: Sequence[Pose]) -> tuple[Array, float]:
    """The axis of the world about which the camera turns, (3,), and how much; 0 where it turns about others too."""
    chosen = np.unique(np.linspace(0, len(world_from_cam) - 1, _FRAMES).round().astype(int))
    rotations = np.array([world_from_cam[at].rotation for at in chosen])
    one, other = np.triu_indices(len(chosen), 1)
    turned = Rotation.from_matrix(rotations[other] @ rotations[one].transpose(0, 2, 1))
    halves = turned.as_quat()[:, :3]  # axis times the sine of half the angle
    strength, axes = np.linalg.eigh(halves.T @ halves / len(halves))
    nods, turns = np.sqrt(np.maximum(strength[1:], 0.0)).tolist()
    return axes[:, 2], turns if nods <= _NODS * turns else 0.0


def turn_picture(world_from_cam: Pose, clockwise_deg: float) -> Pose:
    """The same camera with its picture turned clockwise."""
    cosine, sine = np.cos(np.radians(clockwise_deg)), np.sin(np.radians(clockwise_deg))
    cam_from_turned = np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    return Pose(world_from_cam.rotation @ cam_from_turned, world_from_cam.translation)
