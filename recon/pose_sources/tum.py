"""TUM trajectories: `t x y z qx qy qz qw` per line, world_from_cam, OpenCV camera axes, times in seconds."""

from __future__ import annotations

import math
from pathlib import Path

from recon.errors import ReconError
from recon.geometry import Pose
from recon.given_files import read_given_text
from recon.pose_sources.records import PosedPicture, PoseSource

COLUMNS = ("t", "x", "y", "z", "qx", "qy", "qz", "qw")
_QUATERNION_ROUNDING = 0.01
"""Of its length: files with two decimals are off by up to 0.01."""


def read_tum(path: Path) -> PoseSource:
    """Read one trajectory; the format has no intrinsics.

    Raises:
        ReconError: If it cannot be read, holds no pose, or a line is not eight finite numbers in rising time.
    """
    pictures: list[PosedPicture] = []
    last_s = -math.inf
    try:
        lines = read_given_text(path).splitlines()
    except OSError as error:
        raise ReconError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ReconError(
            f"{path}: not text, so no TUM trajectory; name the format with --pose-source.format"
        ) from error
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        time_s, pose = _line(line, f"{path}: line {number}")
        if time_s <= last_s:
            raise ReconError(f"{path}: line {number}: time {time_s:.17g} is not later than {last_s:.17g} before it")
        last_s = time_s
        pictures.append(PosedPicture(world_from_cam=pose, time_s=time_s))
    if not pictures:
        raise ReconError(f"{path}: holds no pose; need lines of `{' '.join(COLUMNS)}`")
    return PoseSource(str(path), "tum", tuple(pictures), None)


def _line(line: str, where: str) -> tuple[float, Pose]:
    values = line.split()
    if len(values) != len(COLUMNS):
        raise ReconError(f"{where}: {len(values)} values, need 8: {' '.join(COLUMNS)}")
    try:
        numbers = [float(value) for value in values]
    except ValueError as error:
        raise ReconError(f"{where}: {error}; need 8 numbers: {' '.join(COLUMNS)}") from error
    time_s, x, y, z, *quat_xyzw = numbers
    if not all(map(math.isfinite, numbers)):
        raise ReconError(f"{where}: has values that are not finite. Leave out pictures without a pose")
    norm = math.hypot(*quat_xyzw)
    if abs(norm - 1.0) > _QUATERNION_ROUNDING:
        raise ReconError(f"{where}: quaternion qx qy qz qw has length {norm:.4g}, need 1. Are the columns in order?")
    qx, qy, qz, qw = quat_xyzw
    return time_s, Pose.from_quat_wxyz([qw, qx, qy, qz], [x, y, z])
