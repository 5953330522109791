"""Sizes of one body: height, elevation, width, depth, length, volume. Full extents, in the body's unit."""

from __future__ import annotations

import numpy as np

from instructions.facts.bodies import Body
from instructions.facts.gap import point_distances
from instructions.facts.viewer import Viewer

_UP = np.array([0.0, 0.0, 1.0])


def height(body: Body) -> float:
    """Greatest minus least z of the body; not a side of its box, which may have no vertical axis."""
    return body.extent(_UP)


def elevation(body: Body, floor_z: float) -> float:
    """Least z of the body above the floor."""
    return body.bottom - floor_z


def width(body: Body, viewer: Viewer) -> float:
    """Spread from left to right as the viewer sees it."""
    return body.extent(viewer.right)


def length(body: Body) -> float:
    """The longer horizontal side of the box: of its two axes that are furthest from the vertical."""
    level = np.argsort(np.abs(body.axes[2]))[:2]
    return float(2 * body.half[level].max())


def level_width(body: Body) -> float:
    """The shorter horizontal side of the box."""
    level = np.argsort(np.abs(body.axes[2]))[:2]
    return float(2 * body.half[level].min())


def measure_named_side(body: Body, name: str) -> float:
    """Height, length, width (of the box: its shorter horizontal side) or the longest of the three.

    Raises:
        ValueError: For another name.
    """
    sides = {"height": height(body), "length": length(body), "width": level_width(body)}
    if name == "longest":
        return max(sides.values())
    if name not in sides:
        raise ValueError(f"no side {name!r}; known: {', '.join(sides)}, longest")
    return sides[name]


def longest_side(body: Body) -> float:
    """The longest side of the box, however the box stands."""
    return float(2 * body.half.max())


def volume(body: Body) -> float:
    """Product of the full sides of the box."""
    return float(8 * body.half.prod())


def camera_distance(body: Body, viewer: Viewer) -> float:
    """From the eye to the nearest point of the body."""
    if body.is_cloud:
        return float(np.linalg.norm(body.points - viewer.eye, axis=1).min())
    return float(point_distances(body, viewer.eye)[0])


def measure_facing_deg(body: Body, viewer: Viewer) -> float:
    """Angle between the viewer's right and the nearest horizontal axis of the box, 0 to 45 or so.

    Small where the spread from left to right is a side of the thing that a person would call its width.
    """
    level = np.argsort(np.abs(body.axes[2]))[:2]
    cosine = np.abs(body.axes[:, level].T @ viewer.right).max()
    return float(np.degrees(np.arccos(np.clip(cosine, 0.0, 1.0))))
