"""GNM / ViNT / NoMaD trajectories: numbered images with positions and yaws, one folder per unbroken walk."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import yaml

from recon.ranges import Positive
from roomtour.export.core.images import copy_frame
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.numpy_pickle import dump_arrays
from roomtour.export.core.records import RunData
from trajectories.records import TrajectoryPoint
from trajectories.resample import floor_distance, resample_by_time

TRAJECTORIES, SPLIT_FOLDER = "trajectories", "data_splits"
BETWEEN, ALONE = "frame between two equal times", "frame alone between two gaps"
NAMES, DATA, CONFIG = "traj_names.txt", "traj_data.pkl", "data_config.yaml"

CONVENTION = """\
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
    with ExitStack() as stack:
        names = {
            s: stack.enter_context((ledger.out / SPLIT_FOLDER / s / NAMES).open("w", encoding="utf-8")) for s in splits
        }
        for run in runs:
            for trajectory in run.trajectories:
                if trajectory.unit != "m":
                    ledger.dropped["walk in a model without a scale"] += 1
                    continue
                pieces = resample_by_time(trajectory.points, options.period_s)
                left_out = len(trajectory.points) - sum(len(points) for points in pieces)
                if left_out:
                    ledger.dropped[BETWEEN] += left_out
                for number, points in enumerate(pieces):
                    if len(points) < 2:
                        ledger.dropped[ALONE] += len(points)
                        continue
                    name = f"{trajectory.id}_{number}"
                    _write_walk(run, ledger, name, points)
                    names[ledger.split].write(f"{name}\n")
                    length_m += sum(floor_distance(a, b) for a, b in pairwise(points))
                    early_or_late_s += [b.time_s - a.time_s - options.period_s for a, b in pairwise(points)]
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
