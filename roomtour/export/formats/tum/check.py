"""Check TUM trajectories: eight numbers per line, times that rise, unit quaternions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from recon.pose_sources.tum import COLUMNS
from roomtour.export.core.records import Problem, format_value


def recognise(path: Path) -> bool:
    """Whether the first text file below the folder holds eight numbers per line."""
    first = next(iter(_files(path)), None)
    if first is None:
        return False
    with first.open(encoding="utf-8", errors="replace") as file:
        rows = (line.split() for line in file if line.strip() and not line.startswith("#"))
        row = next(rows, [])
    return len(row) == len(COLUMNS) and all(_is_number(value) for value in row)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    return [problem for file in _files(path) for problem in _check_file(file, str(file.relative_to(path)))]


def _files(path: Path) -> list[Path]:
    return sorted([*path.glob("*.txt"), *path.glob("*/*.txt")])


def _check_file(file: Path, name: str) -> Iterator[Problem]:
    last = -math.inf
    poses = 0
    for row, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        if line.startswith("#"):
            continue
        values = line.split(" ")
        if len(values) != len(COLUMNS):
            yield Problem(name, row, "line", "8 values with one space between", format_value(line))
            continue
        poses += 1
        bad = [(field, value) for field, value in zip(COLUMNS, values, strict=True) if not _is_number(value)]
        for field, value in bad:
            yield Problem(name, row, field, "a finite number", format_value(value))
        if bad:
            continue
        numbers = [float(value) for value in values]
        if numbers[0] <= last:
            yield Problem(name, row, "t", f"later than the line before ({last})", values[0])
        last = numbers[0]
        norm = math.hypot(*numbers[4:])
        if abs(norm - 1.0) > 1e-3:
            yield Problem(name, row, "qx qy qz qw", "a unit quaternion", f"norm {norm:.4f}")
    if not poses:
        yield Problem(name, None, "lines", "at least one pose", "none")


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
