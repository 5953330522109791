"""Walks at equal times: numbered images with positions and yaws (GNM, ViNT, NoMaD), and the next positions seen from a
frame (as CityWalker has them).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import yaml
from pydantic import Field

from recon.ranges import Positive
from roomtour.export.core.checking import DatasetCheck, Row
from roomtour.export.core.fields import Finite, Id, RelativePath, is_number, there
from roomtour.export.core.format import ExportFormat, each_run
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.pickles import dump_arrays
from roomtour.export.core.records import RunData
from roomtour.export.core.run_files import copy_frame, copy_frames
from roomtour.options.yaml_text import read_yaml
from trajectories.records import Trajectory, TrajectoryPoint
from trajectories.training import floor_distance, places_seen_from, resample_by_time

TRAJECTORIES, SPLIT_FOLDER = "trajectories", "data_splits"
BETWEEN, ALONE = "frame between two equal times", "frame alone between two gaps"
NAMES, DATA, CONFIG = "traj_names.txt", "traj_data.pkl", "data_config.yaml"

GNM_CONVENTION = """\
* `trajectories/{name}/{k}.jpg` are the frames of one unbroken walk, k from 0.
* `traj_data.pkl`: numpy arrays `position` [T, 2] in metres on the floor and `yaw` [T] in radians, counter-clockwise
  from +x; the direction of the optical axis.
* `data_splits/{split}/traj_names.txt` lists the folders of a split. Point `data_folder`, `train` and `test` of the
  trainer's configuration at these.
* Frames are `period_s` apart in time, each the one nearest to its time: a distance between two is a speed. A walk is
  cut where a time has no frame near it, since the camera was lost there.
