"""COLMAP models, binary and text, from the scene: poses, the camera, points with their tracks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
import pycolmap

from recon.colmap.read import read_image_poses, read_model, require_whole_tables
from recon.upright.scene_io import model_to_colmap
from roomtour.errors import RoomtourError
from roomtour.export.core.checking import DatasetCheck
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.images import copy_frames, write_picture_names
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import Problem, RunData, format_value

CONVENTION = """\
* One folder per model, `0` is the largest; several tours: one folder per tour. Each model is there in binary and text.
* Poses are cam_from_world with OpenCV camera axes; the world is right-handed, z up.
* Image id = frame number; image names are relative to the run's `frames/` (to `images/` where copied).
* Point id = row of the scene's point table + 1.
* Of a folder of pictures, `pictures.csv` names the picture that each frame was made of."""


@dataclass(frozen=True, kw_only=True)
class ColmapOptions(ExportOptions):
    """Options of the format."""

    copy_images: bool = False
    """Copy the frames to `images/`, about 40 kB each, so that the folder stands alone."""


def write(runs: Iterable[RunData], ledger: Ledger, options: ColmapOptions) -> None:
    """Write one folder per model of each tour."""
    ledger.counts.update({"models": 0, "images": 0, "points": 0})
    for run in runs:
        folder = ledger.out / run.scene.id if ledger.nested else ledger.out
        folder.mkdir(exist_ok=True)
        write_picture_names(run, folder)
        for model in run.scene.models:
            reconstruction = model_to_colmap(model, run.scene)
            target = folder / model.name
            target.mkdir(parents=True)
            reconstruction.write_binary(target)
            reconstruction.write_text(target)
            _require_whole(target)
            ledger.counts["models"] += 1
            ledger.counts["images"] += reconstruction.num_reg_images()
            ledger.counts["points"] += reconstruction.num_points3D()
        if options.copy_images:
            frames = sorted({frame for model in run.scene.models for frame in model.frames})
            copy_frames(run, frames, folder / "images")


def _require_whole(target: Path) -> None:
    """Read a model back, because pycolmap says nothing when a full disk cuts its files short."""
    problem = next(check_model(target, target.name), None)
    if problem is not None:
        raise RoomtourError(f"model {target.name} was not written whole ({problem}). Is the disk full?")


_PARTS = ("cameras", "images", "points3D")
_SAME = 1e-6
"""Text has all digits of a number."""
_MOST_ERROR_PX = 8.0
"""Half of what an image sees projects nearer than this: structure from motion keeps no point that is 4 px off."""


_FILES = tuple(f"{depth}{part}.*" for part in _PARTS for depth in ("", "*/", "*/*/"))


def _model_folders(path: Path) -> list[Path]:
    return sorted({file.parent for pattern in _FILES for file in path.glob(pattern)})


def check_model(folder: Path, name: str) -> Iterator[Problem]:
    """Whether the files of one model are whole and tell the same; `name` stands for the folder in the problems."""
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
        yield from _check_image_poses(reconstruction, folder / f"images.{kind}", f"{name}/images.{kind}")
        models.append(reconstruction)
    if len(models) == 2:
        yield from _check_same(models[0], models[1], name)


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


def _check_image_poses(reconstruction: pycolmap.Reconstruction, path: Path, file: str) -> Iterator[Problem]:
    """The poses of the images must be those of the frames: pycolmap reads these, older readers the others."""
    poses = read_image_poses(path)
    for number in sorted(reconstruction.reg_image_ids()):
        pose = reconstruction.image(number).cam_from_world()
        x, y, z, w = pose.rotation.quat
        off = np.abs(np.array(poses.get(number, [np.inf] * 7)) - [w, x, y, z, *pose.translation]).max()
        if not off < _SAME:
            yield Problem(file, number, "pose", f"as in frames{path.suffix}", f"differs by {off:.2e}")


def _check_same(binary: pycolmap.Reconstruction, text: pycolmap.Reconstruction, name: str) -> Iterator[Problem]:
    """Both forms must be one model: same cameras, images, poses, points and observations."""
    held = [{(file, field, number): values for file, field, number, values in _numbers(one)} for one in (binary, text)]
    told: set[str] = set()
    for key in sorted(held[0].keys() | held[1].keys()):
        file, field, number = key
        in_binary, in_text = (one.get(key, np.empty(0)) for one in held)
        is_same = in_binary.shape == in_text.shape and np.abs(in_binary - in_text).max() < _SAME
        if not is_same and field not in told:  # the first that differs says enough
            told.add(field)
            expected = f"as in the binary form ({format_value(in_binary.tolist())})"
            yield Problem(f"{name}/{file}.txt", number, field, expected, format_value(in_text.tolist()))


def _numbers(model: pycolmap.Reconstruction) -> Iterator[tuple[str, str, int, np.ndarray]]:
    """File, field, id and values of everything that both forms of a model hold."""
    for number, camera in sorted(model.cameras.items()):
        yield "cameras", "params", number, np.array([int(camera.model), camera.width, camera.height, *camera.params])
    for number in sorted(model.reg_image_ids()):
        yield "images", "pose", number, _world_from_cam(model.image(number))
    for number, point in sorted(model.points3D.items()):
        yield "points3D", "xyz", number, np.array([*point.xyz, point.track.length()])


def _check_projections(model: pycolmap.Reconstruction, file: str) -> Iterator[Problem]:
    """Points must project to where images see them, or poses were exchanged, or the camera is another one."""
    for number in sorted(model.reg_image_ids()):
        image = model.image(number)
        seen = image.get_observation_points2D()
        projected = [image.project_point(model.points3D[point.point3D_id].xyz) for point in seen]
        errors_px = [
            np.inf if to is None else float(np.linalg.norm(to - point.xy))
            for point, to in zip(seen, projected, strict=True)
        ]
        middle_px = float(np.median(errors_px)) if errors_px else 0.0
        if not middle_px < _MOST_ERROR_PX:
            expected = f"points within {_MOST_ERROR_PX:g} px of where they project"
            yield Problem(file, number, "points2D", expected, f"half of {len(seen)} further than {middle_px:.0f} px")


def _world_from_cam(image: pycolmap.Image) -> np.ndarray:
    """(3, 4), or all NaN without a pose."""
    if not image.has_pose:
        return np.full((3, 4), np.nan)
    return image.cam_from_world().inverse().matrix()


def _check(data: DatasetCheck) -> None:
    """Both forms must be whole, readable by pycolmap, and one and the same model."""
    for folder in _model_folders(data.folder):
        name = folder.relative_to(data.folder).as_posix()
        found = list(check_model(folder, name))
        data.problems += found or _check_projections(read_model(folder), f"{name}/images.bin")


COLMAP = ExportFormat(
    name="colmap",
    summary="cameras, images and points, binary and text, one folder per model",
    client="pycolmap.Reconstruction, COLMAP, and the splatting tools that read it",
    convention=CONVENTION,
    options=ColmapOptions,
    write=write,
    check=_check,
)
