"""nerfstudio's transforms.json, one folder per model. `recon.pose_sources.nerfstudio` reads it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recon.conventions import opengl_pose
from recon.pose_sources.nerfstudio import TRANSFORMS
from recon.pose_sources.nerfstudio_lens import name_lens
from recon.records import Scene, SceneModel, Tracks
from roomtour.export.core.images import copy_frames, write_picture_names
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData

POINTS = "sparse_pc.ply"
_POINT = np.dtype([("xyz", "<f4", 3), ("rgb", "u1", 3)])
POINT_BYTES = _POINT.itemsize

CONVENTION = """\
* One folder per model, `0` is the largest; several tours: one folder per tour. `ns-train ... --data FOLDER`.
* `transform_matrix` is world_from_cam with OpenGL camera axes (x right, y up, z backward); the world is right-handed,
  z up. `colmap_im_id` is the frame number.
* Intrinsics in pixels of the images, pixel centres at (0.5, 0.5); `OPENCV` (k1, k2, p1, p2, at times k3) or
  `OPENCV_FISHEYE` (k1 to k4), to which every camera model of COLMAP with fewer parameters is widened without loss.
* `images/` holds the frames; exported without images, link the run's `frames/` there.
* Of a folder of pictures, `pictures.csv` names the picture that each frame was made of."""


@dataclass(frozen=True, kw_only=True)
class NerfstudioOptions(ExportOptions):
    """Options of the format."""

    copy_images: bool = True
    """Copy the frames to `images/`, about 40 kB each: nerfstudio stops at an image that is missing."""


def write(runs: Iterable[RunData], ledger: Ledger, options: NerfstudioOptions) -> None:
    """Write one folder per model of each tour."""
    ledger.counts.update({"models": 0, "images": 0})
    for run in runs:
        for model in run.scene.models:
            if not model.frames:
                ledger.dropped["model without poses"] += 1
                continue
            lens = name_lens(model.camera)
            if lens is None:
                ledger.dropped[f"model with camera {model.camera.model}, which nerfstudio does not know"] += 1
                continue
            folder = (ledger.out / run.scene.id if ledger.nested else ledger.out) / model.name
            folder.mkdir(parents=True)
            facts = {**lens, "frames": _list_frames(run.scene, model)}
            if len(model.tracks.xyz):
                facts["ply_file_path"] = POINTS
                _write_points(folder / POINTS, model.tracks)
            (folder / TRANSFORMS).write_text(json.dumps(facts, indent=1, allow_nan=False) + "\n", encoding="utf-8")
            write_picture_names(run, folder)
            if options.copy_images:
                copy_frames(run, model.frames, folder / "images")
            ledger.counts["models"] += 1
            ledger.counts["images"] += len(model.frames)


def _list_frames(scene: Scene, model: SceneModel) -> list[dict[str, Any]]:
    return [
        {
            "file_path": f"images/{scene.frame_by_index[frame].image}",
            "transform_matrix": opengl_pose(pose).matrix().tolist(),
            "colmap_im_id": frame,
        }
        for frame, pose in model.world_from_cam.items()
    ]


def _write_points(path: Path, tracks: Tracks) -> None:
    """Points with colour as binary PLY, from which Gaussian splatting starts."""
    rows = np.zeros(len(tracks.xyz), dtype=_POINT)
    rows["xyz"], rows["rgb"] = tracks.xyz, tracks.rgb
    properties = [f"property float {axis}" for axis in "xyz"]
    properties += [f"property uchar {color}" for color in ("red", "green", "blue")]
    header = ["ply", "format binary_little_endian 1.0", f"element vertex {len(rows)}", *properties, "end_header", ""]
    path.write_bytes("\n".join(header).encode("ascii") + rows.tobytes())
