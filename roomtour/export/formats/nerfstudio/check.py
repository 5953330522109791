"""Check transforms.json: a camera that exists, proper motions, images that are there, OpenGL axes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field, create_model

from recon.pictures import find_picture_size
from recon.pose_sources.nerfstudio import TRANSFORMS
from recon.pose_sources.nerfstudio_lens import DISTORTION
from roomtour.export.core.checking import (
    Finite,
    Positive,
    RelativePath,
    Row,
    RowCheck,
    is_focal_length,
    objects,
    read_json,
)
from roomtour.export.core.records import Problem
from roomtour.export.formats.nerfstudio.write import POINT_BYTES


class _Scene(Row):
    w: Annotated[int, Field(ge=1)]
    h: Annotated[int, Field(ge=1)]
    fl_x: Positive
    fl_y: Positive
    cx: Finite
    cy: Finite
    frames: Annotated[list[Any], Field(min_length=1)]
    ply_file_path: RelativePath | None = None


def _scene_of(kind: str) -> type[_Scene]:
    """With the distortion terms of a camera model."""
    terms: dict[str, Any] = dict.fromkeys(DISTORTION.get(kind, ()), (Finite, ...))
    return create_model("Scene", __base__=_Scene, **terms)


class _Frame(Row):
    file_path: RelativePath
    transform_matrix: Annotated[
        list[Annotated[list[Finite], Field(min_length=4, max_length=4)]], Field(min_length=4, max_length=4)
    ]


def recognise(path: Path) -> bool:
    """Whether a folder below holds a transforms.json."""
    return bool(_files(path))


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    for file in _files(path):
        name = file.relative_to(path).as_posix()
        facts = read_json(path, name, dict, problems)
        if facts is not None:
            _check_scene(RowCheck(name, None, facts, problems), file.parent, name, problems)
    return problems


def _files(path: Path) -> list[Path]:
    return sorted(file for depth in ("", "*/", "*/*/") for file in path.glob(f"{depth}{TRANSFORMS}"))


def _check_scene(facts: RowCheck, folder: Path, name: str, problems: list[Problem]) -> None:
    kind = facts.record.get("camera_model")
    if kind not in DISTORTION:
        facts.bad("camera_model", f"one of {', '.join(DISTORTION)}", kind)
    frames = facts.record.get("frames")
    if isinstance(frames, list):
        _check_frames(facts, frames, folder, name, problems)
        _check_sizes(facts, frames, folder)
    scene = facts.fit(_scene_of(str(kind)))
    if scene is None:
        return
    for field, center, size in (("cx", scene.cx, scene.w), ("cy", scene.cy, scene.h)):
        if not 0 <= center <= size:
            facts.bad(field, f"a point on the image (0 to {size})", center)
    for field, focal in (("fl_x", scene.fl_x), ("fl_y", scene.fl_y)):
        if not is_focal_length(focal, scene.w, scene.h):
            facts.bad(field, f"a focal length of a lens for rooms, 0.1 to 5 times {max(scene.w, scene.h)} px", focal)
    if scene.ply_file_path is not None:
        _check_points(facts, folder / scene.ply_file_path)


def _check_points(facts: RowCheck, path: Path) -> None:
    """The points must be as many as their header says."""
    if not path.is_file():
        return facts.bad("ply_file_path", "a file that is there", path.name)
    data = path.read_bytes()
    found = re.match(rb"ply\n.*?element vertex (\d+)\n.*?end_header\n", data, re.DOTALL)
    if found is None or len(data) != found.end() + POINT_BYTES * int(found[1]):
        facts.bad("ply_file_path", "points as its header counts them", f"{len(data)} bytes")
    return None


def _check_sizes(facts: RowCheck, frames: list[Any], folder: Path) -> None:
    """The size of the camera must be that of its pictures."""
    paths = {str(frame.get("file_path")) for frame in frames if isinstance(frame, dict)}
    heads = [(folder / path).read_bytes() for path in sorted(paths) if (folder / path).is_file()]
    for field, side in (("w", 0), ("h", 1)):
        sizes = sorted({size[side] for size in map(find_picture_size, heads) if size is not None})
        if sizes and sizes != [facts.record.get(field)]:
            facts.bad(field, f"as the pictures ({', '.join(map(str, sizes))})", facts.record.get(field))


def _check_frames(facts: RowCheck, frames: list[Any], folder: Path, name: str, problems: list[Problem]) -> None:
    known: set[Any] = set()
    upside_down = 0
    has_images = (folder / "images").is_dir()
    for row in objects(frames, name, problems):
        row.register("file_path", known)
        frame = row.fit(_Frame)
        if frame is None:
            continue
        if has_images and not (folder / frame.file_path).is_file():
            row.bad("file_path", "an image that is there", frame.file_path)
        matrix = np.array(frame.transform_matrix, dtype=np.float64)
        if not np.array_equal(matrix[3], [0, 0, 0, 1]):
            row.bad("transform_matrix", "a last row of 0 0 0 1", matrix[3].tolist())
        rotation = matrix[:3, :3]
        if np.abs(rotation @ rotation.T - np.eye(3)).max() > 1e-6 or np.linalg.det(rotation) < 0:
            row.bad("transform_matrix", "a rotation without scale or mirror", rotation.tolist())
        upside_down += rotation[2, 1] < -0.1
    if 2 * upside_down > len(frames):
        found = f"{upside_down} of {len(frames)} cameras with y down"
        facts.bad("frames.transform_matrix", "OpenGL camera axes: y towards the world's +z", found)
