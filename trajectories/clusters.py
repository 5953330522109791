"""Places where the way branches: view changes and crossings grouped by DBSCAN, with every frame that passes there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recon.geometry import Array
from recon.ranges import AtLeastOne, Metres, Positive
from trajectories.records import Crossing, TrajectoryPoint, ViewChange


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
    radius = _radius(points, options, unit, metre)
    positions = np.array([point.position for point in points])
    row_of = {point.frame: row for row, point in enumerate(points)}
    turned = positions[[row_of[change.frame] for change in view_changes]]
    met = [(positions[row_of[one.first_frame]] + positions[row_of[one.second_frame]]) / 2 for one in crossings]
    # Where the walk turned in reach, the place is there already; the crossing must not move or widen it.
    cores = np.array([*turned, *(spot for spot in met if not _is_near(spot, turned, radius))])
    labels = DBSCAN(eps=radius, min_samples=1).fit_predict(cores) if radius > 0 else np.arange(len(cores))
    distances = np.linalg.norm(positions[:, None] - cores[None], axis=-1)
    place = np.where(distances.min(axis=1) <= radius, labels[distances.argmin(axis=1)], -1)
    clusters = [
        tuple(point.frame for point, label in zip(points, place, strict=True) if label == wanted)
        for wanted in dict.fromkeys(labels.tolist())
    ]
    return [cluster for cluster in clusters if len(cluster) >= options.min_frames]


def _is_near(spot: Array, others: Array, radius: float) -> bool:
    return bool(len(others)) and float(np.linalg.norm(others - spot, axis=1).min()) <= radius


def _radius(points: Sequence[TrajectoryPoint], options: ClusterOptions, unit: str, metre: float) -> float:
    if unit == "m" or options.radius_steps is None:
        return options.radius_m * metre
    steps = np.linalg.norm(np.diff([point.position for point in points], axis=0), axis=1)
    return float(options.radius_steps * np.median(steps))
