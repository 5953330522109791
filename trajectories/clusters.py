"""Places where the way branches: view changes and crossings grouped by DBSCAN, with every frame that passes there.

A crossing is where the walk comes past an earlier place another way, though the camera turns at neither time. The
paper's crossing case: two ways lead through one place, so there a navigator has to choose, whether or not the walker
turned. Two passages cross where the walk comes within reach of where it was before, far enough along the way that it
left in between, and goes across the earlier way: walking back along a way, or beside it, crosses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recon.geometry import Array
from recon.ranges import AtLeastOne, HalfTurn, Metres, Positive
from trajectories.records import Crossing, TrajectoryPoint, ViewChange


@dataclass(frozen=True, kw_only=True)
class CrossingOptions:
    """What counts as a crossing. Lengths in metres (nominal ones where the model has no scale)."""

    reach_m: Metres = 0.5
    """Two passages meet where the camera comes this near (metres): a step aside, less than a corridor's width."""
    min_angle_deg: HalfTurn = 45.0
    """Smallest angle between the two ways, taken as lines, and between the two views (degrees); the paper's number."""
    straight_m: Metres = 0.5
    """The way goes on at least this far (metres) before and after the place: who stands or turns passes nothing."""
    apart_m: Metres = 3.0
    """Least length of the way between the two passages (metres): a bend is no crossing of itself."""


def find_crossings(
    points: Sequence[TrajectoryPoint], options: CrossingOptions = CrossingOptions(), *, metre: float = 1.0
) -> list[Crossing]:
    """Find where a walk crosses itself.

    Args:
        points: The walk in time order.
        options: Thresholds.
        metre: Length of one (nominal) metre in the unit of the positions.

    Returns:
        Crossings by their second passage; of those that lie within twice the reach of each other, in both passages,
        only the nearest meeting. Empty for fewer than two points.
    """
    if len(points) < 2:
        return []
    positions = np.array([point.position for point in points])
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(_steady(positions, metre), axis=0), axis=1))])
    ways, goes_on = _directions(positions, options.straight_m * metre)
    views = np.radians([point.heading_deg for point in points])
    line_cosine = np.abs(ways @ ways.T)
    view_cosine = np.cos(views[:, None] - views[None])
    distances = np.linalg.norm(positions[:, None] - positions[None], axis=-1)
    limit = float(np.cos(np.radians(options.min_angle_deg))) + 1e-9
    meets = (distances <= options.reach_m * metre) & (line_cosine <= limit) & (view_cosine <= limit)
    meets &= goes_on[:, None] & goes_on[None] & (along[None] - along[:, None] >= options.apart_m * metre)
    pairs: NDArray[np.int64] = np.argwhere(meets)
    order = np.lexsort((pairs[:, 1], pairs[:, 0], np.round(distances[meets], 9)))
    chosen: list[tuple[int, int]] = []
    for first, second in pairs[order].tolist():
        near = 2 * options.reach_m * metre
        if not any(distances[first, a] <= near and distances[second, b] <= near for a, b in chosen):
            chosen.append((first, second))
    return [
        Crossing(
            points[first].frame,
            points[second].frame,
            float(np.degrees(np.arccos(min(line_cosine[first, second], 1.0)))),
            float(distances[first, second]),
        )
        for first, second in sorted(chosen, key=lambda pair: (pair[1], pair[0]))
    ]


_SWAY_M = 0.1
"""A camera that stays this near has not moved on (metres): standing must not add up to a way."""


def _steady(positions: Array, metre: float) -> Array:
    """The positions with those held that lie within the sway of the last one that moved on."""
    held = positions.copy()
    for row in range(1, len(held)):
        if np.linalg.norm(held[row] - held[row - 1]) < _SWAY_M * metre:
            held[row] = held[row - 1]
    return held


