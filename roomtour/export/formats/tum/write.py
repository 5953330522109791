"""TUM trajectories: `t x y z qx qy qz qw` per line, one file per model. `recon.pose_sources.tum` reads them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path

from recon.pose_sources.tum import COLUMNS
from recon.records import Scene, SceneModel
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import Problem, RunData, shown

CONVENTION = """\
* One file per model, named by size: `0.txt` is the largest. Several tours: one folder per tour.
* A line is `t x y z qx qy qz qw`: presentation time in seconds, then world_from_cam (camera to world).
* Camera axes are OpenCV's (x right, y down, z forward); the world is right-handed, z up.
* The first line of a file, a comment, says whether lengths are metres."""


def write(runs: Iterable[RunData], ledger: Ledger, options: ExportOptions) -> None:
    """Write one file per model of each tour."""
    ledger.counts.update({"trajectories": 0, "poses": 0})
    for run in runs:
        folder = ledger.out / run.scene.id if ledger.nested else ledger.out
        folder.mkdir(exist_ok=True)
        digits = len(str(max(len(run.scene.models) - 1, 0)))
        for position, model in enumerate(run.scene.models):
            if not model.frames:
                ledger.dropped["model without poses"] += 1
                continue
            (folder / f"{position:0{digits}d}.txt").write_text(_text(run.scene, model), encoding="utf-8")
            ledger.counts["trajectories"] += 1
            ledger.counts["poses"] += len(model.frames)


def _text(scene: Scene, model: SceneModel) -> str:
    lines = [
        f"# {' '.join(COLUMNS)}; seconds; world_from_cam; tour {scene.id}, model {model.name}, "
        f"unit {model.scale.unit} (scale {model.scale.status})"
    ]
    for frame, pose in model.world_from_cam.items():
        w, x, y, z = pose.quat_wxyz
        values = (scene.frame_by_index[frame].time_s, *pose.center, x, y, z, w)
        lines.append(" ".join(repr(float(value)) for value in values))
    return "\n".join(lines) + "\n"


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
            yield Problem(name, row, "line", "8 values with one space between", shown(line))
            continue
        poses += 1
        bad = [(field, value) for field, value in zip(COLUMNS, values, strict=True) if not _is_number(value)]
        for field, value in bad:
            yield Problem(name, row, field, "a finite number", shown(value))
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
