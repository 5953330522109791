"""Poses of a scene: TUM trajectories as text, and COLMAP models, binary and text, with the camera and points."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
import pycolmap

from recon.colmap.read import read_image_poses, require_whole_tables
from recon.pose_sources.read import COLUMNS
from recon.records import Scene, SceneModel
from recon.upright.scene_io import model_to_colmap
from roomtour.errors import RoomtourError
from roomtour.export.core.checking import DatasetCheck, RowCheck
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import Problem, RunData, format_value
from roomtour.export.core.run_files import copy_frames, write_picture_names

TUM_CONVENTION = """\
* One file per model, named by size: `0.txt` is the largest. Several tours: one folder per tour.
* A line is `t x y z qx qy qz qw`: presentation time in seconds, then world_from_cam (camera to world).
* Camera axes are OpenCV's (x right, y down, z forward); the world is right-handed, z up.
* The first line of a file, a comment, says whether lengths are metres.
* Of a folder of pictures, `pictures.csv` names the picture that each frame was made of."""


def _write_tum(runs: Iterable[RunData], ledger: Ledger, options: ExportOptions) -> None:
    """Write one file per model of each tour."""
    ledger.counts.update({"trajectories": 0, "poses": 0})
    for run in runs:
        folder = ledger.out / run.scene.id if ledger.nested else ledger.out
        folder.mkdir(exist_ok=True)
        write_picture_names(run, folder)
        digits = len(str(max(len(run.scene.models) - 1, 0)))
        for position, model in enumerate(run.scene.models):
            if not model.frames:
                ledger.dropped["model without poses"] += 1
                continue
            (folder / f"{position:0{digits}d}.txt").write_text(_text(run.scene, model), encoding="utf-8")
            ledger.counts["trajectories"] += 1
            ledger.counts["poses"] += len(model.frames)


def _text(scene: Scene, model: SceneModel) -> str:
    lines = [
        f"# {' '.join(COLUMNS)}; seconds; world_from_cam; tour {scene.id}, model {model.name}, "
        f"unit {model.scale.unit} (scale {model.scale.status})"
    ]
    for frame, pose in model.world_from_cam.items():
        w, x, y, z = pose.quat_wxyz
        values = (scene.frame_by_index[frame].time_s, *pose.center, x, y, z, w)
        lines.append(" ".join(repr(float(value)) for value in values))
    return "\n".join(lines) + "\n"


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _check_tum(data: DatasetCheck) -> None:
    """Eight numbers per line, times that rise, unit quaternions."""
    for file in sorted([*data.folder.glob("*.txt"), *data.folder.glob("*/*.txt")]):
        name, last = file.relative_to(data.folder).as_posix(), -math.inf
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        rows = [row for row in data.objects(lines, name) if not row.record.startswith("#")]
        if not any(len(row.record.split(" ")) == len(COLUMNS) for row in rows):
            data.bad(name, "lines", "at least one pose", "none")
        for row in rows:
            last = _check_line(row, last)


def _check_line(row: RowCheck, last: float) -> float:
    """The time of a line that comes after the time `last`."""
    values = row.record.split(" ")
    if len(values) != len(COLUMNS):
        row.bad("line", "8 values with one space between", row.record)
        return last
    bad = [(field, value) for field, value in zip(COLUMNS, values, strict=True) if not _is_number(value)]
    for field, value in bad:
        row.bad(field, "a finite number", value)
    if bad:
        return last
    numbers = [float(value) for value in values]
    row.need(numbers[0] > last, "t", f"later than the line before ({last})", values[0])
    norm = math.hypot(*numbers[4:])
    row.need(abs(norm - 1.0) <= 1e-3, "qx qy qz qw", "a unit quaternion", f"norm {norm:.4f}")
    return numbers[0]


TUM = ExportFormat(
    name="tum",
    summary="camera trajectories as text, one file per model, largest first",
    client="evo",
    convention=TUM_CONVENTION,
    write=_write_tum,
    check=_check_tum,
)


COLMAP_CONVENTION = """\
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


def _write_colmap(runs: Iterable[RunData], ledger: Ledger, options: ColmapOptions) -> None:
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
            # pycolmap says nothing when a full disk cuts its files short, so they are read back.
            problem = next(check_model(target, target.name), None)
            if problem is not None:
                raise RoomtourError(f"model {target.name} was not written whole ({problem}). Is the disk full?")
            ledger.counts["models"] += 1
            ledger.counts["images"] += reconstruction.num_reg_images()
            ledger.counts["points"] += reconstruction.num_points3D()
        if options.copy_images:
            frames = sorted({frame for model in run.scene.models for frame in model.frames})
            copy_frames(run, frames, folder / "images")


_PARTS = ("cameras", "images", "points3D")
_SAME = 1e-6
"""Text has all digits of a number."""


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


def _world_from_cam(image: pycolmap.Image) -> np.ndarray:
    """(3, 4), or all NaN without a pose."""
    if not image.has_pose:
        return np.full((3, 4), np.nan)
    return image.cam_from_world().inverse().matrix()


def _check_colmap(data: DatasetCheck) -> None:
    """Both forms must be whole, readable by pycolmap, and one and the same model."""
    files = (file for part in _PARTS for depth in ("", "*/", "*/*/") for file in data.folder.glob(f"{depth}{part}.*"))
    for folder in sorted({file.parent for file in files}):
        data.problems += check_model(folder, folder.relative_to(data.folder).as_posix())


COLMAP = ExportFormat(
    name="colmap",
    summary="cameras, images and points, binary and text, one folder per model",
    client="pycolmap.Reconstruction, COLMAP, and the splatting tools that read it",
    convention=COLMAP_CONVENTION,
    options=ColmapOptions,
    write=_write_colmap,
    check=_check_colmap,
)
