"""Rerun recordings: frames with their cameras on two timelines, and walk, points and boxes of each model."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.spatial.transform import Rotation

from instructions.records import SceneObject
from recon.records import SceneModel
from roomtour.errors import RoomtourError
from roomtour.export.core.checking import DatasetCheck
from roomtour.export.core.folder import MARKER, read_marker
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import Problem, RunData, format_value
from roomtour.export.core.run_files import read_picture


def load_rerun(module: str = "rerun") -> Any:
    """A module of the SDK.

    Raises:
        RoomtourError: If it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise RoomtourError(f'format rerun needs the Rerun SDK ({error}): pip install "roomtour[rerun]"') from error


SUFFIX = ".rrd"
CAMERA, WALK, POINTS, THINGS = "camera", "walk", "points", "things"
"""Entities of a model, below `models/NAME`."""
_PLANE_M = 0.3
"""From the camera to its picture, in nominal metres: small enough that neighbors can be told apart."""
_WALK_RGB = (255, 196, 0)
_THING_RGB = (0, 160, 255)

CONVENTION = """\
* One file per tour, `rerun TOUR.rrd` opens it. Timelines: `time`, the presentation time, and `frame`, its number.
* Each model is a world of its own, `models/NAME`: right-handed, z up, in the unit that `about` states.
* `camera` moves through it (world_from_cam, OpenCV axes: x right, y down, z forward), and `camera/image` is its frame,
  encoded as it lies in the run. A recording knows pinholes only: lens distortion is left out.
* `walk` joins the camera centres in order of time. `points` have the colors of the frames. `things` are oriented boxes;
  only names that texts may say are written beside them."""


@dataclass(frozen=True, kw_only=True)
class RerunOptions(ExportOptions):
    """Options of the format."""

    images: bool = True
    """Put the frames into the recording, about 40 kB each."""


def write(runs: Iterable[RunData], ledger: Ledger, options: RerunOptions) -> None:
    """Write one recording per tour."""
    rr = load_rerun()
    ledger.counts.update({"recordings": 0, "poses": 0, "images": 0, "points": 0, "things": 0})
    for run in runs:
        path = ledger.out / f"{run.scene.id}{SUFFIX}"
        recording = rr.RecordingStream("roomtour", recording_id=run.scene.id, send_properties=False)
        recording.set_log_time_enabled(False)
        recording.set_log_tick_enabled(False)
        recording.save(path)
        recording.send_recording_name(run.scene.id)
        recording.log("about", rr.TextDocument(_describe(run)), static=True)
        for model in run.scene.models:
            _log_model(rr, recording, run, model, ledger, options)
        recording.flush()
        recording.disconnect()
        if not path.is_file():
            raise RoomtourError(f"{path.name} was not written. Is the disk full?")
        ledger.counts["recordings"] += 1


def _describe(run: RunData) -> str:
    lines = [f"tour {run.scene.id}, licence {run.scene.source.licence}"]
    lines += [
        f"model {model.name}: lengths in {model.scale.unit} (scale {model.scale.status}: {model.scale.source})"
        for model in run.scene.models
    ]
    return "\n".join(lines)


