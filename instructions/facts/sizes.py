"""Sizes of one body: height, elevation, width, depth, length, volume. Full extents, in the body's unit."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

import numpy as np

from instructions.facts.between import point_distances
from instructions.facts.bodies import UP, Body
from instructions.facts.viewer import Viewer
from instructions.records import Obb, SceneObject

LEAST_WIDTH_M: Mapping[str, float] = {
    "sofa": 0.5,
    "bed": 0.6,
    "armchair": 0.45,
    "chair": 0.3,
    "bench": 0.25,
    "table": 0.28,
    "cabinet": 0.2,
    "shelf": 0.15,
}
"""Narrower level side of the smallest that is sold: seats 0.38 deep and wide (EN 1335), sofas 0.7, cots 0.6 by 1.2 (EN
716), side tables 0.35, kitchen wall units 0.3 (EN 1116), shelves for books 0.2 (a framed board on a wall has 0.05);
less a fifth or so, for boxes hold what was seen of a thing. A narrower box holds a part of which nobody knows what it
belongs to."""
LEAST_LENGTH_M: Mapping[str, float] = {"bed": 1.5}
"""Longer level side, where networks take a part of something else for a whole: a mattress is 1.9 long, a cot 1.2; the
arm and the back of a sofa, which are called beds, are less."""
MOST_LENGTH_M: Mapping[str, float] = {
    "chair": 1.1,
    "armchair": 1.4,
    "suitcase": 1.0,
    "microwave": 0.8,
    "toilet": 1.0,
    "plant": 2.0,
    "door": 2.4,
    "refrigerator": 1.25,
    "oven": 1.2,
    "bed": 3.0,
    "bathtub": 2.4,
}
"""Longer level side of the largest that is sold, and a third more for what a box holds besides: office chairs with arms
are 0.75 across, armchairs 1.1, built-in ovens 0.6, palms in pots 1.5, double doors 1.8, refrigerators with two doors
0.92, ranges 0.9, beds 2.2, bathtubs 1.8. Plants that stand together are one box, and what stands between them lies in
it, too. Chairs around a table are joined with it now and then."""
MOST_WIDTH_M: Mapping[str, float] = {"shelf": 0.8, "cabinet": 0.95}
"""Narrower level side of the largest that is sold, and a third more: shelves are 0.6 deep, wardrobes 0.68. What is
deeper is a wall with all that stands before it, or a niche."""
GROUPED = ("plant", "chair", "stool", "trash can")
"""Small things that often stand together and are then found as one."""
MOST_REGIONS = 0.5
"""Share of the boxes of such a thing that may be regions of its class, for it to be known as one thing: most of its
boxes are those of a detector that tells two of a kind apart."""
_MOST_GROUP = 2.0
"""A box up to so many times as long as the largest of a kind is a group of them; what is longer still is anything."""


def height(body: Body) -> float:
    """Greatest minus least z of the body; not a side of its box, which may have no vertical axis."""
    return body.extent(UP)


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


def fits_name(category: str | None, box: Obb, metre: float, *, or_group: bool = False) -> bool:
    """Whether an upright box, in whose unit a (nominal) metre is `metre` long, has level sides that a thing of this
    name can have, or several that stand together (`or_group`). Names that no table holds fit.
    """
    name = category or ""
    width_m, length_m = sorted(2.0 * side / metre for side in box.half_extents[:2])
    is_wide = LEAST_WIDTH_M.get(name, 0.0) <= width_m <= MOST_WIDTH_M.get(name, inf)
    is_short = length_m <= MOST_LENGTH_M.get(name, inf) or (or_group and is_group(category, box, metre))
    return is_wide and is_short and length_m >= LEAST_LENGTH_M.get(name, 0.0)


def is_one(thing: SceneObject, metre: float) -> bool:
    """Whether what was found is known to be one thing, so that its box has a size to speak of and a mark means it."""
    if thing.category in GROUPED and thing.region_share > MOST_REGIONS:
        return False
    return not is_group(thing.category, thing.obb, metre)


def is_group(category: str | None, box: Obb, metre: float) -> bool:
    """Whether an upright box is too long for one thing of this name, and may hold several that stand together."""
    most_m = MOST_LENGTH_M.get(category or "", inf)
    return category in GROUPED and most_m < 2.0 * max(box.half_extents[:2]) / metre <= _MOST_GROUP * most_m
