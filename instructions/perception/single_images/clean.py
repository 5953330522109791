"""The points of one thing without what its mask took along of the background: done once, when they are lifted.

After SpatialVLM (CVPR 2024): outliers by their neighbours, one point per voxel, the largest cluster. All lengths hang
on the spread of the points, so the unit does not matter beyond the smallest voxel of 1 cm.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import KDTree
from sklearn.cluster import DBSCAN

from recon.geometry import Array, require_shape

_NEIGHBOURS = 50
_MOST_STD = 1.2
_LEAST_VOXEL_M = 0.01
_VOXEL_SHARE = 1 / 20
_REACH_SHARE = 1 / 3.6
_CLUSTER_SHARE = 1 / 10


def clean_points(points: Array) -> Array:
    """The points (N, 3) that hang together, one per voxel: (M, 3), M <= N; none for none.

    With `scale = 3 |std| + 1e-6`: points whose mean distance to 50 neighbours is more than 1.2 standard deviations
    over the mean of that are dropped, the rest is thinned to the point nearest to the middle of each voxel of
    `max(1 cm, scale / 20)`, and of what DBSCAN joins (reach `scale / 3.6`, a tenth of the points) the largest stays.
    """
    require_shape("points", points, (None, 3))
    if len(points) < 3:
        return points
    scale = 3.0 * float(np.linalg.norm(points.std(axis=0))) + 1e-6
    kept = _thin(_drop_outliers(points), max(_LEAST_VOXEL_M, scale * _VOXEL_SHARE))
    least = max(1, int(len(kept) * _CLUSTER_SHARE))
    labels = DBSCAN(eps=scale * _REACH_SHARE, min_samples=least).fit_predict(kept)
    found = labels[labels >= 0]
    return kept[labels == np.bincount(found).argmax()] if len(found) else kept


def _drop_outliers(points: Array) -> Array:
    count = min(_NEIGHBOURS, len(points) - 1)
    away = KDTree(points).query(points, k=count + 1)[0][:, 1:].mean(axis=1)  # the first neighbour is the point itself
    return points[away <= away.mean() + _MOST_STD * away.std()]


def _thin(points: Array, voxel: float) -> Array:
    """One of the given points per voxel, the one nearest to their mean: no point is made up."""
    cells = np.floor((points - points.min(axis=0)) / voxel).astype(np.int64)
    _, cell, counts = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    cell = cell.reshape(-1)
    means = np.column_stack([np.bincount(cell, points[:, axis]) / counts for axis in range(3)])
    off = np.linalg.norm(points - means[cell], axis=1)
    order = np.lexsort((off, cell))
    first = np.flatnonzero(np.diff(cell[order], prepend=-1))
    return points[np.sort(order[first])]