* `data_config.yaml` holds `metric_waypoint_spacing`, the mean distance between two frames in metres, and `period_s`."""


@dataclass(frozen=True, kw_only=True)
class GnmOptions(ExportOptions):
    """Options of the format."""

    period_s: Positive = 1 / 3
    """Time between two frames (s). One for the whole dataset, so that a trainer's steps mean one thing; below what a
    tour was sampled with (`--sample.fps`), its walks fall to pieces of single frames and are counted as left out."""


def write(runs: Iterable[RunData], ledger: Ledger, options: GnmOptions) -> None:
    """Write the walks of all tours, one tour at a time."""
    splits = options.splits
    for split in splits:
        (ledger.out / SPLIT_FOLDER / split).mkdir(parents=True)
    (ledger.out / TRAJECTORIES).mkdir()
    ledger.counts.update({"trajectories": 0, "frames": 0})
    length_m, early_or_late_s = 0.0, list[float]()
    names: dict[str, list[str]] = {split: [] for split in splits}
    for run in runs:
        for trajectory in run.trajectories:
            if trajectory.unit != "m":
                ledger.dropped["walk in a model without a scale"] += 1
                continue
            pieces = resample_by_time(trajectory.points, options.period_s)
            left_out = len(trajectory.points) - sum(len(points) for points in pieces)
            ledger.dropped[BETWEEN] += left_out
            for number, points in enumerate(pieces):
                if len(points) < 2:
                    ledger.dropped[ALONE] += len(points)
                    continue
                name = f"{trajectory.id}_{number}"
                _write_walk(run, ledger, name, points)
                names[ledger.split].append(name)
                length_m += sum(floor_distance(a, b) for a, b in pairwise(points))
                early_or_late_s += [b.time_s - a.time_s - options.period_s for a, b in pairwise(points)]
    for split, listed in names.items():
        (ledger.out / SPLIT_FOLDER / split / NAMES).write_text(
            "".join(f"{name}\n" for name in listed), encoding="utf-8"
        )
    spacing_m = length_m / len(early_or_late_s) if early_or_late_s else 0.0
    config = {"roomtour": {"metric_waypoint_spacing": spacing_m, "period_s": options.period_s}}
    (ledger.out / CONFIG).write_text(yaml.safe_dump(config), encoding="utf-8")
    spread_s = float(np.sqrt(np.mean(np.square(early_or_late_s)))) if early_or_late_s else 0.0
    ledger.card_notes.append(
        f"`metric_waypoint_spacing` of this dataset: {spacing_m:.4f} m. Steps of {options.period_s:.3f} s, "
        f"{spread_s:.3f} s RMS off, since a frame is the sharpest near its time."
    )


def _write_walk(run: RunData, ledger: Ledger, name: str, points: Sequence[TrajectoryPoint]) -> None:
    folder = ledger.out / TRAJECTORIES / name
    folder.mkdir()
    for number, point in enumerate(points):
        copy_frame(run, point.frame, folder / f"{number}.jpg")
    arrays = {
        "position": np.array([point.position[:2] for point in points]),
        "yaw": np.array([math.radians(point.heading_deg) for point in points]),
    }
    dump_arrays(arrays, folder / DATA)
    ledger.counts["trajectories"] += 1
    ledger.counts["frames"] += len(points)


def _check(data: DatasetCheck) -> None:
    """Arrays of the right shape, an image for each row, names that fit, the spacing."""
    folders = sorted(folder for folder in (data.folder / TRAJECTORIES).glob("*") if folder.is_dir())
    present = {folder.name for folder in folders}
    for name, _ in data.split_files(f"{SPLIT_FOLDER}/{{split}}/{NAMES}"):
        lines = (data.folder / name).read_text(encoding="utf-8", errors="replace").splitlines()
        for row in data.objects(lines, name):
            row.need(row.record in present, "name", f"a folder of {TRAJECTORIES}/", row.record)
            row.new("name", row.record)
    for missing in sorted(present - data.known["", "name"]):
        data.bad(f"{TRAJECTORIES}/{missing}", "name", f"a line in a {NAMES}", "none")
    walks = [_check_walk(data, folder) for folder in folders]
    steps = sum(count for _, count in walks)
    _check_spacing(data, sum(length_m for length_m, _ in walks) / steps if steps else 0.0)


def _check_walk(data: DatasetCheck, folder: Path) -> tuple[float, int]:
    """Length in metres and number of steps."""
    name = f"{TRAJECTORIES}/{folder.name}"
    bad = partial(data.bad, f"{name}/{DATA}")
    arrays = data.read_pickle(f"{name}/{DATA}")
    if arrays is None:
        return 0.0, 0
    position, yaw = arrays.get("position"), arrays.get("yaw")
    if not isinstance(position, np.ndarray) or position.ndim != 2 or position.shape[1] != 2 or len(position) < 2:
        bad("position", "an array [T, 2], T at least 2", getattr(position, "shape", position))
        return 0.0, 0
    if not np.all(np.isfinite(position)):
        bad("position", "finite metres", "nan or inf")
        return 0.0, 0
    if not isinstance(yaw, np.ndarray) or yaw.shape != (len(position),):
        bad("yaw", f"an array [{len(position)}]", getattr(yaw, "shape", yaw))
    elif not np.all(np.abs(yaw) <= 2 * np.pi):
        bad("yaw", "radians", float(np.abs(yaw).max()))
    images = {file.name for file in folder.glob("*.jpg")}
    odd = images ^ {f"{k}.jpg" for k in range(len(position))}
    if odd:
        expected = f"0.jpg to {len(position) - 1}.jpg, one per position"
        data.bad(name, "images", expected, f"{len(images)}, odd: {sorted(odd)[:3]}")
    return float(np.linalg.norm(np.diff(position, axis=0), axis=1).sum()), len(position) - 1


def _check_spacing(data: DatasetCheck, measured_m: float) -> None:
    bad = partial(data.bad, CONFIG, "metric_waypoint_spacing")
    try:
        config = read_yaml((data.folder / CONFIG).read_text(encoding="utf-8"))
        spacing = config["roomtour"]["metric_waypoint_spacing"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError, yaml.YAMLError) as error:
        return bad("a number under roomtour", str(error))
    if not is_number(spacing) or abs(spacing - measured_m) > 0.01 * measured_m + 1e-6:
        bad(f"the mean distance between two frames ({measured_m:.4f} m)", spacing)
    return None


GNM = ExportFormat(
    name="gnm",
    summary="numbered images with positions and yaws, one folder per unbroken walk",
    client="GNM, ViNT and NoMaD trainers",
    needs_scale=True,
    reads=("trajectories",),
    convention=GNM_CONVENTION,
    options=GnmOptions,
    write=write,
    check=_check,
)


WAYPOINT_FILES = "waypoints_{split}.json"
AHEAD = PAST = 5
"""Positions to come and positions before, as CityWalker has them."""

WAYPOINTS_CONVENTION = """\
* `waypoints_{split}.json`, a row per frame: `waypoints` are the next five positions of the camera above the floor,
  `period_s` apart, [metres ahead, metres to the left] of the camera of `images[-1]`; `past` are the five before, the
  latest last, and `images` their pictures and then that of the present.
