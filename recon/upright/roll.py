"""Whether the camera was held upright or sideways, judged from a model: people turn about the vertical, not the side.

The directions a tour looks in lie near one level plane. Its normal is the vertical whatever way the camera was held: in
an upright picture it runs along the image's columns, in a sideways one along its rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recon.geometry import Array, Pose

_TURNED = 0.3
"""Second singular value of the looking directions: the tour looks around by some 70 degrees or more."""
_FLAT = 0.75
"""Third over second singular value: a camera that nods as much as it turns is no evidence."""
_LEVEL_WALK = 0.5
"""Spread of the path along the normal over its second spread inside the plane: a walk bends sideways more than it bobs.
A camera that nods in a straight corridor looks along an upright plane, and its walk bends along that plane's normal."""
_ALONG_ROWS = 0.9
"""Mean cosine between the normal and the image rows: sideways; upright tours stay below 0.15."""


def quarter_turns(world_from_cam: Sequence[Pose], xyz: Array) -> int:
    """Quarter turns clockwise that turn the pictures upright: 0, 1 or -1.

    Of the two sideways ways, the one is believed that puts more points below the cameras than above: furniture and
    floors have more to see than ceilings.

    Args:
        world_from_cam: Camera poses in any frame.
        xyz: (N, 3) points in the same frame; may be empty.
    """
    if len(world_from_cam) < 3:
        return 0
    forward = np.array([pose.forward for pose in world_from_cam])
    rows = np.array([pose.right for pose in world_from_cam])
    _, spread, axes = np.linalg.svd(forward / np.sqrt(len(forward)), full_matrices=False)
    normal = axes[2]
    if spread[1] < _TURNED or spread[2] > _FLAT * spread[1] or np.abs(rows @ normal).mean() < _ALONG_ROWS:
        return 0
    centers = np.array([pose.center for pose in world_from_cam])
    walked = (centers - centers.mean(axis=0)) @ axes.T
    across, inside = np.linalg.norm(walked[:, 2]), np.linalg.svd(walked[:, :2], compute_uv=False)[1]
    if across > _LEVEL_WALK * inside:
        return 0
    right = normal if (rows @ normal).mean() > 0 else -normal
    if len(xyz) == 0:
        return 0
    heights = (xyz - np.median(centers, axis=0)) @ right
    # Up along the image's right: the picture has to be turned counter-clockwise to stand upright.
    return -1 if np.mean(heights < 0) >= 0.5 else 1


def turn_picture(world_from_cam: Pose, quarters: int) -> Pose:
    """The same camera with its picture turned clockwise by quarter turns."""
    cosine, sine = np.round(np.cos(quarters * np.pi / 2)), np.round(np.sin(quarters * np.pi / 2))
    cam_from_turned = np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    return Pose(world_from_cam.rotation @ cam_from_turned, world_from_cam.translation)
