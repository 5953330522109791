"""Rerun recordings: frames with their cameras on two timelines, and walk, points and boxes of each model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scipy.spatial.transform import Rotation

from instructions.records import SceneObject
from recon.records import SceneModel
from roomtour.errors import RoomtourError
from roomtour.export.core.images import read_picture
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.formats.rerun.sdk import load_rerun

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
