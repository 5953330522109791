"""The open format: scenes, trajectories, objects and instructions as JSON lines, each row with its provenance.

Every row starts with the fields of `RowSource`; then come the fields of the record, named as in the Python classes.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from instructions.records import Observation, SceneObject, SpatialLine
from recon.findings import Finding
from recon.geometry import Camera
from recon.records import Clip, Frame, Scale, ScaleStatus, SceneModel, SourceInfo
from roomtour.artifacts import ARTIFACTS, KEPT_ROWS, Artifact
from roomtour.export.core.ledger import ExportOptions, Ledger, software_of
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import MOST_MB
from trajectories.records import Doorway, FloorPlan, Room

SCENES, OBJECTS = "scenes.jsonl", "objects.jsonl"
PLAIN = {f"{one.name}.jsonl": one for one in ARTIFACTS.values() if one.is_open and one not in KEPT_ROWS.values()}
"""Files whose rows are written as they lie in the runs."""
ROWS = {f"{one.name}.jsonl": kind for kind, one in KEPT_ROWS.items()}
"""Files of the kinds of data, with the kind."""
FILES = (SCENES, *PLAIN, OBJECTS, *ROWS)

CONVENTION = """\
* A file that would grow too large goes on in `{name}-00001.jsonl` and so on.
* World of each model: right-handed, z up. Camera axes are OpenCV's (x right, y down, z forward).
* `poses` hold world_from_cam: camera centre `translation` and rotation `quat_wxyz`, by frame and presentation time.
* Headings in degrees, counter-clockwise from +x seen from above (left turns are positive); elevation above the horizon.
* Pixels from the top-left corner, centre of the first pixel at (0.5, 0.5); boxes are x1, y1, x2, y2.
* Lengths in the `unit` of the row: `m`, or `unit` where the scale is relative.
* `points` of an object are rows of its model's points: COLMAP point id minus 1 in an export of format colmap.
* `training.jsonl`: the walks cut into 4 to 15 views with their actions. `floor_plans`, `rooms` and `doorways` of a
  scene are polygons (x, y) from above; without room labels there are no rooms.
* Instructions hold the rejected ones too: use `accepted`, and read `rejected_because` (a code) and `rejection`. Frames
  that a text is about are its `views`; `claims` hold what it says, with the verdict and what was measured."""


@dataclass(frozen=True)
class RowSource:
    """Where a row comes from. The first fields of every row."""

    tour: str
    split: str
    source_file: str
    """Name of the tour's video or folder."""
    source_sha256: str
    licence: str
    software: str


@dataclass(frozen=True)
class PoseRow:
    """Camera of one frame: world_from_cam."""

    frame: int
    time_s: float
    quat_wxyz: tuple[float, float, float, float]
    translation: tuple[float, float, float]


@dataclass(frozen=True)
class ModelRow:
    """One reconstruction of a tour, without its points (the format colmap has them)."""

    name: str
    camera: Camera
    scale: Scale
    unit: str
    floor_z: float | None
    up_source: str
    mean_reprojection_error_px: float
    clips: tuple[str, ...]
    poses: tuple[PoseRow, ...]


@dataclass(frozen=True)
class SceneRow:
    """One tour."""

    scale_status: ScaleStatus
    video: SourceInfo
    frames: tuple[Frame, ...]
    clips: tuple[Clip, ...]
    models: tuple[ModelRow, ...]
    spatial_lines: tuple[SpatialLine, ...]
    findings: tuple[Finding, ...]
    provenance: dict[str, Any]
    floor_plans: tuple[FloorPlan, ...] = ()
    rooms: tuple[Room, ...] = ()
    doorways: tuple[Doorway, ...] = ()


@dataclass(frozen=True)
class ObjectExtras:
    """What an object's row holds besides the object."""

    unit: str
    scale_status: ScaleStatus
    frame_times_s: tuple[float, ...]
    """Of `frames`."""
    observations: tuple[Observation, ...]


@dataclass(frozen=True)
class RowExtras:
    """What the row of a kind of data holds besides its record."""

    unit: str
    frame_times_s: tuple[float, ...]
    """Of `views`."""
    images: tuple[str, ...]
    """Image of each of `views`, in the run's `frames/` folder."""


def _record(artifact: Artifact[Any]) -> type:
    if artifact.record is None:
        raise AssertionError(f"{artifact.name} is no file of rows")
    return artifact.record


