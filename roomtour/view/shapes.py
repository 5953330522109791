"""The marks of the viewer as plain arrays in the model's world: frusta, boxes, the path, outlines on the floor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from instructions.records import Obb
from recon.geometry import Array, Camera, Pose
from roomtour.drawing.colors import rgb_of, time_color
from trajectories.records import Area

_BOX_CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
_BOX_EDGES = np.array([(a, b) for a in range(8) for b in range(a + 1, 8) if bin(a ^ b).count("1") == 1])
TIME_SHADES = 32
"""Colours of the walk; more cannot be told apart."""
_CLICK_DEG = 2.5
"""How far beside the ray of a click the centre that it means may lie, seen from the eye."""
_FRUSTUM_EDGES = np.array([(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4), (4, 1)])


def time_colors(count: int) -> NDArray[np.uint8]:
    """(count, 3) colours from the start of the walk to its end, in `TIME_SHADES` steps."""
    last = TIME_SHADES - 1
    shades = np.array([rgb_of(time_color(step / last)) for step in range(TIME_SHADES)], dtype=np.uint8)
    return shades[np.linspace(0, last, count).round().astype(int)]


def frustum_lines(world_from_cam: Sequence[Pose], camera: Camera, depth: float) -> NDArray[np.float32]:
    """Eight lines per camera: from its centre to the corners of the image, and around them.

    Args:
        world_from_cam: N poses.
        camera: Of all of them.
        depth: How far before the centre the image is drawn, in the unit of the world.

    Returns:
        (8 N, 2, 3) ends of the lines.
    """
    corners = np.array([(0, 0), (camera.width, 0), (camera.width, camera.height), (0, camera.height)], dtype=float)
    in_cam = np.vstack([np.zeros((1, 3)), _undistort(camera, corners)]) * depth
    ends = [pose @ in_cam for pose in world_from_cam]
    return np.array(ends, dtype=np.float32).reshape(-1, 5, 3)[:, _FRUSTUM_EDGES].reshape(-1, 2, 3)


def box_lines(obb: Obb) -> NDArray[np.float32]:
    """The twelve edges of an oriented box, (12, 2, 3)."""
    corners = (_BOX_CORNERS * obb.half_extents) @ np.array(obb.rotation).T + obb.center
    return corners[_BOX_EDGES].astype(np.float32)


def box_top(obb: Obb) -> Array:
    """The middle of the highest face of the box, (3,); where its name goes."""
    height = np.abs(np.array(obb.rotation)[2]) @ np.array(obb.half_extents)
    return np.array(obb.center) + np.array([0.0, 0.0, height])


def lift_labels(
    anchors: NDArray[np.floating], widths: NDArray[np.floating], heights: NDArray[np.floating]
) -> NDArray[np.float64]:
    """Where labels go that face whoever looks, so that none covers another: each as low as those before it let it.

    Args:
        anchors: (N, 3) bottom middles; earlier ones are kept in place, later ones lifted.
        widths: (N,) how far each reaches, in the unit of the world.
        heights: (N,) how high each is.

    Returns:
        (N,) heights of the bottoms, none below its anchor.
    """
    bottoms = np.array(anchors[:, 2], dtype=float)
    for row in range(1, len(anchors)):
        apart = np.hypot(*(anchors[:row, :2] - anchors[row, :2]).T)
        near = np.flatnonzero(apart < (widths[:row] + widths[row]) / 2)
        for other in near[np.argsort(bottoms[near], kind="stable")]:
            if bottoms[other] - heights[row] < bottoms[row] < bottoms[other] + heights[other]:
                bottoms[row] = bottoms[other] + heights[other]
    return bottoms


def path_lines(frames: Sequence[int], centers: Array) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """The walk as lines between consecutive frames, coloured by time; nothing is drawn across frames without a pose.

    Returns:
        (S, 2, 3) ends and (S, 3) colours.
    """
    numbers = np.asarray(frames)
    joined = np.diff(numbers) == 1
    rows = np.flatnonzero(joined)
    colors = time_colors(len(numbers))
    ends = np.stack([centers[rows], centers[rows + 1]], axis=1).astype(np.float32)
    return ends.reshape(-1, 2, 3), colors[rows]


def turn_arrow(center: Array, first_deg: float, turn_deg: float, radius: float) -> tuple[Array, Array]:
    """An arc with a head, level at the height of the camera.

    Args:
        center: (3,) where the turn is.
        first_deg: Heading it starts with.
        turn_deg: How far it turns, left positive.
        radius: Of the arc.

    Returns:
        (S, 2, 3) lines, and the middle (3,) of the arc.
    """
    angle = np.radians(first_deg + np.linspace(0.0, turn_deg, 25))
    back = np.radians(12.0 * np.sign(turn_deg))
    barbs = [(angle[-1] - back, 0.82), (angle[-1] - back, 1.18)]
    arc = center + radius * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(len(angle))])
    head = [center + radius * reach * np.array([np.cos(at), np.sin(at), 0.0]) for at, reach in barbs]
    ends = np.concatenate([np.stack([arc[:-1], arc[1:]], axis=1), [(arc[-1], tip) for tip in head]])
    return ends, arc[len(arc) // 2]


def area_lines(areas: Sequence[Area], z: float) -> NDArray[np.float32]:
    """The outlines of pieces of floor, and of the holes in them, at one height: (S, 2, 3)."""
    rings = [ring for area in areas for ring in (area.outline, *area.holes)]
    flat = [np.column_stack([np.array(ring), np.full(len(ring), z)]) for ring in rings if len(ring) > 1]
    ends = [np.stack([ring, np.roll(ring, -1, axis=0)], axis=1) for ring in flat]
    return np.concatenate(ends).astype(np.float32) if ends else np.zeros((0, 2, 3), dtype=np.float32)


def pick_camera(origin: Array, direction: Array, centers: Array) -> int | None:
    """The camera a click means.

    Args:
        origin: (3,) where the ray of the click starts.
        direction: (3,) unit vector along it.
        centers: (F, 3) what can be clicked.

    Returns:
        The row of the centre that lies nearest to the ray by angle; None if the click is beside all of them.
    """
    if not len(centers):
        return None
    rays = centers - origin
    along = rays @ direction
    across = np.linalg.norm(rays - along[:, None] * direction, axis=1)
    angle_deg = np.degrees(np.arctan2(across, along))
    best = int(np.argmin(angle_deg))
    return best if angle_deg[best] <= _CLICK_DEG else None


def _undistort(camera: Camera, pixels: Array) -> Array:
    """Rays at z = 1 of a pinhole camera with the same focal length: lens distortion would only bend the drawing."""
    x = (pixels[:, 0] - camera.cx) / camera.fx
    y = (pixels[:, 1] - camera.cy) / camera.fy
    return np.column_stack([x, y, np.ones(len(pixels))])
