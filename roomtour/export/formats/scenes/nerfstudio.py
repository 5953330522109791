"""nerfstudio's transforms.json, one folder per model. `recon.pose_sources.nerfstudio` reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field, create_model

from recon.conventions import opengl_pose
from recon.pose_sources.nerfstudio import DISTORTION, TRANSFORMS, name_lens
from recon.ranges import Positive
from recon.records import Scene, SceneModel, Tracks
from roomtour.export.core.checking import DatasetCheck, Row, RowCheck
from roomtour.export.core.fields import Finite, RelativePath, find_size, is_focal_length, is_pose, must
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import CopyOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.run_files import copy_frames, write_picture_names

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


def write(runs: Iterable[RunData], ledger: Ledger, options: CopyOptions) -> None:
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


_Side = Annotated[int, Field(ge=1)]


class _Frame(Row):
    key = "file_path"
    file_path: RelativePath
    transform_matrix: Annotated[
        list[list[Finite]], must(is_pose, "4 x 4 numbers, a rotation without scale or mirror, and a place")
    ]


class _Scene(Row):
    w: _Side
    h: _Side
    fl_x: Positive
    fl_y: Positive
    cx: Finite
    cy: Finite
    frames: Annotated[list[Any], Field(min_length=1)]
    ply_file_path: RelativePath | None = None

    def check_in(self, row: RowCheck, folder: Path) -> None:
        """A lens for rooms, points as many as their header says."""
        for field, center, size in (("cx", self.cx, self.w), ("cy", self.cy, self.h)):
            row.need(0 <= center <= size, field, f"a point on the image (0 to {size})", center)
        for field, focal in (("fl_x", self.fl_x), ("fl_y", self.fl_y)):
            if not is_focal_length(focal, self.w, self.h):
                row.bad(field, f"a focal length of a lens for rooms, 0.1 to 5 times {max(self.w, self.h)} px", focal)
        if self.ply_file_path is not None:
            path = folder / self.ply_file_path
            data = path.read_bytes() if path.is_file() else b""
            header = re.match(rb"ply\n.*?element vertex (\d+)\n.*?end_header\n", data, re.DOTALL)
            if header is None or len(data) != header.end() + POINT_BYTES * int(header[1]):
                row.bad("ply_file_path", "points as its header counts them", f"{len(data)} bytes")


def _check(data: DatasetCheck) -> None:
    """A camera that exists, proper motions, images that are there and of its size, OpenGL axes."""
    for file in sorted(file for depth in ("", "*/", "*/*/") for file in data.folder.glob(f"{depth}{TRANSFORMS}")):
        name = file.relative_to(data.folder).as_posix()
        facts = data.read_json(name, dict)
        if facts is None:
            continue
        row, kind = RowCheck(data, name, None, facts), facts.get("camera_model")
        row.need(kind in DISTORTION, "camera_model", f"one of {', '.join(DISTORTION)}", kind)
        frames = facts.get("frames")
        if isinstance(frames, list):
            _check_frames(row, frames, file.parent)
        terms: dict[str, Any] = dict.fromkeys(DISTORTION.get(str(kind), ()), (Finite, ...))
        scene = row.fit(create_model("Scene", __base__=_Scene, **terms))
        if scene is not None:
            scene.check_in(row, file.parent)


def _check_frames(facts: RowCheck, frames: list[Any], folder: Path) -> None:
    data, has_images, sizes, upside_down = facts.data, (folder / "images").is_dir(), set(), 0
    for row in data.objects(frames, facts.file):
        frame = data.fit(row, _Frame, facts.file)
        upside_down += frame is not None and frame.transform_matrix[2][1] < -0.1
        if frame is not None and has_images:
            row.need(data.has_file(folder / frame.file_path), "file_path", "an image that is there", frame.file_path)
            sizes.add(data.once(find_size, folder / frame.file_path))
    if 2 * upside_down > len(frames):
        seen = f"{upside_down} of {len(frames)} cameras with y down"
        facts.bad("frames.transform_matrix", "OpenGL camera axes: y towards the world's +z", seen)
    for field, side in (("w", 0), ("h", 1)):
        sides = sorted({size[side] for size in sizes if size is not None})
        if sides and sides != [facts.record.get(field)]:
            facts.bad(field, f"as the pictures ({', '.join(map(str, sides))})", facts.record.get(field))


NERFSTUDIO = ExportFormat(
    name="nerfstudio",
    summary="transforms.json with images and points, one folder per model",
    client="nerfstudio and the tools that read its transforms.json",
    convention=CONVENTION,
    options=CopyOptions,
    write=write,
    check=_check,
)
