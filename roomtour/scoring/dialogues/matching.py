"""One-to-one matching of answers to truths, average precision, and the true overlap of oriented boxes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment, linprog
from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError

from instructions.facts.bodies import Body
from recon.geometry import Array


def mean(values: Iterable[float]) -> float:
    """0 for none."""
    found = [*values]
    return float(sum(found) / len(found)) if found else 0.0


def match_greatest(overlaps: Sequence[Sequence[float]], bar: float) -> int:
    """How many truths (rows) get an answer (column) of their own with at least this overlap, at most."""
    reached = np.atleast_2d(np.array(overlaps, float)) >= bar
    return int(reached[linear_sum_assignment(reached, maximize=True)].sum())


def match_in_order(overlaps: Array, bar: float) -> list[bool]:
    """For answers (columns) in order whether each takes a free truth (row): the one that it overlaps most."""
    left, out = overlaps.copy(), []
    for column in range(left.shape[1]):
        best = int(np.argmax(left[:, column])) if len(left) else 0
        out.append(bool(len(left)) and bool(left[best, column] >= bar))
        if out[-1]:
            left[best] = -1.0
    return out


def average_precision(hits: Sequence[tuple[float, bool]], truths: int, *, coco: bool = False) -> float:
    """Area under precision over recall, 0 to 1.

    Args:
        hits: Of every answer its confidence and whether it took a truth; any order of rows gives the same.
        truths: How many there are; without any the value is not defined and given as 0.
        coco: Mean of the precision at 101 recalls, as COCO's evaluator takes it, in place of the area under all points.
    """
    if not truths or not hits:
        return 0.0
    order = sorted(hits, key=lambda one: -one[0])
    confidence = np.array([one[0] for one in order])
    right = np.cumsum([one[1] for one in order])
    count = np.arange(1, len(order) + 1)
    # Answers of equal confidence come together, so that their order says nothing.
    last = np.append(np.diff(confidence) != 0, True)
    right, count = right[last], count[last]
    recall, precision = right / truths, right / count
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    if coco:
        places = np.searchsorted(recall, np.linspace(0.0, 1.0, 101), side="left")
        return sum(float(precision[place]) for place in places if place < len(precision)) / len(places)
    return float((np.diff(np.concatenate([[0.0], recall])) * precision).sum())


def measure_oriented_iou(one: Body, other: Body) -> float:
    """Intersection over union of two oriented boxes, exact: one is cut by the six planes of the other."""
    apart = float(np.linalg.norm(one.center - other.center))
    if apart >= float(np.linalg.norm(one.half) + np.linalg.norm(other.half)):
        return 0.0
    if all(np.abs(np.abs(body.axes) - np.eye(3)).max() < 1e-12 for body in (one, other)):
        sides = np.minimum(one.center + one.half, other.center + other.half) - np.maximum(
            one.center - one.half, other.center - other.half
        )
        inside = float(np.maximum(sides, 0.0).prod())
        return inside / (float(8 * one.half.prod() + 8 * other.half.prod()) - inside)
    planes = []
    for body in (one, other):
        for normal in (*body.axes.T, *-body.axes.T):
            planes.append([*normal, -(normal @ body.center) - float(np.abs(normal @ body.axes) @ body.half)])
    halfspaces = np.array(planes)
    inside = _point_inside(halfspaces)
    if inside is None:
        return 0.0
    try:
        shared = float(ConvexHull(HalfspaceIntersection(halfspaces, inside).intersections).volume)
    except QhullError:
        return 0.0
    whole = float(8 * one.half.prod() + 8 * other.half.prod()) - shared
    return shared / whole if whole > 0 else 0.0


def _point_inside(halfspaces: Array) -> Array | None:
    """A point well inside all half spaces, or None: the centre of their largest ball."""
    norms = np.linalg.norm(halfspaces[:, :3], axis=1)
    found = linprog([0, 0, 0, -1], A_ub=np.column_stack([halfspaces[:, :3], norms]), b_ub=-halfspaces[:, 3],
                    bounds=[(None, None)] * 3 + [(0, None)])  # fmt: skip
    return found.x[:3] if found.success and found.x[3] > 1e-9 else None
