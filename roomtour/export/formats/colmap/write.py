"""COLMAP models, binary and text, from the scene: poses, the camera, points with their tracks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pycolmap

from recon.geometry import Pose
from recon.upright.scene_io import model_to_colmap
from roomtour.errors import RoomtourError
from roomtour.export.core.images import copy_frames, write_picture_names
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.formats.colmap.check import check_model

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


def read_poses(reconstruction: pycolmap.Reconstruction) -> dict[int, Pose]:
    """world_from_cam by image id."""
    return {
        image_id: Pose.from_rigid3d(reconstruction.image(image_id).cam_from_world().inverse())
        for image_id in sorted(reconstruction.reg_image_ids())
    }
