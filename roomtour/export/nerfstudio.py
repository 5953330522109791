"""nerfstudio's transforms.json, one folder per model, and its reader."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pycolmap

from recon.conventions import opencv_pose, opengl_pose
from recon.geometry import Array, Camera, Pose
from recon.records import Scene, SceneModel, Tracks
from roomtour.errors import RoomtourError
from roomtour.export.images import copy_frames
from roomtour.export.ledger import ExportOptions, Ledger
from roomtour.export.records import RunData

TRANSFORMS = "transforms.json"
POINTS = "sparse_pc.ply"

CONVENTION = """\
* One folder per model, `0` is the largest; several tours: one folder per tour. `ns-train ... --data FOLDER`.
* `transform_matrix` is world_from_cam with OpenGL camera axes (x right, y up, z backward); the world is right-handed,
  z up. `colmap_im_id` is the frame number.
* Intrinsics in pixels of the images, pixel centres at (0.5, 0.5); `OPENCV` (k1, k2, p1, p2) or `OPENCV_FISHEYE`
  (k1 to k4), to which every camera model of COLMAP with fewer parameters is widened without loss.
* `images/` holds the frames; exported without images, link the run's `frames/` there."""

_PERSPECTIVE = ("k1", "k2", "p1", "p2")
_FISHEYE = ("k1", "k2", "k3", "k4")
DISTORTION: Mapping[str, tuple[str, ...]] = {"OPENCV": _PERSPECTIVE, "OPENCV_FISHEYE": _FISHEYE}
_WIDENED = {
    "SIMPLE_PINHOLE": "OPENCV",
    "PINHOLE": "OPENCV",
    "SIMPLE_RADIAL": "OPENCV",
    "RADIAL": "OPENCV",
    "OPENCV": "OPENCV",
    "SIMPLE_RADIAL_FISHEYE": "OPENCV_FISHEYE",
    "RADIAL_FISHEYE": "OPENCV_FISHEYE",
    "OPENCV_FISHEYE": "OPENCV_FISHEYE",
}


@dataclass(frozen=True, kw_only=True)
class NerfstudioOptions(ExportOptions):
    """Options of the format."""

    copy_images: bool = True
    """Copy the frames to `images/`, about 40 kB each: nerfstudio stops at an image that is missing."""


@dataclass(frozen=True, eq=False)
class PosedImages:
    """What a transforms.json holds."""

    camera: Camera
    world_from_cam: Mapping[str, Pose]
    """OpenCV axes, by file path, in file order."""


def write(runs: Iterable[RunData], ledger: Ledger, options: NerfstudioOptions) -> None:
    """Write one folder per model of each tour."""
    ledger.counts.update({"models": 0, "images": 0})
    for run in runs:
        for model in run.scene.models:
            if not model.frames:
                ledger.dropped["model without poses"] += 1
                continue
            if model.camera.model not in _WIDENED:
                ledger.dropped[f"model with camera {model.camera.model}, which nerfstudio does not know"] += 1
                continue
            folder = (ledger.out / run.scene.id if ledger.nested else ledger.out) / model.name
            folder.mkdir(parents=True)
            facts = transforms(run.scene, model)
            if len(model.tracks.xyz):
                facts["ply_file_path"] = POINTS
                _write_points(folder / POINTS, model.tracks)
            (folder / TRANSFORMS).write_text(json.dumps(facts, indent=1, allow_nan=False) + "\n", encoding="utf-8")
            if options.copy_images:
                copy_frames(run, model.frames, folder / "images")
            ledger.counts["models"] += 1
            ledger.counts["images"] += len(model.frames)


def transforms(scene: Scene, model: SceneModel) -> dict[str, Any]:
    """The content of transforms.json."""
    camera = model.camera
    kind = _WIDENED[camera.model]
    given = dict(zip(DISTORTION[kind], camera.distortion, strict=False))
    return {
        "camera_model": kind,
        "fl_x": camera.fx,
        "fl_y": camera.fy,
        "cx": camera.cx,
        "cy": camera.cy,
        "w": camera.width,
        "h": camera.height,
        **{name: given.get(name, 0.0) for name in DISTORTION[kind]},
        "frames": [
            {
                "file_path": f"images/{scene.frame_by_index[frame].image}",
                "transform_matrix": opengl_pose(pose).matrix().tolist(),
                "colmap_im_id": frame,
            }
            for frame, pose in model.world_from_cam.items()
        ],
    }


def read(path: Path) -> PosedImages:
    """Read a transforms.json of one camera, ours or another's.

    Args:
        path: The file, or the folder that holds it.

    Raises:
        RoomtourError: If it cannot be read, lacks a field, or has a camera per frame or of another kind.
    """
    path = path / TRANSFORMS if path.is_dir() else path
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        kind = _WIDENED.get(str(facts.get("camera_model", "OPENCV")))
        if kind is None:
            raise RoomtourError(f"{path}: camera_model {facts['camera_model']!r} is not one of {', '.join(_WIDENED)}")
        params = [float(facts[name]) for name in ("fl_x", "fl_y", "cx", "cy")]
        params += [float(facts.get(name, 0.0)) for name in DISTORTION[kind]]
        world_from_model = _applied(facts).inverse()
        poses = {
            str(frame["file_path"]): opencv_pose(
                world_from_model @ Pose.from_matrix(_matrix(frame["transform_matrix"]))
            )
            for frame in facts["frames"]
        }
        return PosedImages(Camera(kind, int(facts["w"]), int(facts["h"]), tuple(params)), poses)
    except OSError as error:
        raise RoomtourError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = f"lacks the field {error}" if isinstance(error, KeyError) else f"is no transforms.json: {error}"
        need = "The file needs one camera, each frame file_path and transform_matrix"
        raise RoomtourError(f"{path}: {what}. {need}") from error


def to_colmap(posed: PosedImages) -> pycolmap.Reconstruction:
    """The poses and the camera as a COLMAP reconstruction without points; image ids count from 1 in file order."""
    out = pycolmap.Reconstruction()
    out.add_camera_with_trivial_rig(posed.camera.to_colmap(1))
    for image_id, (name, pose) in enumerate(posed.world_from_cam.items(), start=1):
        image = pycolmap.Image(name=name.removeprefix("images/"), camera_id=1, image_id=image_id)
        out.add_image_with_trivial_frame(image, pose.inverse().to_rigid3d())
    return out


def _applied(facts: Mapping[str, Any]) -> Pose:
    """What nerfstudio's own converter turned the world by, to be undone."""
    return Pose.from_matrix(_matrix(facts["applied_transform"])) if "applied_transform" in facts else Pose.identity()


def _matrix(value: Any) -> Array:
    matrix = np.asarray(value, dtype=np.float64)
    if matrix.shape not in ((3, 4), (4, 4)):
        raise ValueError(f"a transform has shape {matrix.shape}, need (4, 4)")
    return matrix


def _write_points(path: Path, tracks: Tracks) -> None:
    """Points with colour as binary PLY, from which Gaussian splatting starts."""
    rows = np.zeros(len(tracks.xyz), dtype=[("xyz", "<f4", 3), ("rgb", "u1", 3)])
    rows["xyz"], rows["rgb"] = tracks.xyz, tracks.rgb
    properties = [f"property float {axis}" for axis in "xyz"]
    properties += [f"property uchar {color}" for color in ("red", "green", "blue")]
    header = ["ply", "format binary_little_endian 1.0", f"element vertex {len(rows)}", *properties, "end_header", ""]
    path.write_bytes("\n".join(header).encode("ascii") + rows.tobytes())
