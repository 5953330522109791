"""TUM trajectories: `t x y z qx qy qz qw` per line, world_from_cam, OpenCV camera axes, times in seconds.

Commas may stand between the values, and times may be nanoseconds since 1970, as recorders of robots write them.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from recon.errors import ReconError
from recon.findings import Finding
from recon.geometry import Pose
from recon.pose_sources.records import PosedPicture, PoseSource
from recon.pose_sources.rigid import make_not_finite_findings, read_text

COLUMNS = ("t", "x", "y", "z", "qx", "qy", "qz", "qw")
_QUATERNION_ROUNDING = 0.01  # of its length: files with two decimals are off by up to 0.01


_NANOSECONDS_FROM = 1e17
"""Today is 1.8e9 in seconds since 1970, and 1.8e18 in nanoseconds; this is 1973 in the latter, year 3 billion else."""


def read_tum(path: Path) -> PoseSource:
    """Read one trajectory; the format has no intrinsics. Rows with values that are not finite are left out, and told.

    Raises:
        ReconError: If it cannot be read, holds no pose, or a line is not eight numbers in rising time.
    """
    rows: list[PosedPicture | None] = []
    last_s = -math.inf
    lines = read_text(path).splitlines()
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        row = _read_line(line, f"{path}: line {number}")
        rows.append(row)
        if row is None or row.time_s is None:
            continue
        if row.time_s <= last_s:
            raise ReconError(f"{path}: line {number}: time {row.time_s:.17g} is not later than {last_s:.17g} before it")
        last_s = row.time_s
    pictures = [row for row in rows if row is not None]
    if not pictures:
        raise ReconError(f"{path}: holds no pose; need lines of `{' '.join(COLUMNS)}`")
    findings = make_not_finite_findings(path.name, len(rows) - len(pictures), len(rows))
    if last_s >= _NANOSECONDS_FROM:
        message = f"its times, such as {last_s:.6g}, are read as nanoseconds: no clock counts so many seconds"
        findings.append(Finding("info", "poses.nanoseconds", f"poses {path.name}", message))
        pictures = [replace(picture, time_s=(picture.time_s or 0.0) / 1e9) for picture in pictures]
    return PoseSource(str(path), "tum", tuple(pictures), None, tuple(findings))


def _read_line(line: str, where: str) -> PosedPicture | None:
    """The pose of a line; None where a value is not finite."""
    values = line.replace(",", " ").split()
    if len(values) != len(COLUMNS):
        raise ReconError(f"{where}: {len(values)} values, need 8: {' '.join(COLUMNS)}")
    try:
        numbers = [float(value) for value in values]
    except ValueError as error:
        raise ReconError(f"{where}: {error}; need 8 numbers: {' '.join(COLUMNS)}") from error
    if not all(map(math.isfinite, numbers)):
        return None
    time_s, x, y, z, *quat_xyzw = numbers
    norm = math.hypot(*quat_xyzw)
    if abs(norm - 1.0) > _QUATERNION_ROUNDING:
        raise ReconError(f"{where}: quaternion qx qy qz qw has length {norm:.4g}, need 1. Are the columns in order?")
    qx, qy, qz, qw = quat_xyzw
    return PosedPicture(world_from_cam=Pose.from_quat_wxyz([qw, qx, qy, qz], [x, y, z]), time_s=time_s)