ROW_TYPES: Mapping[str, tuple[type, ...]] = {
    SCENES: (RowSource, SceneRow),
    **{name: (RowSource, _record(one)) for name, one in PLAIN.items()},
    OBJECTS: (RowSource, SceneObject, ObjectExtras),
    **{name: (RowSource, _record(KEPT_ROWS[kind]), RowExtras) for name, kind in ROWS.items()},
}
"""Classes whose fields together make the row of a file. Only `tour` is told by two of them, and is the same in both."""


def write(runs: Iterable[RunData], ledger: Ledger, options: ExportOptions) -> None:
    """Write the rows of all tours, one tour at a time."""
    ledger.counts.update({name.removesuffix(".jsonl"): 0 for name in FILES})
    ledger.counts["rejected instructions"] = 0
    files = {name: ledger.files.open(ledger.out / name, MOST_MB) for name in FILES}
    for run in runs:
        source = asdict(_source_of(run, ledger.split))
        rows_of = {
            SCENES: _scene_rows(run),
            **{name: (asdict(row) for row in getattr(run, artifact.name)) for name, artifact in PLAIN.items()},
            OBJECTS: _object_rows(run),
            **{name: _kind_rows(run, kind) for name, kind in ROWS.items()},
        }
        for name, rows in rows_of.items():
            for row in rows:
                files[name]({**source, **row})
                ledger.counts[name.removesuffix(".jsonl")] += 1
        for kind in ("spatial", "programs"):
            ledger.question_types |= {row.type for row in run.list_accepted(kind)}
        ledger.counts["rejected instructions"] += sum(not text.accepted for text in run.instructions)


def _source_of(run: RunData, split: str) -> RowSource:
    return RowSource(
        tour=run.scene.id,
        split=split,
        source_file=Path(run.scene.source.path).name,
        source_sha256=run.scene.source.sha256,
        licence=run.scene.source.licence,
        software=software_of(run),
    )


def _scene_rows(run: RunData) -> Iterator[dict[str, Any]]:
    scene = run.scene
    row = SceneRow(
        scale_status=scene.scale_status,
        video=scene.source,
        frames=scene.frames,
        clips=scene.clips,
        models=tuple(_model_row(run, model) for model in scene.models),
        spatial_lines=run.spatial_lines,
        findings=scene.findings,
        provenance=json.loads(json.dumps(dict(run.provenance), default=str)),
        floor_plans=run.floor_plans,
        rooms=run.rooms,
        doorways=run.doorways,
    )
    yield asdict(row)


def _model_row(run: RunData, model: SceneModel) -> ModelRow:
    poses = []
    for frame, pose in model.world_from_cam.items():
        w, qx, qy, qz = (float(value) for value in pose.quat_wxyz)
        x, y, z = (float(value) for value in pose.center)
        poses.append(PoseRow(frame, run.scene.frame_by_index[frame].time_s, (w, qx, qy, qz), (x, y, z)))
    same = {field.name: getattr(model, field.name) for field in fields(ModelRow) if field.name not in ("unit", "poses")}
    return ModelRow(**same, unit=model.scale.unit, poses=tuple(poses))


def _object_rows(run: RunData) -> Iterator[dict[str, Any]]:
    observations: dict[str, list[Observation]] = defaultdict(list)
    for observation in run.observations:
        observations[observation.object].append(observation)
    scales = {model.name: model.scale for model in run.scene.models}
    for thing in run.objects:
        extras = ObjectExtras(
            unit=scales[thing.model].unit,
            scale_status=scales[thing.model].status,
            frame_times_s=_times(run, thing.frames),
            observations=tuple(observations[thing.id]),
        )
        yield {**asdict(thing), **asdict(extras)}


def _kind_rows(run: RunData, kind: str) -> Iterator[dict[str, Any]]:
    units = {model.name: model.scale.unit for model in run.scene.models}
    for row in run.rows.get(kind, ()):
        extras = RowExtras(
            unit=units.get(row.model, "unit"),  # frames without a pose have no model, and so no lengths
            frame_times_s=_times(run, row.views),
            images=tuple(run.scene.frame_by_index[frame].image for frame in row.views),
        )
        yield {**asdict(row), **asdict(extras)}


def _times(run: RunData, frames: Iterable[int]) -> tuple[float, ...]:
    return tuple(run.scene.frame_by_index[frame].time_s for frame in frames)
