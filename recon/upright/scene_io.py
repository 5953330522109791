"""A scene as files: `scene.json` (everything small) and `models/NAME/` in COLMAP's binary format (poses and points).

The COLMAP models are the upright, scaled ones: z up, unit as `scale` says, image id = frame index, image name = file
name in `frames/`. Point ids are rows of `tracks.xyz` plus 1.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Literal

import pycolmap
from pydantic import TypeAdapter

from recon.colmap.database import CAMERA_ID
from recon.colmap.observations import read_pose, tracks_from_colmap
from recon.colmap.read import read_model
from recon.errors import ReconError
from recon.findings import Finding
from recon.geometry import Camera
from recon.records import Clip, Frame, ModelHealth, PoseSigma, Scale, ScaleWitness, Scene, SceneModel, SourceInfo
from recon.upright.outline import read_scene_file


@dataclass(frozen=True)
class _ModelEntry:
    """The fields of a `SceneModel` that COLMAP's files cannot hold; poses and points are in `models/NAME/`."""

    name: str
    frames: tuple[int, ...]
    camera: Camera
    scale: Scale
    floor_z: float | None
    up_source: str
    mean_reprojection_error_px: float
    clips: tuple[str, ...]
    path_length: float  # for readers of `outline` only; `read_scene` measures it on the poses
    pose_sigma: dict[int, PoseSigma] = field(default_factory=dict)
    health: ModelHealth | None = None
    witnesses: tuple[ScaleWitness, ...] = ()
    is_upright: bool = True
    has_clouds: bool = False
    range_sigma: float = 0.0
    floor_range: float = 0.0


_FIELDS = tuple(one.name for one in fields(_ModelEntry))


@dataclass(frozen=True)
class _SceneFile:
    """`scene.json`."""

    format: Literal[1]
    id: str
    source: SourceInfo
    models: tuple[_ModelEntry, ...]
    clips: tuple[Clip, ...]
    frames: tuple[Frame, ...]
    findings: tuple[Finding, ...]


_ADAPTER = TypeAdapter(_SceneFile)


def write_scene(scene: Scene, folder: Path) -> None:
    """Write a scene into a folder, made if absent. `scene.json` comes last, so a folder with it is whole.

    Raises:
        ReconError: If a model has a frame the scene does not have.
    """
    for model in scene.models:
        target = folder / "models" / model.name
        target.mkdir(parents=True, exist_ok=True)
        model_to_colmap(model, scene).write_binary(str(target))
    entries = tuple(_ModelEntry(**{name: getattr(model, name) for name in _FIELDS}) for model in scene.models)
    content = _SceneFile(1, scene.id, scene.source, entries, scene.clips, scene.frames, scene.findings)
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(_ADAPTER.dump_python(content, mode="json"), indent=1, ensure_ascii=False, allow_nan=False)
    (folder / "scene.json").write_text(text + "\n", encoding="utf-8")


def read_scene(folder: Path) -> Scene:
    """Read a scene written by `write_scene`; poses and points are the same to rounding (1e-12).

    Raises:
        ReconError: If a file is missing or does not fit, naming the file and the first wrong field.
    """
    content = read_scene_file(folder, _ADAPTER)
    models = tuple(_read_model(entry, folder / "models" / entry.name) for entry in content.models)
    return Scene(content.id, content.source, content.frames, content.clips, models, content.findings)


def model_to_colmap(model: SceneModel, scene: Scene) -> pycolmap.Reconstruction:
    """One model as a COLMAP reconstruction: one camera, image id = frame index, observed keypoints only.

    Raises:
        ReconError: If the model has a frame the scene does not have.
    """
    out = pycolmap.Reconstruction()
    out.add_camera_with_trivial_rig(model.camera.to_colmap(CAMERA_ID))
    tracks = model.tracks
    elements: list[list[pycolmap.TrackElement]] = [[] for _ in tracks.xyz]
    for frame, pose in model.world_from_cam.items():
        if frame not in scene.frame_by_index:
            raise ReconError(f"model {model.name}: frame {frame} is not among the {len(scene.frames)} of the scene")
        rows = tracks.rows_of_frame(frame)
        image = pycolmap.Image(
            name=scene.frame_by_index[frame].image, keypoints=tracks.obs_xy[rows], camera_id=CAMERA_ID, image_id=frame
        )
        out.add_image_with_trivial_frame(image, pose.inverse().to_rigid3d())
        for index, point in enumerate(tracks.obs_point[rows].tolist()):
            elements[point].append(pycolmap.TrackElement(frame, index))
    for row, (xyz, rgb, error) in enumerate(zip(tracks.xyz, tracks.rgb, tracks.error_px, strict=True)):
        point = pycolmap.Point3D(xyz=xyz, color=rgb, error=float(error), track=pycolmap.Track(elements[row]))
        out.add_point3D_with_id(row + 1, point)
    return out


def _read_model(entry: _ModelEntry, folder: Path) -> SceneModel:
    try:
        reconstruction = read_model(folder)
    except ReconError as error:
        raise ReconError(f"{error}. Make the scene again") from error
    registered = tuple(sorted(reconstruction.reg_image_ids()))
    if registered != tuple(sorted(entry.frames)):
        raise ReconError(
            f"{folder}: has {len(registered)} registered images, scene.json lists {len(entry.frames)} frames for "
            f"model {entry.name}. Make the scene again"
        )
    poses = {frame: read_pose(reconstruction, frame) for frame in entry.frames}
    kept = {name: getattr(entry, name) for name in _FIELDS if name not in ("frames", "path_length")}
    return SceneModel(world_from_cam=poses, tracks=tracks_from_colmap(reconstruction), **kept)
