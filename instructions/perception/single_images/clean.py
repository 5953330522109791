"""The points of one thing without what its mask took along of the background: done once, when they are lifted.

After SpatialVLM (CVPR 2024): outliers by their neighbours, one point per voxel, the largest cluster. All lengths hang
on the spread of the points, so the unit does not matter beyond the smallest voxel of 1 cm.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, KDTree, QhullError

from recon.geometry import Array, require_shape

_NEIGHBOURS = 50
_MOST_STD = 1.2
_LEAST_VOXEL_M = 0.01
_VOXEL_SHARE = 1 / 20
_REACH_SHARE = 1 / 3.6
_CLUSTER_SHARE = 1 / 10


def clean_points(points: Array) -> Array:
    """The points (N, 3) that hang together, one per voxel and those of their hull: (M, 3), M <= N; none for none.

    With `scale = 3 |std| + 1e-6`: points whose mean distance to 50 neighbours is more than 1.2 standard deviations
    over the mean of that are dropped, the rest is thinned to the point nearest to the middle of each voxel of
    `max(1 cm, scale / 20)`, and of what DBSCAN joins (reach `scale / 3.6`, a tenth of the points) the largest stays.
    The corners of the convex hull of all points in its voxels come back: thinning would make every thing up to a voxel
    smaller.
    """
    from sklearn.cluster import DBSCAN  # 120 MB, which whoever only drives others does without

    require_shape("points", points, (None, 3))
    if len(points) < 3:
        return points
    scale = 3.0 * float(np.linalg.norm(points.std(axis=0))) + 1e-6
    inner = _drop_outliers(points)
    cell, middle = _thin(inner, max(_LEAST_VOXEL_M, scale * _VOXEL_SHARE))
    least = max(1, int(len(middle) * _CLUSTER_SHARE))
    labels = DBSCAN(eps=scale * _REACH_SHARE, min_samples=least).fit_predict(inner[middle])
    labelled = labels[labels >= 0]
    is_kept = labels == np.bincount(labelled).argmax() if len(labelled) else np.ones(len(labels), dtype=bool)
    members = np.flatnonzero(is_kept[cell])
    rows = np.union1d(middle[is_kept], members[_hull_corners(inner[members])])
    return inner[rows]


def _drop_outliers(points: Array) -> Array:
    count = min(_NEIGHBOURS, len(points) - 1)
    away = KDTree(points).query(points, k=count + 1)[0][:, 1:].mean(axis=1)  # the first neighbour is the point itself
    return points[away <= away.mean() + _MOST_STD * away.std()]


def _thin(points: Array, voxel: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The voxel of each point (N,), and for each voxel the row of the point nearest to the mean of those in it."""
    cells = np.floor((points - points.min(axis=0)) / voxel).astype(np.int64)
    _, cell, counts = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    cell = cell.reshape(-1)
    means = np.column_stack([np.bincount(cell, points[:, axis]) / counts for axis in range(3)])
    off = np.linalg.norm(points - means[cell], axis=1)
    order = np.lexsort((*points.T, off, cell))
    return cell, order[np.flatnonzero(np.diff(cell[order], prepend=-1))]


def _hull_corners(points: Array) -> NDArray[np.int64]:
    """Rows of the corners of the convex hull; those at the ends of each axis where the points span no solid."""
    try:
        return ConvexHull(points).vertices.astype(np.int64)
    except (QhullError, ValueError):
        low, high = points.argmin(axis=0), points.argmax(axis=0)
        return np.concatenate([low, high]) if len(points) else np.zeros(0, np.int64)
