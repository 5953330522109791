"""Matrices of other tools as poses: rounding is mended, anything else refused with what is wrong with it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from recon.errors import ReconError
from recon.findings import Finding
from recon.geometry import Pose

_ROUNDING = 2e-3
"""Largest entry of R R^T - I that four decimals can cause; scales and shears are far above."""


def make_not_finite_findings(name: str, count: int, total: int) -> list[Finding]:
    """What is said of poses that were left out because a value of theirs is not finite: nothing if there are none."""
    message = (
        f"{count} of {total} poses have values that are not finite, as tools write them where they lost track; left out"
    )
    return [Finding("warning", "poses.not_finite", f"poses {name}", message)] if count else []


def rigid_pose(matrix: ArrayLike, where: str) -> Pose | None:
    """The pose of a (3, 4) or (4, 4) matrix whose rotation may be rounded; None where a value is not finite.

    Raises:
        ReconError: If it has another shape, is left-handed, or scales or shears.
    """
    try:
        values = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ReconError(f"{where}: is not a matrix of numbers") from error
    if values.shape not in ((3, 4), (4, 4)):
        raise ReconError(f"{where}: a transform has shape {values.shape}, need (4, 4)")
    if not np.all(np.isfinite(values)):
        return None
    if len(values) == 4 and np.abs(values[3] - [0, 0, 0, 1]).max() > 1e-6:
        raise ReconError(f"{where}: the last row is {values[3].tolist()}, need 0 0 0 1. Is the matrix transposed?")
    rotation = values[:3, :3]
    volume = float(np.linalg.det(rotation))
    if volume < 0:
        raise ReconError(
            f"{where}: left-handed (determinant {volume:.3g}): one axis is mirrored. Convert the poses to right-handed "
            "axes; flip two camera axes, not one"
        )
    off = float(np.abs(rotation @ rotation.T - np.eye(3)).max())
    if off > _ROUNDING:
        size = volume ** (1 / 3)
        scaled = size > 1e-9 and np.abs(rotation @ rotation.T / size**2 - np.eye(3)).max() <= _ROUNDING
        what = f"scaled by {size:.4g}" if scaled else f"R R^T differs from identity by {off:.2g}"
        raise ReconError(f"{where}: not rigid: {what}. Give camera-to-world matrices of rotation and translation only")
    u, _, vt = np.linalg.svd(rotation)
    return Pose(u @ vt, values[:3, 3])
