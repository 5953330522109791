"""nerfstudio's and instant-ngp's transforms.json: world_from_cam with OpenGL camera axes per image file, and a lens."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from recon.conventions import opencv_pose
from recon.errors import ReconError
from recon.geometry import Pose
from recon.pose_sources.nerfstudio_lens import read_lens
from recon.pose_sources.records import PosedPicture, PoseSource
from recon.pose_sources.rigid import make_not_finite_findings, read_text, rigid_pose

TRANSFORMS = "transforms.json"


def read_nerfstudio(path: Path) -> PoseSource:
    """Read a transforms.json of one camera, ours or another's; frames whose transform is not finite are left out.

    `applied_transform` and `applied_scale`, by which a converter moved the world, are undone.

    Raises:
        ReconError: If it cannot be read, lacks a field, has a lens that is not understood, or a transform is not
            rigid.
    """
    path = path / TRANSFORMS if path.is_dir() else path
    try:
        facts = json.loads(read_text(path))
        lens = read_lens(facts, str(path))
        rows = _pictures(facts, path)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        what = f"lacks the field {error}" if isinstance(error, KeyError) else f"is not a transforms.json: {error}"
        need = "The file needs fl_x (or camera_angle_x), w and h; each frame file_path and transform_matrix"
        raise ReconError(f"{path}: {what}. {need}") from error
    pictures = tuple(row for row in rows if row is not None)
    if not pictures:
        raise ReconError(f"{path}: holds no frame{' with a pose' if rows else ''}")
    left_out = make_not_finite_findings(path.name, len(rows) - len(pictures), len(rows))
    return PoseSource(str(path), "nerfstudio", pictures, lens, tuple(left_out))


def _pictures(facts: Mapping[str, Any], path: Path) -> list[PosedPicture | None]:
    """Frames in their order; None for one whose transform is not finite."""
    applied = facts.get("applied_transform")
    model_from_world = Pose.identity() if applied is None else rigid_pose(applied, f"{path}: applied_transform")
    if model_from_world is None:
        raise ReconError(f"{path}: applied_transform is not finite")
    scale = float(facts.get("applied_scale", 1.0))
    if not (np.isfinite(scale) and scale > 0):
        raise ReconError(f"{path}: applied_scale is {scale}, need a positive number")
    pictures: list[PosedPicture | None] = []
    for number, frame in enumerate(facts["frames"]):
        model_from_glcam = rigid_pose(frame["transform_matrix"], f"{path}: frames[{number}].transform_matrix")
        if model_from_glcam is None:
            pictures.append(None)
            continue
        unscaled = Pose(model_from_glcam.rotation, model_from_glcam.translation / scale)
        pose = opencv_pose(model_from_world.inverse() @ unscaled)
        pictures.append(PosedPicture(world_from_cam=pose, name=str(frame["file_path"])))
    return pictures
