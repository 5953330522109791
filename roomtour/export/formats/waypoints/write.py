"""Where the walker is next: positions at equal times in the ground frame of a camera."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recon.ranges import Positive
from roomtour.export.core.images import copy_frames
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import JsonArrayWriter
from trajectories.records import Trajectory
from trajectories.resample import places_seen_from, resample_by_time

AHEAD = PAST = 5
"""Positions to come and positions before, as CityWalker has them."""

CONVENTION = """\
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


def file_name(split: str) -> str:
    """Name of the file of rows."""
    return f"waypoints_{split}.json"


def write(runs: Iterable[RunData], ledger: Ledger, options: WaypointOptions) -> None:
    """Write the rows of all tours, one tour at a time."""
    splits = options.splits
    ledger.counts["rows"] = 0
    with ExitStack() as stack:
        files = {split: stack.enter_context(JsonArrayWriter(ledger.out / file_name(split))) for split in splits}
        for run in runs:
            for walk in run.trajectories:
                if walk.unit != "m":
                    ledger.dropped["walk in a model without a scale"] += 1
                    continue
                for row in _rows(run, walk, ledger.out, options.period_s):
                    files[ledger.split].add(row)
                    ledger.counts["rows"] += 1


def _rows(run: RunData, walk: Trajectory, out: Path, period_s: float) -> Iterator[dict[str, Any]]:
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
