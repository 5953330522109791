"""nerfstudio's transforms.json: one camera, and world_from_cam with OpenGL camera axes per image file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from recon.conventions import opencv_pose
from recon.errors import ReconError
from recon.geometry import Camera, Pose
from recon.given_files import read_given_text
from recon.pose_sources.records import Lens, PosedPicture, PoseSource
from recon.pose_sources.rigid import rigid_pose

TRANSFORMS = "transforms.json"
DISTORTION: Mapping[str, tuple[str, ...]] = {
    "OPENCV": ("k1", "k2", "p1", "p2"),
    "OPENCV_FISHEYE": ("k1", "k2", "k3", "k4"),
}
"""nerfstudio's camera models and the names of their distortion, in COLMAP's order."""
WIDENED: Mapping[str, str] = {
    "SIMPLE_PINHOLE": "OPENCV",
    "PINHOLE": "OPENCV",
    "SIMPLE_RADIAL": "OPENCV",
    "RADIAL": "OPENCV",
    "OPENCV": "OPENCV",
    "SIMPLE_RADIAL_FISHEYE": "OPENCV_FISHEYE",
    "RADIAL_FISHEYE": "OPENCV_FISHEYE",
    "OPENCV_FISHEYE": "OPENCV_FISHEYE",
}
"""COLMAP's camera models and nerfstudio's that hold them without loss."""


def read_nerfstudio(path: Path) -> PoseSource:
    """Read a transforms.json of one camera, ours or another's.

    `applied_transform` and `applied_scale`, by which a converter moved the world, are undone.

    Args:
        path: The file, or the folder that holds it.

    Raises:
        ReconError: If it cannot be read, lacks a field, has a camera per frame or of another kind, or a transform is
            not rigid.
    """
    path = path / TRANSFORMS if path.is_dir() else path
    try:
        facts = json.loads(read_given_text(path))
        lens = _lens(facts, path)
        pictures = _pictures(facts, path)
    except OSError as error:
        raise ReconError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        what = f"lacks the field {error}" if isinstance(error, KeyError) else f"is not a transforms.json: {error}"
        need = "The file needs one camera, each frame file_path and transform_matrix"
        raise ReconError(f"{path}: {what}. {need}") from error
    if not pictures:
        raise ReconError(f"{path}: holds no frame")
    return PoseSource(str(path), "nerfstudio", pictures, lens)


def _lens(facts: Mapping[str, Any], path: Path) -> Lens:
    kind = WIDENED.get(str(facts.get("camera_model", "OPENCV")))
    if kind is None:
        raise ReconError(f"{path}: camera_model {facts['camera_model']!r} is not one of {', '.join(WIDENED)}")
    params = [float(facts[name]) for name in ("fl_x", "fl_y", "cx", "cy")]
    params += [float(facts.get(name, 0.0)) for name in DISTORTION[kind]]
    camera = Camera(kind, int(facts["w"]), int(facts["h"]), tuple(params))
    return Lens(camera.model, camera.params, (camera.width, camera.height))


def _pictures(facts: Mapping[str, Any], path: Path) -> tuple[PosedPicture, ...]:
    applied = facts.get("applied_transform")
    model_from_world = Pose.identity() if applied is None else rigid_pose(applied, f"{path}: applied_transform")
    scale = float(facts.get("applied_scale", 1.0))
    if not (np.isfinite(scale) and scale > 0):
        raise ReconError(f"{path}: applied_scale is {scale}, need a positive number")
    pictures = []
    for number, frame in enumerate(facts["frames"]):
        model_from_glcam = rigid_pose(frame["transform_matrix"], f"{path}: frames[{number}].transform_matrix")
        unscaled = Pose(model_from_glcam.rotation, model_from_glcam.translation / scale)
        pose = opencv_pose(model_from_world.inverse() @ unscaled)
        pictures.append(PosedPicture(world_from_cam=pose, name=str(frame["file_path"])))
    return tuple(pictures)