def _directions(positions: Array, straight: float) -> tuple[Array, NDArray[np.bool_]]:
    """(N, 2) unit directions of the way on the floor, and where it goes on both before and after.

    From the last position at least `straight` before to the first at least `straight` after; the way goes on where the
    two lie on different sides, that is further apart than either is from the place.
    """
    floor = positions[:, :2]
    count = len(floor)
    ways = np.zeros((count, 2))
    goes_on = np.zeros(count, bool)
    for row in range(count):
        away = np.linalg.norm(floor - floor[row], axis=1) >= straight
        before, after = np.flatnonzero(away[:row]), np.flatnonzero(away[row + 1 :])
        if len(before) == 0 or len(after) == 0:
            continue
        start, end = floor[before[-1]], floor[row + 1 + after[0]]
        way = end - start
        length = float(np.linalg.norm(way))
        nearer = max(float(np.linalg.norm(end - floor[row])), float(np.linalg.norm(floor[row] - start)))
        if length > nearer:
            ways[row], goes_on[row] = way / length, True
    return ways, goes_on


@dataclass(frozen=True, kw_only=True)
class ClusterOptions:
    """How places are grouped. Lengths in metres (nominal ones where the model has no scale)."""

    radius_m: Metres = 1.0
    """Reach of a place (metres), and of the grouping of view changes and crossings; doorways are about that wide."""
    radius_steps: Positive | None = None
    """Radius in median steps of the walk, used where the scale is relative; by default `radius_m` nominal metres."""
    min_frames: AtLeastOne = 3
    """Places with fewer frames are dropped: the right view, where one stands, and another view."""


def find_clusters(
    points: Sequence[TrajectoryPoint],
    view_changes: Sequence[ViewChange],
    options: ClusterOptions = ClusterOptions(),
    *,
    crossings: Sequence[Crossing] = (),
    unit: str = "m",
    metre: float = 1.0,
) -> list[tuple[int, ...]]:
    """Group the view changes and crossings that lie together, and collect all frames near each group.

    What remains after the suppression are the view changes, so DBSCAN runs over their positions; each is a place of
    its own, so its minimum size is 1 and `min_frames` counts the frames that pass. Frames within the radius of a view
    change belong to the place of the nearest one, also those of other visits that did not turn there. A crossing
    without a view change in reach is a place too.

    Args:
        points: The walk in time order.
        view_changes: Of the same walk.
        options: Sizes.
        crossings: Of the same walk.
        unit: Of the positions: `m` or `unit`.
        metre: Length of one (nominal) metre in that unit.

    Returns:
        Frames in time order per place, places with a view change first, in the order of these. No frame
        is in two.
    """
    from sklearn.cluster import DBSCAN  # 120 MB, which whoever only drives others does without

    if not view_changes and not crossings:
        return []
    positions = np.array([point.position for point in points])
    radius = options.radius_m * metre
    if unit != "m" and options.radius_steps is not None:
        radius = float(options.radius_steps * np.median(np.linalg.norm(np.diff(positions, axis=0), axis=1)))
    row_of = {point.frame: row for row, point in enumerate(points)}
    turned = positions[[row_of[change.frame] for change in view_changes]]
    met = [(positions[row_of[one.first_frame]] + positions[row_of[one.second_frame]]) / 2 for one in crossings]
    # Where the walk turned in reach, the place is there already; the crossing must not move or widen it.
    apart = [spot for spot in met if not len(turned) or np.linalg.norm(turned - spot, axis=1).min() > radius]
    cores = np.array([*turned, *apart])
    labels = DBSCAN(eps=radius, min_samples=1).fit_predict(cores) if radius > 0 else np.arange(len(cores))
    distances = np.linalg.norm(positions[:, None] - cores[None], axis=-1)
    place = np.where(distances.min(axis=1) <= radius, labels[distances.argmin(axis=1)], -1)
    clusters = [
        tuple(point.frame for point, label in zip(points, place, strict=True) if label == wanted)
        for wanted in dict.fromkeys(labels.tolist())
    ]
    return [cluster for cluster in clusters if len(cluster) >= options.min_frames]
