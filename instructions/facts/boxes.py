"""Measures of a box: its centre and the distance to it on the floor plan, and its size in a word.

Floor measures are in the unit of the box (the model's); the size word is about (nominal) metres. Boxes themselves are
made by perception; nothing here looks at points or pixels.
"""

from __future__ import annotations

import numpy as np

from instructions.records import Obb
from recon.geometry import Array


def floor_center(box: Obb) -> Array:
    """Centre of a box on the floor plan, (2,)."""
    return np.array(box.center[:2])


def floor_distance(box: Obb, xy: Array) -> Array:
    """Distance on the floor plan from places (N, 2) to the nearest side of a box, 0 inside it: (N,)."""
    axes = np.array(box.rotation)[:2, :2]
    local = np.abs((np.atleast_2d(xy) - floor_center(box)) @ axes)
    return np.linalg.norm(np.maximum(local - np.array(box.half_extents[:2]), 0.0), axis=1)


def size_word(box: Obb, floor_z: float | None, metre: float) -> str | None:
    """One word for what is striking about a box, or None.

    With lengths in (nominal) metres, the first that holds: `tall`: at least 1.2 high and 1.3 times as high as long;
    `small`: no side over 0.55; `wide`: at least 1.4 long and 1.6 times as long as high; `low`: at least 0.6 long with
    its top under 0.6 above the floor; `large`: a side of at least 1.1. A scene without scale uses nominal metres, so
    the words then mean "for this scene".
    """
    length, height = 2 * box.half_extents[0] / metre, 2 * box.half_extents[2] / metre
    top = (box.center[2] + box.half_extents[2] - floor_z) / metre if floor_z is not None else None
    if height >= 1.2 and height >= 1.3 * length:
        return "tall"
    if max(length, height) <= 0.55:
        return "small"
    if length >= 1.4 and length >= 1.6 * height:
        return "wide"
    if top is not None and top < 0.6 and length >= 0.6:
        return "low"
    return "large" if max(length, height) >= 1.1 else None