def _log_model(rr: Any, recording: Any, run: RunData, model: SceneModel, ledger: Ledger, options: RerunOptions) -> None:
    root = f"models/{rr.escape_entity_path_part(model.name)}"
    camera = model.camera
    recording.log(root, rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
    recording.log(f"{root}/{POINTS}", rr.Points3D(model.tracks.xyz, colors=model.tracks.rgb), static=True)
    recording.log(f"{root}/{WALK}", rr.LineStrips3D([model.centers], colors=[_WALK_RGB]), static=True)
    recording.log(
        f"{root}/{CAMERA}",
        rr.Pinhole(
            focal_length=(camera.fx, camera.fy),
            principal_point=(camera.cx, camera.cy),
            resolution=(camera.width, camera.height),
            image_plane_distance=_PLANE_M * model.nominal_metre,
        ),
        static=True,
    )
    for number, pose in model.world_from_cam.items():
        frame = run.scene.frame_by_index[number]
        recording.set_time("time", duration=frame.time_s)
        recording.set_time("frame", sequence=number)
        quat_xyzw = Rotation.from_matrix(pose.rotation).as_quat()
        recording.log(f"{root}/{CAMERA}", rr.Transform3D(translation=pose.center, quaternion=quat_xyzw))
        if options.images:
            picture = read_picture(run.frames_dir / frame.image, run.scene.id)
            recording.log(
                f"{root}/{CAMERA}/image", rr.EncodedImage(contents=picture, media_type=_media_type(frame.image))
            )
    things = [thing for thing in run.objects if thing.model == model.name]
    if things:
        recording.log(f"{root}/{THINGS}", _boxes(rr, things), static=True)
    ledger.counts["poses"] += len(model.frames)
    ledger.counts["images"] += len(model.frames) * options.images
    ledger.counts["points"] += len(model.tracks.xyz)
    ledger.counts["things"] += len(things)


def _media_type(name: str) -> str:
    return f"image/{Path(name).suffix.lower().lstrip('.').replace('jpg', 'jpeg')}"


def _boxes(rr: Any, things: Sequence[SceneObject]) -> Any:
    return rr.Boxes3D(
        centers=[thing.obb.center for thing in things],
        half_sizes=[thing.obb.half_extents for thing in things],
        quaternions=Rotation.from_matrix([thing.obb.rotation for thing in things]).as_quat(),
        labels=[thing.alias if thing.category is not None else "" for thing in things],
        colors=[_THING_RGB],
    )


_COUNTED = {
    f"{CAMERA}/image": ("images", "EncodedImage:blob"),
    CAMERA: ("poses", "Transform3D:translation"),
    POINTS: ("points", "Points3D:positions"),
    THINGS: ("things", "Boxes3D:half_sizes"),
}
"""By the end of an entity's path: what `export.json` calls it, and the column that holds one value for each."""
_FINITE = (*(column for name, (_, column) in _COUNTED.items() if name != f"{CAMERA}/image"), "LineStrips3D:strips")


def _check_file(file: Path, counts: Counter[str]) -> Iterator[Problem]:
    times: dict[str, list[np.ndarray]] = {}
    held: Counter[str] = Counter()
    try:
        for chunk in _read(file):
            entity, batch = str(chunk.entity_path).strip("/"), chunk.to_record_batch()
            held[entity] += chunk.num_rows
            yield from _check_numbers(batch, entity, file.name)
            for end, (name, column) in _COUNTED.items():
                if entity.endswith(f"/{end}") and column in batch.schema.names:
                    counts[name] += sum(len(row) for row in batch.column(column) if row.is_valid)
            if entity.endswith(f"/{CAMERA}") and not chunk.is_static:
                times.setdefault(entity, []).append(batch.column("frame").to_numpy(zero_copy_only=False))
    except RoomtourError:
        raise
    except Exception as error:  # the reader raises what its parts raise, from OSError to its own
        yield Problem(file.name, None, "recording", "a file that Rerun reads", format_value(str(error)))
        return
    if not held:
        yield Problem(file.name, None, "recording", "a file that holds something", "nothing")
    for entity, parts in times.items():
        frames = np.concatenate(parts)
        if len(frames) != len(np.unique(frames)):
            yield Problem(file.name, entity, "frame", "each frame once", f"{len(frames)} rows")
        model = entity.removesuffix(f"/{CAMERA}")
        for other in (WALK, POINTS):
            if f"{model}/{other}" not in held:
                yield Problem(file.name, f"{model}/{other}", "entity", "what belongs to the cameras", "no such entity")


def _read(file: Path) -> list[Any]:
    """The chunks of a recording."""
    reader = load_rerun("rerun.chunk").RrdReader
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a file that is cut short; what is wrong with it is told by its error
        return list(reader(file).stream())


def _check_numbers(batch: pa.RecordBatch, entity: str, file: str) -> Iterator[Problem]:
    """Places and sizes of an entity must be finite, and its quaternions of unit length."""
    for column in [name for name in _FINITE if name in batch.schema.names]:
        if not np.all(np.isfinite(_numbers(batch.column(column)))):
            yield Problem(file, entity, column, "finite values", "nan or inf")
    colors, places = (f"Points3D:{name}" for name in ("colors", "positions"))
    if places in batch.schema.names:
        lengths = [
            [len(row) for row in batch.column(name)] if name in batch.schema.names else [] for name in (colors, places)
        ]
        if lengths[0] != lengths[1]:
            yield Problem(file, entity, colors, f"{lengths[1]}, one per point", format_value(lengths[0]))
    for column in [name for name in batch.schema.names if name.endswith(("Transform3D:quaternion", ":quaternions"))]:
        norms = np.linalg.norm(_numbers(batch.column(column)).reshape(-1, 4), axis=1)
        if not np.all(np.abs(norms - 1.0) < 1e-3):
            yield Problem(file, entity, column, "unit quaternions", f"norm {norms[np.abs(norms - 1.0).argmax()]:.4f}")


def _numbers(column: Any) -> np.ndarray:
    """All numbers of a column, whatever they are nested in."""
    while pa.types.is_nested(column.type):
        column = column.flatten()
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)


def _check(data: DatasetCheck) -> None:
    """Each file is readable, its cameras move in time, and it holds as much as was exported."""
    counts: Counter[str] = Counter()
    for file in sorted(data.folder.glob(f"*{SUFFIX}")):
        data.problems += _check_file(file, counts)
    exported = (read_marker(data.folder) or {}).get("counts")
    if data.problems or not isinstance(exported, dict):
        return
    for name, _ in _COUNTED.values():
        if counts[name] != exported.get(name, 0):
            data.bad(MARKER, name, f"{counts[name]}, as recorded", exported.get(name, 0))


RERUN = ExportFormat(
    name="rerun",
    summary="one recording per tour to look at over time: frames with their cameras, walk, points, boxes of things",
    client='the Rerun viewer; writing and checking need `pip install "roomtour[rerun]"`',
    shows=("objects",),
    convention=CONVENTION,
    options=RerunOptions,
    write=write,
    check=_check,
)
