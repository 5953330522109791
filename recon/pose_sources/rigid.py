"""Matrices of other tools as poses: rounding is mended, anything else refused with what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recon.errors import ReconError
from recon.findings import Finding
from recon.geometry import Pose
from recon.given_files import describe_unread, read_given_text
from recon.pose_sources.depth import GivenDepth
from recon.pose_sources.records import Lens, PosedPicture, PoseFormat, PoseSource

_ROUNDING = 2e-3  # largest entry of R R^T - I that four decimals can cause; scales and shears are far above


def make_not_finite_findings(name: str, count: int, total: int) -> list[Finding]:
    """What is said of poses that were left out because a value of theirs is not finite: nothing if there are none."""
    message = (
        f"{count} of {total} poses have values that are not finite, as tools write them where they lost track; left out"
    )
    return [Finding("warning", "poses.not_finite", f"poses {name}", message)] if count else []


def make_numbered_source(
    path: Path,
    format: PoseFormat,
    matrices: Iterable[ArrayLike],
    numbers: Sequence[int],
    lens: Lens | None,
    *,
    is_inverse: bool = False,
    given: int | None = None,
    depth: GivenDepth | None = None,
) -> PoseSource:
    """The source of numbered pictures, by world_from_cam or its inverse; what is not finite is left out, and told.

    Raises:
        ReconError: If a matrix is not rigid, or none is finite.
    """
    poses = [rigid_pose(matrix, f"{path}: pose {row}") for row, matrix in enumerate(matrices)]
    pictures = tuple(
        PosedPicture(world_from_cam=pose.inverse() if is_inverse else pose, position=int(number))
        for number, pose in zip(numbers, poses, strict=True)
        if pose is not None
    )
    if not pictures:
        raise ReconError(f"{path}: none of {len(poses)} poses is finite")
    left_out = make_not_finite_findings(path.name, len(poses) - len(pictures), len(poses))
    return PoseSource(str(path), format, pictures, lens, tuple(left_out), given, depth)


def make_median_lens(
    values: NDArray[np.float64], path: Path, size: tuple[int, int] | None, *, is_prepared: bool
) -> Lens:
    """The pinhole lens of pictures with fx fy cx cy (N, 4) each; of a prepared one without a size twice its centre.

    Raises:
        ReconError: If none of them is finite.
    """
    values = values[np.isfinite(values).all(axis=1)]
    if not len(values):
        raise ReconError(f"{path}: no intrinsics are finite. Give --pose-source.intrinsics")
    if is_prepared and size is None:
        width, height = 2 * np.median(values[:, 2:], axis=0)
        size = round(width), round(height)
    return Lens.of_all("PINHOLE", values, size, is_prepared)


def read_text(path: Path) -> str:
    """The text of a source.

    Raises:
        ReconError: If it cannot be read.
    """
    try:
        return read_given_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise ReconError(f"{path}: cannot be read: {describe_unread(error)}") from error


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
