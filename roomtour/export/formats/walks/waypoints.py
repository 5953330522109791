"""Where the walker is next: positions at equal times in the ground frame of a camera."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from recon.ranges import Positive
from roomtour.export.core.fields import Finite, Id, RelativePath, Row, there
from roomtour.export.core.format import ExportFormat, each_run
from roomtour.export.core.images import copy_frames
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from trajectories.records import Trajectory
from trajectories.resample import places_seen_from, resample_by_time

FILES = "waypoints_{split}.json"
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


def _rows(run: RunData, ledger: Ledger, options: WaypointOptions) -> Iterator[dict[str, Any]]:
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


_Place = Annotated[list[Finite], Field(min_length=2, max_length=2)]
_Picture = Annotated[RelativePath, there()]


class _Seen(Row):
    id: Id
    images: Annotated[list[_Picture], Field(min_length=PAST + 1, max_length=PAST + 1)]
    past: Annotated[list[_Place], Field(min_length=PAST, max_length=PAST)]
    waypoints: Annotated[list[_Place], Field(min_length=AHEAD, max_length=AHEAD)]
    period_s: Positive
    scale_status: Literal["metric", "assumed"]
    scale_sigma: Annotated[float, Field(ge=0, allow_inf_nan=False)]


WAYPOINTS = ExportFormat(
    name="waypoints",
    summary="the next five positions in metres seen from a frame, at equal times, a row per frame",
    client="code in the manner of CityWalker and UrbanNav, with a few lines of its own",
    needs_scale=True,
    reads=("trajectories",),
    convention=CONVENTION,
    options=WaypointOptions,
    write=each_run(FILES, _rows, "rows"),
    tables={FILES: _Seen},
)
