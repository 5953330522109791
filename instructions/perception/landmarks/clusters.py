"""Group the points that stand in the rooms into things, by place and colour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Gt, Le
from numpy.typing import NDArray
from scipy.spatial import KDTree

from instructions.perception.colors import lab_from_rgb
from recon.geometry import Array
from recon.ranges import AtLeastOne, Metres, NotNegative, Share, Step


@dataclass(frozen=True, kw_only=True)
class ClusterOptions:
    """How points group into things. Lengths in metres (nominal ones where the model has no scale)."""

    radius_m: Metres = 0.30
    """Points of one thing are chained by neighbours nearer than this; a gap between furniture is about as wide."""
    radius_shrink: Annotated[float, Gt(0), Le(0.95)] = 0.8
    """A group that is too big to be one thing is chained again with a radius this much smaller."""
    min_radius_m: Metres = 0.09
    """Below this the reconstruction's own noise decides what hangs together."""
    split_above_m: NotNegative = 2.0
    """Groups wider than most furniture are chained again, more closely; what then still hangs together stays whole."""
    voxel_m: Step = 0.05
    """Points in one cube of this side count once."""
    min_points: AtLeastOne = 15
    """A thing with fewer reliable points cannot be boxed or coloured."""
    color_metres_per_lab: NotNegative = 0.010
    """Weight of colour: 40 Lab units (red against brown) count like 0.4 m of distance, so touching things part."""
    smooth_neighbours: AtLeastOne = 5
    """Colour is the mean over this many neighbours, because a single keypoint sits on an edge between two colours."""
    min_size_m: NotNegative = 0.25
    """Smaller things (cups, books) are no landmarks for a walker."""
    max_size_m: Metres = 3.0
    """Anything wider is several things that were not separated, or a wall."""
    min_core_share: Share = 0.5
    """At least this share of a cluster lies within half a robust extent of its centre; else it is a spray of noise."""


def cluster_points(points: Array, rgb: NDArray[np.uint8], metre: float, options: ClusterOptions) -> list[NDArray]:
    """Rows of `points` per thing, largest first.

    Args:
        points: (N, 3) without floor, ceiling and walls.
        rgb: (N, 3) their colours.
        metre: Length of one (nominal) metre in the unit of `points`.
        options: Thresholds.

    Returns:
        Disjoint, sorted row arrays. Empty for fewer points than one thing needs.
    """
    if len(points) < options.min_points:
        return []
    cell = _number_cells(points, options.voxel_m * metre)
    count = int(cell.max()) + 1
    # One representative per voxel, the mean: texture decides how dense points are, and must not decide what chains.
    share = np.bincount(cell, minlength=count)[:, None]
    mean = np.stack([np.bincount(cell, points[:, axis], count) for axis in range(3)], axis=1) / share
    color = np.stack([np.bincount(cell, rgb[:, axis].astype(np.float64), count) for axis in range(3)], axis=1) / share
    features = np.hstack([mean / metre, options.color_metres_per_lab * _smooth_lab(mean, color, options)])
    groups: list[NDArray] = []
    waiting = [(np.arange(count), options.radius_m)]
    while waiting:
        cells, radius_m = waiting.pop()
        for part in _chain_neighbours(features[cells], radius_m):
            members = cells[part]
            fits = robust_size(mean[members]).max() / metre <= options.split_above_m
            if fits or radius_m * options.radius_shrink < options.min_radius_m:
                groups.append(members)
            else:
                waiting.append((members, radius_m * options.radius_shrink))
    owner = np.full(count, -1)
    for number, members in enumerate(groups):
        owner[members] = number
    clusters = [np.flatnonzero(owner[cell] == number) for number in range(len(groups))]
    clusters = [rows for rows in clusters if len(rows) >= options.min_points]
    return sorted(clusters, key=lambda rows: (-len(rows), int(rows[0])))


def _number_cells(points: Array, side: float) -> NDArray[np.int64]:
    """Number of the cubic cell that each point falls in, cells counted from 0."""
    keys = np.floor((points - points.min(axis=0)) / side).astype(np.int64)
    return np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)


def robust_size(points: Array) -> Array:
    """Extent along each axis without the outer 5 % of the points on either side, (3,)."""
    low, high = np.percentile(points, [5, 95], axis=0)
    return high - low


def why_no_thing(points: Array, metre: float, options: ClusterOptions) -> str | None:
    """Why a cluster is no thing: `few points`, `too small`, `too big`, `scattered`; None if it is one."""
    if len(points) < options.min_points:
        return "few points"
    extent = robust_size(points)
    size = float(extent.max()) / metre
    if size < options.min_size_m:
        return "too small"
    if size > options.max_size_m:
        return "too big"
    center = np.median(points, axis=0)
    near = np.linalg.norm(points - center, axis=1) <= 0.5 * np.linalg.norm(extent)
    return None if near.mean() >= options.min_core_share else "scattered"


def _smooth_lab(points: Array, rgb: Array, options: ClusterOptions) -> Array:
    lab = lab_from_rgb(rgb)
    lab[:, 0] *= 0.5  # light and shadow change lightness within one thing more than hue
    count = min(options.smooth_neighbours, len(points))
    neighbours = KDTree(points).query(points, k=count)[1].reshape(len(points), -1)
    return np.median(lab[neighbours], axis=1)


def _chain_neighbours(features: Array, radius_m: float) -> list[NDArray]:
    """Rows joined by chains of neighbours; isolated points are left out."""
    from sklearn.cluster import DBSCAN  # 120 MB, which whoever only drives others does without

    labels = DBSCAN(eps=radius_m, min_samples=4).fit_predict(features)
    return [np.flatnonzero(labels == label) for label in range(labels.max() + 1)]
