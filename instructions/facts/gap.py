"""The least distance between two solids: exact for boxes, between the nearest points for clouds. 0 where they touch."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import numpy as np
from scipy.spatial import KDTree

from instructions.facts.bodies import Body
from recon.geometry import Array

_SIGN_ROWS = [tuple((corner >> bit) & 1 for bit in (2, 1, 0)) for corner in range(8)]
_EDGES = np.array(
    [
        (one, two)
        for one, two in combinations(range(8), 2)
        if sum(a != b for a, b in zip(_SIGN_ROWS[one], _SIGN_ROWS[two], strict=True)) == 1
    ]
)
"""The twelve edges of a box, as rows of its corners in the order of `Body.points`."""


@lru_cache(maxsize=2048)  # of a tour's things: each pair is measured in many views and for many claims
def gap(a: Body, b: Body) -> float:
    """`measure_gap` of two things of a tour; what was measured before is remembered."""
    return measure_gap(a, b)


def measure_gap(a: Body, b: Body) -> float:
    """Least distance of two bodies, the same whichever is first.

    Two boxes: of the solids. Two clouds: of the nearest pair. A cloud and a box: from its points to the solid.
    """
    if a.is_cloud and b.is_cloud:
        near, far = (a, b) if len(a.points) >= len(b.points) else (b, a)
        return float(KDTree(near.points).query(far.points)[0].min())
    if a.is_cloud or b.is_cloud:
        cloud, box = (a, b) if a.is_cloud else (b, a)
        return float(point_distances(box, cloud.points).min())
    if _overlap(a, b):
        return 0.0
    corner = min(point_distances(a, b.points).min(), point_distances(b, a.points).min())
    return float(min(corner, _edge_distance(a.points[_EDGES], b.points[_EDGES])))


def point_distances(body: Body, points: Array) -> Array:
    """Distances of points (N, 3) from the box of a body, 0 inside it: (N,)."""
    local = np.abs((np.atleast_2d(points) - body.center) @ body.axes)
    return np.linalg.norm(np.maximum(local - body.half, 0.0), axis=1)


def _overlap(a: Body, b: Body) -> bool:
    """Whether two boxes share a point: no axis separates them (Gottschalk 1996)."""
    cross = np.cross(a.axes.T[:, None], b.axes.T[None]).reshape(-1, 3)
    length = np.linalg.norm(cross, axis=1)
    axes = np.concatenate([a.axes.T, b.axes.T, cross[length > 1e-9] / length[length > 1e-9, None]])
    away = np.abs(axes @ (b.center - a.center))
    reach = np.abs(axes @ a.axes) @ a.half + np.abs(axes @ b.axes) @ b.half
    return bool((away <= reach).all())


def _edge_distance(one: Array, two: Array) -> float:
    """Least distance between segments (M, 2, 3) and (N, 2, 3) (Ericson, Real-Time Collision Detection, 5.1.9)."""
    p, u = one[:, None, 0], (one[:, 1] - one[:, 0])[:, None]
    q, v = two[None, :, 0], (two[:, 1] - two[:, 0])[None]
    w = p - q
    uu, vv, uv = (u * u).sum(-1), (v * v).sum(-1), (u * v).sum(-1)
    uw, vw = (u * w).sum(-1), (v * w).sum(-1)
    det = uu * vv - uv**2
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.where(det > 1e-12 * uu * vv, np.clip((uv * vw - uw * vv) / det, 0.0, 1.0), 0.0)
        t = (uv * s + vw) / vv
        t_held = np.clip(t, 0.0, 1.0)
        s = np.where(t == t_held, s, np.clip((uv * t_held - uw) / uu, 0.0, 1.0))
    away = w + s[..., None] * u - t_held[..., None] * v
    return float(np.sqrt((away**2).sum(-1)).min())