* Frames are the nearest to equal times; where the camera was lost for longer no row reaches across.
* `scale_status` is `metric` or `assumed`, and `scale_sigma` its relative standard deviation: the error that all
  positions of a row share."""


@dataclass(frozen=True, kw_only=True)
class WaypointOptions(ExportOptions):
    """Options of the format."""

    period_s: Positive = 1.0
    """Time between two positions (s): CityWalker's. A multiple of the time between sampled frames keeps them equal."""


def _waypoint_rows(run: RunData, ledger: Ledger, options: WaypointOptions) -> Iterator[dict[str, Any]]:
    for walk in run.trajectories:
        if walk.unit == "m":
            yield from _rows_of_walk(run, walk, ledger.out, options.period_s)
        else:
            ledger.dropped["walk in a model without a scale"] += 1


def _rows_of_walk(run: RunData, walk: Trajectory, out: Path, period_s: float) -> Iterator[dict[str, Any]]:
    scale = next(model.scale for model in run.scene.models if model.name == walk.model)
    folder = f"images/{run.scene.id}"
    for points in resample_by_time(walk.points, period_s):
        for row in range(PAST, len(points) - AHEAD):
            here, before, after = points[row], points[row - PAST : row], points[row + 1 : row + 1 + AHEAD]
            shown = [point.frame for point in (*before, here)]
            copy_frames(run, shown, out / folder)
            yield {
                "id": f"{walk.id}_{here.frame:06d}",
                "images": [f"{folder}/{run.scene.frame_by_index[frame].image}" for frame in shown],
                "past": places_seen_from(here, before).round(4).tolist(),
                "waypoints": places_seen_from(here, after).round(4).tolist(),
                "period_s": period_s,
                "scale_status": scale.status,
                "scale_sigma": scale.sigma,
            }


_Spot = Annotated[list[Finite], Field(min_length=2, max_length=2)]
_Picture = Annotated[RelativePath, there()]


class _Seen(Row):
    id: Id
    images: Annotated[list[_Picture], Field(min_length=PAST + 1, max_length=PAST + 1)]
    past: Annotated[list[_Spot], Field(min_length=PAST, max_length=PAST)]
    waypoints: Annotated[list[_Spot], Field(min_length=AHEAD, max_length=AHEAD)]
    period_s: Positive
    scale_status: Literal["metric", "assumed"]
    scale_sigma: Annotated[float, Field(ge=0, allow_inf_nan=False)]


WAYPOINTS = ExportFormat(
    name="waypoints",
    summary="the next five positions in metres seen from a frame, at equal times, a row per frame",
    client="code in the manner of CityWalker and UrbanNav, with a few lines of its own",
    needs_scale=True,
    reads=("trajectories",),
    convention=WAYPOINTS_CONVENTION,
    options=WaypointOptions,
    write=each_run(WAYPOINT_FILES, _waypoint_rows, "rows"),
    tables={WAYPOINT_FILES: _Seen},
)
