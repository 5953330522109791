"""TUM trajectories: `t x y z qx qy qz qw` per line, one file per model. `recon.pose_sources.read` reads them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from recon.pose_sources.read import COLUMNS
from recon.records import Scene, SceneModel
from roomtour.export.core.checking import DatasetCheck, RowCheck
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.images import write_picture_names
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData

CONVENTION = """\
* One file per model, named by size: `0.txt` is the largest. Several tours: one folder per tour.
* A line is `t x y z qx qy qz qw`: presentation time in seconds, then world_from_cam (camera to world).
* Camera axes are OpenCV's (x right, y down, z forward); the world is right-handed, z up.
* The first line of a file, a comment, says whether lengths are metres.
* Of a folder of pictures, `pictures.csv` names the picture that each frame was made of."""


def write(runs: Iterable[RunData], ledger: Ledger, options: ExportOptions) -> None:
    """Write one file per model of each tour."""
    ledger.counts.update({"trajectories": 0, "poses": 0})
    for run in runs:
        folder = ledger.out / run.scene.id if ledger.nested else ledger.out
        folder.mkdir(exist_ok=True)
        write_picture_names(run, folder)
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


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _files(folder: Path) -> list[Path]:
    return sorted([*folder.glob("*.txt"), *folder.glob("*/*.txt")])


def _check(data: DatasetCheck) -> None:
    """Eight numbers per line, times that rise, unit quaternions."""
    for file in _files(data.folder):
        name, last = file.relative_to(data.folder).as_posix(), -math.inf
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        rows = [row for row in data.objects(lines, name) if not row.record.startswith("#")]
        if not any(len(row.record.split(" ")) == len(COLUMNS) for row in rows):
            data.bad(name, "lines", "at least one pose", "none")
        for row in rows:
            last = _check_line(row, last)


def _check_line(row: RowCheck, last: float) -> float:
    """The time of a line that comes after the time `last`."""
    values = row.record.split(" ")
    if len(values) != len(COLUMNS):
        row.bad("line", "8 values with one space between", row.record)
        return last
    bad = [(field, value) for field, value in zip(COLUMNS, values, strict=True) if not _is_number(value)]
    for field, value in bad:
        row.bad(field, "a finite number", value)
    if bad:
        return last
    numbers = [float(value) for value in values]
    row.need(numbers[0] > last, "t", f"later than the line before ({last})", values[0])
    norm = math.hypot(*numbers[4:])
    row.need(abs(norm - 1.0) <= 1e-3, "qx qy qz qw", "a unit quaternion", f"norm {norm:.4f}")
    return numbers[0]


TUM = ExportFormat(
    name="tum",
    summary="camera trajectories as text, one file per model, largest first",
    client="evo",
    convention=CONVENTION,
    write=write,
    check=_check,
)
