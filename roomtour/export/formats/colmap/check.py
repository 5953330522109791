"""Check COLMAP folders: both forms must be whole, readable by pycolmap, and one and the same model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import numpy as np
import pycolmap

from recon.colmap.read import require_whole_tables
from roomtour.export.core.records import Problem, format_value

_PARTS = ("cameras", "images", "points3D")


def recognise(path: Path) -> bool:
    """Whether a folder below holds a COLMAP model."""
    return bool(_model_folders(path))


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    return [
        problem
        for folder in _model_folders(path)
        for problem in check_model(folder, folder.relative_to(path).as_posix())
    ]


def _model_folders(path: Path) -> list[Path]:
    found = {file.parent for part in _PARTS for depth in ("", "*/", "*/*/") for file in path.glob(f"{depth}{part}.*")}
    return sorted(found)


def check_model(folder: Path, name: str) -> Iterator[Problem]:
    """Every broken rule of one model; `name` stands for the folder in the problems."""
    missing = [
        f"{part}.{kind}" for part in _PARTS for kind in ("bin", "txt") if not (folder / f"{part}.{kind}").is_file()
    ]
    for file in missing:
        yield Problem(f"{name}/{file}", None, "file", "a file", "no such file")
    if missing:
        return
    models: list[pycolmap.Reconstruction] = []
    for kind in ("bin", "txt"):
        reconstruction = pycolmap.Reconstruction()
        try:
            if kind == "bin":
                require_whole_tables(folder)
                reconstruction.read_binary(folder)
            else:
                reconstruction.read_text(folder)
        except (ValueError, IndexError, RuntimeError, MemoryError) as error:
            yield Problem(f"{name}/*.{kind}", None, "model", "files that pycolmap reads", format_value(str(error)))
            continue
        yield from _check_reconstruction(reconstruction, f"{name}/images.{kind}")
        models.append(reconstruction)
    if len(models) == 2:
        yield from _check_same(models[0], models[1], f"{name}/images.txt")


def _check_reconstruction(reconstruction: pycolmap.Reconstruction, file: str) -> Iterator[Problem]:
    if not reconstruction.num_reg_images():
        yield Problem(file, None, "images", "at least one image with a pose", "none")
    names: set[str] = set()
    for image_id, image in sorted(reconstruction.images.items()):
        if image.name in names:
            yield Problem(file, image_id, "name", "a name no other image has", format_value(image.name))
        names.add(image.name)
        path = PurePosixPath(image.name)
        if not image.name or path.is_absolute() or ".." in path.parts:
            yield Problem(file, image_id, "name", "a relative path", format_value(image.name))
        if not np.all(np.isfinite(_world_from_cam(image))):
            yield Problem(file, image_id, "pose", "finite values", "nan or inf")
    bad_points = [key for key, point in reconstruction.points3D.items() if not np.all(np.isfinite(point.xyz))]
    for key in bad_points:
        yield Problem(file.replace("images", "points3D"), key, "xyz", "finite values", "nan or inf")
    for camera_id, camera in reconstruction.cameras.items():
        if not camera.verify_params() or not np.all(np.isfinite(camera.params)) or camera.focal_length_x <= 0:
            cameras = file.replace("images", "cameras")
            yield Problem(
                cameras, camera_id, "params", "parameters of its camera model", format_value(list(camera.params))
            )


def _check_same(binary: pycolmap.Reconstruction, text: pycolmap.Reconstruction, file: str) -> Iterator[Problem]:
    """Both forms must be one model: same images, poses, points and observations."""
    for field, in_binary, in_text in (
        ("images", sorted(binary.reg_image_ids()), sorted(text.reg_image_ids())),
        ("points", sorted(binary.points3D), sorted(text.points3D)),
        ("observations", binary.compute_num_observations(), text.compute_num_observations()),
    ):
        if in_binary != in_text:
            yield Problem(
                file, None, field, f"as in the binary form ({format_value(in_binary)})", format_value(in_text)
            )
            return
    for image_id in binary.reg_image_ids():
        off = np.abs(_world_from_cam(binary.image(image_id)) - _world_from_cam(text.image(image_id))).max()
        if not off < 1e-6:
            yield Problem(file, image_id, "pose", "as in the binary form", f"differs by {off:.2e}")


def _world_from_cam(image: pycolmap.Image) -> np.ndarray:
    """(3, 4), or all NaN without a pose."""
    if not image.has_pose:
        return np.full((3, 4), np.nan)
    return image.cam_from_world().inverse().matrix()
