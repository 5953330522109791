"""GNM / ViNT / NoMaD trajectories: numbered images with positions and yaws, one folder per unbroken walk."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import pairwise
from statistics import median

import numpy as np
import yaml

from roomtour.export.core.images import copy_frame
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.formats.gnm.numpy_pickle import dump_arrays
from trajectories.records import Trajectory, TrajectoryPoint
from trajectories.resample import floor_distance

TRAJECTORIES, SPLIT_FOLDER = "trajectories", "data_splits"
NAMES, DATA, CONFIG = "traj_names.txt", "traj_data.pkl", "data_config.yaml"

CONVENTION = """\
* `trajectories/{name}/{k}.jpg` are the frames of one unbroken walk, k from 0.
* `traj_data.pkl`: numpy arrays `position` [T, 2] in metres on the floor and `yaw` [T] in radians, counter-clockwise
  from +x; the direction of the optical axis.
* `data_splits/{split}/traj_names.txt` lists the folders of a split. Point `data_folder`, `train` and `test` of the
  trainer's configuration at these.
* `data_config.yaml` holds `metric_waypoint_spacing`, the mean distance between two frames in metres."""

_GAP = 3.0
"""A pause this many times the usual time between two frames: the camera was lost, so the walk is cut there."""


def write(runs: Iterable[RunData], ledger: Ledger, options: ExportOptions) -> None:
    """Write the walks of all tours, one tour at a time."""
    splits = ["train"] + (["val"] if options.val_share > 0 else [])
    for split in splits:
        (ledger.out / SPLIT_FOLDER / split).mkdir(parents=True)
    (ledger.out / TRAJECTORIES).mkdir()
    ledger.counts.update({"trajectories": 0, "frames": 0})
    length_m, steps = 0.0, 0
    with ExitStack() as stack:
        names = {
            s: stack.enter_context((ledger.out / SPLIT_FOLDER / s / NAMES).open("w", encoding="utf-8")) for s in splits
        }
        for run in runs:
            for trajectory in run.trajectories:
                if trajectory.unit != "m":
                    ledger.dropped["walk in a model without a scale"] += 1
                    continue
                for number, points in enumerate(_split_at_gaps(trajectory)):
                    if len(points) < 2:
                        ledger.dropped["frame alone between two gaps"] += len(points)
                        continue
                    name = f"{trajectory.id}_{number}"
                    _write_walk(run, ledger, name, points)
                    names[ledger.split].write(f"{name}\n")
                    length_m += sum(floor_distance(a, b) for a, b in pairwise(points))
                    steps += len(points) - 1
    spacing_m = length_m / steps if steps else 0.0
    config = {"roomtour": {"metric_waypoint_spacing": spacing_m}}
    (ledger.out / CONFIG).write_text(yaml.safe_dump(config), encoding="utf-8")
    ledger.card_notes.append(f"`metric_waypoint_spacing` of this dataset: {spacing_m:.4f} m.")


def _split_at_gaps(trajectory: Trajectory) -> Iterator[list[TrajectoryPoint]]:
    points = trajectory.points
    if not points:
        return
    usual = median([b.time_s - a.time_s for a, b in pairwise(points)] or [0.0])
    part = [points[0]]
    for before, point in pairwise(points):
        if point.time_s - before.time_s > _GAP * usual + 1e-9:
            yield part
            part = []
        part.append(point)
    yield part


def _write_walk(run: RunData, ledger: Ledger, name: str, points: list[TrajectoryPoint]) -> None:
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
