"""Whether a thing can be what it is called: how long and high it is, and how high above the floor.

An empty wall that fills the picture is called a refrigerator, a black wall cabinet a screen: networks see no size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from instructions.perception.models.light.labels import Word
from instructions.perception.things.lift import Lifted
from instructions.records import Detection
from recon.geometry import Array
from recon.records import ScaleStatus, SceneModel

_SLACK: dict[ScaleStatus, float] = {"metric": 1.0, "assumed": 1.25, "relative": 1.6}
"""By how much bounds are widened: an assumed scale is off by some ten percent, a nominal one by half."""
_EDGE_PX = 3.0
"""A box that ends this near the border of the picture is cut there."""
_TWO = 2
"""Views that show a thing whole; one may be wrong."""


@dataclass(frozen=True)
class Measures:
    """What pictures say of a thing, in (nominal) metres; None where too few show that side whole."""

    length_m: float | None
    height_m: float | None
    bottom_m: float | None
    """Above the floor; None also where the floor is not known."""
    top_m: float | None


def measure_views(members: Sequence[Lifted], detections: Sequence[Detection], model: SceneModel) -> Measures:
    """Measure a thing in the pictures that show it whole: box edges at the depth of the thing.

    Args:
        members: The thing's detections in the world.
        detections: All detections; `Lifted.row` points into them.
        model: Their model.
    """
    metre = model.nominal_metre
    lengths: list[float] = []
    heights: list[float] = []
    bottoms: list[float] = []
    tops: list[float] = []
    for one in members:
        x0, y0, x1, y1 = detections[one.row].box_xyxy
        middle = ((x0 + x1) / 2, (y0 + y1) / 2)
        rays = model.camera.rays([(x0, middle[1]), (x1, middle[1]), (middle[0], y0), (middle[0], y1)])
        left, right, upper, lower = model.world_from_cam[one.frame] @ (rays * one.distance)
        is_wide = x0 > _EDGE_PX and x1 < model.camera.width - _EDGE_PX
        has_top, has_bottom = y0 > _EDGE_PX, y1 < model.camera.height - _EDGE_PX
        if is_wide:
            lengths.append(float(np.linalg.norm(right - left)) / metre)
        if has_top and has_bottom:
            heights.append(float(np.linalg.norm(upper - lower)) / metre)
        if model.floor_z is not None:
            if has_top:
                tops.append((float(upper[2]) - model.floor_z) / metre)
            if has_bottom:
                bottoms.append((float(lower[2]) - model.floor_z) / metre)
    return Measures(_median(lengths), _median(heights), _median(bottoms), _median(tops))


def why_not(word: Word, found: Measures, status: ScaleStatus) -> str | None:
    """What of a thing does not fit its word, None if nothing speaks against it."""
    slack = _SLACK[status]
    pairs = (("long", found.length_m, word.length_m), ("high", found.height_m, word.height_m))
    for name, value, bounds in pairs:
        if value is not None and bounds is not None and not bounds[0] / slack <= value <= bounds[1] * slack:
            return f"{value:.2f} m {name}"
    if found.bottom_m is not None and word.bottom_m is not None and found.bottom_m > word.bottom_m * slack:
        return f"begins {found.bottom_m:.2f} m above the floor"
    if found.top_m is not None and word.top_m is not None:
        low, high = word.top_m
        if not (low / slack if low > 0 else low * slack) <= found.top_m <= high * slack:
            return f"ends {found.top_m:.2f} m above the floor"
    return None


def _median(values: Sequence[float] | Array) -> float | None:
    return float(np.median(values)) if len(values) >= _TWO else None
