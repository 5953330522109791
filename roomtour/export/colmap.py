"""COLMAP models, binary and text, from the scene: poses, the camera, points with their tracks."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
import pycolmap

from recon.geometry import Pose
from recon.records import Scene, SceneModel
from roomtour.export.ledger import ExportOptions, Ledger
from roomtour.export.records import Problem, RunData, shown

CONVENTION = """\
* One folder per model, `0` is the largest; several tours: one folder per tour. Each model is there in binary and text.
* Poses are cam_from_world with OpenCV camera axes; the world is right-handed, z up.
* Image id = frame number; image names are relative to the run's `frames/` (to `images/` where copied).
* Point id = row of the scene's point table + 1."""

_PARTS = ("cameras", "images", "points3D")


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
        for model in run.scene.models:
            reconstruction = to_reconstruction(run.scene, model)
            target = folder / model.name
            target.mkdir(parents=True)
            reconstruction.write_binary(target)
            reconstruction.write_text(target)
            ledger.counts["models"] += 1
            ledger.counts["images"] += reconstruction.num_reg_images()
            ledger.counts["points"] += reconstruction.num_points3D()
        if options.copy_images:
            images = folder / "images"
            images.mkdir(parents=True)
            for frame in sorted({frame for model in run.scene.models for frame in model.frames}):
                shutil.copyfile(
                    run.frames_dir / run.scene.frame_by_index[frame].image,
                    images / run.scene.frame_by_index[frame].image,
                )


def to_reconstruction(scene: Scene, model: SceneModel) -> pycolmap.Reconstruction:
    """The model as pycolmap's type. Image ids are frame numbers, point ids are rows + 1."""
    out = pycolmap.Reconstruction()
    camera_id = 1
    out.add_camera_with_trivial_rig(model.camera.to_colmap(camera_id))
    tracks = model.tracks
    elements: dict[int, list[pycolmap.TrackElement]] = {row: [] for row in range(len(tracks.xyz))}
    for frame, pose in model.world_from_cam.items():
        rows = tracks.rows_of_frame(frame)
        image = pycolmap.Image(
            name=scene.frame_by_index[frame].image,
            keypoints=np.ascontiguousarray(tracks.obs_xy[rows]).reshape(-1, 2),
            camera_id=camera_id,
            image_id=frame,
        )
        out.add_image_with_trivial_frame(image, pose.inverse().to_rigid3d())
        for position, point in enumerate(tracks.obs_point[rows]):
            elements[int(point)].append(pycolmap.TrackElement(frame, position))
    for row, seen in elements.items():
        track = pycolmap.Track(seen)
        point = pycolmap.Point3D(
            xyz=tracks.xyz[row], color=tracks.rgb[row], error=float(tracks.error_px[row]), track=track
        )
        out.add_point3D_with_id(row + 1, point)
    return out


def recognise(path: Path) -> bool:
    """Whether a folder below holds a COLMAP model."""
    return bool(_model_folders(path))


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    return [
        problem
        for folder in _model_folders(path)
        for problem in _check_model(folder, folder.relative_to(path).as_posix())
    ]


def _model_folders(path: Path) -> list[Path]:
    found = {file.parent for part in _PARTS for depth in ("", "*/", "*/*/") for file in path.glob(f"{depth}{part}.*")}
    return sorted(found)


def _check_model(folder: Path, name: str) -> Iterator[Problem]:
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
            read = reconstruction.read_binary if kind == "bin" else reconstruction.read_text
            read(folder)
        except (ValueError, IndexError, RuntimeError) as error:
            yield Problem(f"{name}/*.{kind}", None, "model", "files that pycolmap reads", shown(str(error)))
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
            yield Problem(file, image_id, "name", "a name no other image has", shown(image.name))
        names.add(image.name)
        path = PurePosixPath(image.name)
        if not image.name or path.is_absolute() or ".." in path.parts:
            yield Problem(file, image_id, "name", "a relative path", shown(image.name))
        if not np.all(np.isfinite(_world_from_cam(image))):
            yield Problem(file, image_id, "pose", "finite values", "nan or inf")
    bad_points = [key for key, point in reconstruction.points3D.items() if not np.all(np.isfinite(point.xyz))]
    for key in bad_points:
        yield Problem(file.replace("images", "points3D"), key, "xyz", "finite values", "nan or inf")
    for camera_id, camera in reconstruction.cameras.items():
        if not camera.verify_params() or not np.all(np.isfinite(camera.params)) or camera.focal_length_x <= 0:
            cameras = file.replace("images", "cameras")
            yield Problem(cameras, camera_id, "params", "parameters of its camera model", shown(list(camera.params)))


def _check_same(binary: pycolmap.Reconstruction, text: pycolmap.Reconstruction, file: str) -> Iterator[Problem]:
    """Both forms must be one model: same images, poses, points and observations."""
    for field, in_binary, in_text in (
        ("images", sorted(binary.reg_image_ids()), sorted(text.reg_image_ids())),
        ("points", sorted(binary.points3D), sorted(text.points3D)),
        ("observations", binary.compute_num_observations(), text.compute_num_observations()),
    ):
        if in_binary != in_text:
            yield Problem(file, None, field, f"as in the binary form ({shown(in_binary)})", shown(in_text))
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


def read_poses(reconstruction: pycolmap.Reconstruction) -> dict[int, Pose]:
    """world_from_cam by image id."""
    return {
        image_id: Pose.from_rigid3d(reconstruction.image(image_id).cam_from_world().inverse())
        for image_id in sorted(reconstruction.reg_image_ids())
    }
