"""What can be seen from a point past boxes: rays from an eye to the surface of a thing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from instructions.records import Obb
from recon.geometry import Array

_GRID = np.array([-0.75, -0.25, 0.25, 0.75])
"""Places on a face, as shares of its half sides."""


def measure_free_share(eye: Array, target: Obb, others: Sequence[Obb], grow: float = 0.0) -> float:
    """Share of the faces turned to an eye that no other box hides.

    Args:
        eye: (3,), outside the target.
        target: What is looked at.
        others: What may stand between.
        grow: Added to every side of the others, for how badly they are known.

    Returns:
        0 to 1; 0 where the eye is inside the target or another box.
    """
    points = _sample_faces(eye, target)
    if not len(points):
        return 0.0
    hidden = np.zeros(len(points), dtype=bool)
    for box in others:
        hidden |= _crosses(eye, points, box, grow)
    return float(1.0 - hidden.mean())


def _sample_faces(eye: Array, box: Obb) -> Array:
    """Points of the faces that are turned to the eye, (N, 3)."""
    center, half, axes = np.array(box.center), np.array(box.half_extents), np.array(box.rotation)
    local = (np.asarray(eye) - center) @ axes
    out = []
    for axis in range(3):
        if abs(local[axis]) <= half[axis]:
            continue
        other = [one for one in range(3) if one != axis]
        face = np.zeros((len(_GRID) ** 2, 3))
        face[:, other[0]], face[:, other[1]] = (grid.ravel() for grid in np.meshgrid(_GRID, _GRID))
        face[:, axis] = np.sign(local[axis])
        out.append(center + (face * half) @ axes.T)
    return np.concatenate(out) if out else np.zeros((0, 3))


def _crosses(eye: Array, points: Array, box: Obb, grow: float) -> np.ndarray:
    """Which straight ways from the eye to the points go through a box: the slabs of its sides."""
    center, axes = np.array(box.center), np.array(box.rotation)
    half = np.array(box.half_extents) + grow
    start = (np.asarray(eye) - center) @ axes
    way = (points - eye) @ axes
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (-half - start) / way, (half - start) / way
    near, far = np.fmin(one, other).max(axis=1), np.fmax(one, other).min(axis=1)
    return (near <= far) & (far > 0) & (near < 1)
