"""Measures between two bodies: distances, which are symmetric, and differences A minus B, as one viewer sees them.

A and B have one meaning everywhere: "is A left of B". Lengths are in the bodies' unit. The gap is the least distance of
two solids: exact for boxes, between the nearest points for clouds, 0 where they touch.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import numpy as np

from instructions.facts.bodies import UP, Body
from instructions.facts.viewer import Viewer
from instructions.records import Obb
from recon.geometry import Array

_STEPS = (np.arange(8) + 0.5) / 8 * 2 - 1
_GRID = np.stack(np.meshgrid(_STEPS, _STEPS, _STEPS), axis=-1).reshape(-1, 3)
"""Points in a box whose faces are at -1 and 1."""
_SIGN_ROWS = [tuple((corner >> bit) & 1 for bit in (2, 1, 0)) for corner in range(8)]
_EDGES = np.array(
    [
        (one, two)
        for one, two in combinations(range(8), 2)
        if sum(a != b for a, b in zip(_SIGN_ROWS[one], _SIGN_ROWS[two], strict=True)) == 1
    ]
)
"""The twelve edges of a box, as rows of its corners in the order of `Body.points`."""


def distance(a: Body, b: Body) -> float:
    """Between the centres, in 3D."""
    return float(np.linalg.norm(a.center - b.center))


def horizontal_distance(a: Body, b: Body) -> float:
    """Between the centres on the floor plan, along both axes of it."""
    return float(np.hypot(*(a.center - b.center)[:2]))


def lateral_difference(a: Body, b: Body, viewer: Viewer) -> float:
    """How far A's centre is to the right of B's; negative where it is to the left."""
    return float((a.center - b.center) @ viewer.right)


def ahead_difference(a: Body, b: Body, viewer: Viewer) -> float:
    """How far A's centre is behind B's, along the viewer's ahead; negative where it is in front."""
    return float((a.center - b.center) @ viewer.ahead)


def vertical_difference(a: Body, b: Body) -> float:
    """How far A's centre is above B's; negative where it is below."""
    return float(a.center[2] - b.center[2])


def vertical_overlap(a: Body, b: Body) -> float:
    """Share of the lower body's height that lies beside the other, 0 to 1."""
    shared = min(a.top, b.top) - max(a.bottom, b.bottom)
    return max(shared, 0.0) / max(min(a.extent(UP), b.extent(UP)), 1e-12)


@lru_cache(maxsize=2048)  # as `gap`
def passage(a: Body, b: Body) -> float:
    """Free width between two things on the floor plan, 0 where their plans touch."""
    return measure_gap(_plan(a), _plan(b))


@lru_cache(maxsize=2048)  # as `gap`
def footprint_overlap(a: Body, b: Body) -> float:
    """Share of A's plan that lies over B's plan, 0 to 1. Plans are the convex outlines of the bodies."""
    outline_a, outline_b = _outline(a), _outline(b)
    if len(outline_a) < 3 or len(outline_b) < 3:
        return 0.0
    shared = _clip(outline_a, outline_b)
    return _area(shared) / _area(outline_a) if len(shared) >= 3 else 0.0


def stands_on_gap(a: Body, b: Body) -> float:
    """How far A's lowest point is above B's highest; about 0 where A stands on B."""
    return a.bottom - b.top


@lru_cache(maxsize=2048)  # as `gap`
def inside_share(a: Body, b: Body) -> float:
    """Share of A's box that lies in B's, 0 to 1, from a grid of points in A."""
    points = a.center + (_GRID * a.half) @ a.axes.T
    local = np.abs((points - b.center) @ b.axes)
    return float((local <= b.half).all(axis=1).mean())


def _plan(body: Body) -> Body:
    """The body pressed onto the plane z = 0: a rectangle of no height around an upright box, else its outline."""
    points = body.points * (1.0, 1.0, 0.0)
    tilted = abs(abs(body.axes[2, 2]) - 1.0) > 1e-6
    if body.is_cloud or tilted:
        return Body(body.box, _fill(_outline(body)), is_cloud=True)
    center, half = body.box.center, body.box.half_extents
    flat = Obb((center[0], center[1], 0.0), (half[0], half[1], 1e-9), body.box.rotation)
    return Body(flat, points)


def _fill(outline: Array) -> Array:
    """Points along an outline (N, 2), close enough for the nearest pair, (M, 3) at z = 0."""
    ends = np.roll(outline, -1, axis=0)
    share = np.linspace(0.0, 1.0, 65)[:-1, None, None]
    xy = (outline * (1 - share) + ends * share).reshape(-1, 2)
    return np.column_stack([xy, np.zeros(len(xy))])


@lru_cache(maxsize=1024)  # a thing is held against all others of its view, view after view
def _outline(body: Body) -> Array:
    """Convex outline of the plan, counter-clockwise, (N, 2); not to be changed."""
    from scipy.spatial import ConvexHull, QhullError  # here: who only reads records does not wait for it

    plan = body.points[:, :2]
    try:
        return plan[ConvexHull(plan).vertices]
    except (QhullError, ValueError):  # a plan without area
        return plan[[int(plan[:, 0].argmin()), int(plan[:, 0].argmax())]]


def _clip(subject: Array, window: Array) -> Array:
    """The part of one convex outline inside another, both counter-clockwise (Sutherland and Hodgman 1974)."""
    out = subject
    for start, end in zip(window, np.roll(window, -1, axis=0), strict=True):
        if len(out) == 0:
            break
        edge = end - start
        side = edge[0] * (out[:, 1] - start[1]) - edge[1] * (out[:, 0] - start[0])
        kept = []
        for i in range(len(out)):
            j = (i + 1) % len(out)
            if side[i] >= 0:
                kept.append(out[i])
            if (side[i] >= 0) != (side[j] >= 0):
                kept.append(out[i] + (out[j] - out[i]) * side[i] / (side[i] - side[j]))
        out = np.array(kept).reshape(-1, 2)
    return out


def _area(outline: Array) -> float:
    x, y = outline.T
    return 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))


@lru_cache(maxsize=2048)  # of a tour's things: each pair is measured in many views and for many claims
def gap(a: Body, b: Body) -> float:
    """`measure_gap` of two things of a tour; what was measured before is remembered."""
    return measure_gap(a, b)


def measure_gap(a: Body, b: Body) -> float:
    """Least distance of two bodies, the same whichever is first.

    Two boxes: of the solids. Two clouds: of the nearest pair. A cloud and a box: from its points to the solid.
    """
    if a.is_cloud and b.is_cloud:
        from scipy.spatial import KDTree  # as above

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
