"""The poses of a model's frames."""

from __future__ import annotations

import pycolmap

from recon.geometry import Pose


def read_pose(model: pycolmap.Reconstruction, frame: int) -> Pose:
    """world_from_cam of a registered frame."""
    return Pose.from_rigid3d(model.image(frame).cam_from_world().inverse())


def read_cams_from_world(model: pycolmap.Reconstruction) -> dict[int, Pose]:
    """cam_from_world of every registered frame."""
    return {frame: Pose.from_rigid3d(model.image(frame).cam_from_world()) for frame in model.reg_image_ids()}
