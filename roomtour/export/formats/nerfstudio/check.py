"""Check transforms.json: a camera that exists, proper motions, images that are there, OpenGL axes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from recon.pose_sources.nerfstudio import DISTORTION, TRANSFORMS
from roomtour.export.core.checking import RowCheck, is_number, is_relative, objects, read_json
from roomtour.export.core.records import Problem


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
            _check_camera(RowCheck(name, None, facts, problems))
            _check_frames(RowCheck(name, None, facts, problems), file.parent, name, problems)
    return problems


def _files(path: Path) -> list[Path]:
    return sorted(file for depth in ("", "*/", "*/*/") for file in path.glob(f"{depth}{TRANSFORMS}"))


def _check_camera(camera: RowCheck) -> None:
    kind = camera.record.get("camera_model")
    if kind not in DISTORTION:
        camera.bad("camera_model", f"one of {', '.join(DISTORTION)}", kind)
    width, height = camera.whole("w", 1), camera.whole("h", 1)
    for focal in ("fl_x", "fl_y"):
        camera.number(focal, above=0.0)
    for field, size in (("cx", width), ("cy", height)):
        center = camera.number(field)
        if center is not None and size is not None and not 0 <= center <= size:
            camera.bad(field, f"a point on the image (0 to {size})", center)
    for field in DISTORTION.get(str(kind), ()):
        camera.number(field)


def _check_frames(facts: RowCheck, folder: Path, name: str, problems: list[Problem]) -> None:
    known: set[Any] = set()
    upside_down = 0
    has_images = (folder / "images").is_dir()
    frames = facts.items("frames")
    for frame in objects(frames, name, problems):
        frame.new("file_path", known)
        file = frame.record.get("file_path")
        if isinstance(file, str) and not is_relative(file):
            frame.bad("file_path", "a path below the folder", file)
        elif isinstance(file, str) and has_images and not (folder / file).is_file():
            frame.bad("file_path", "an image that is there", file)
        matrix = _matrix(frame.record.get("transform_matrix"))
        if matrix is None:
            frame.bad("transform_matrix", "4 rows of 4 finite numbers", frame.record.get("transform_matrix"))
            continue
        if not np.array_equal(matrix[3], [0, 0, 0, 1]):
            frame.bad("transform_matrix", "a last row of 0 0 0 1", matrix[3].tolist())
        rotation = matrix[:3, :3]
        if np.abs(rotation @ rotation.T - np.eye(3)).max() > 1e-6 or np.linalg.det(rotation) < 0:
            frame.bad("transform_matrix", "a rotation without scale or mirror", rotation.tolist())
        upside_down += rotation[2, 1] < -0.1
    if 2 * upside_down > len(frames):
        found = f"{upside_down} of {len(frames)} cameras with y down"
        facts.bad("frames.transform_matrix", "OpenGL camera axes: y towards the world's +z", found)
    points = facts.record.get("ply_file_path")
    if points is not None and not (isinstance(points, str) and is_relative(points) and (folder / points).is_file()):
        facts.bad("ply_file_path", "a file that is there", points)


def _matrix(value: object) -> np.ndarray | None:
    fits = (
        isinstance(value, list)
        and len(value) == 4
        and all(isinstance(row, list) and len(row) == 4 and all(is_number(v) for v in row) for row in value)
    )
    return np.array(value, dtype=np.float64) if fits else None
