"""The poses of a model's frames, and frames at given poses."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pycolmap

from recon.geometry import Pose


def read_pose(model: pycolmap.Reconstruction, frame: int) -> Pose:
    """world_from_cam of a registered frame."""
    return Pose.from_rigid3d(model.image(frame).cam_from_world().inverse())


def read_cams_from_world(model: pycolmap.Reconstruction) -> dict[int, Pose]:
    """cam_from_world of every registered frame."""
    return {frame: Pose.from_rigid3d(model.image(frame).cam_from_world()) for frame in model.reg_image_ids()}


def add_frames(model: pycolmap.Reconstruction, world_from_cam: Mapping[int, Pose], database: pycolmap.Database) -> None:
    """Register frames at given poses, without points, in place."""
    (camera,) = model.cameras
    for frame, pose in world_from_cam.items():
        xy = np.asarray(database.read_keypoints(frame), np.float64)[:, :2]
        image = pycolmap.Image(name=database.read_image(frame).name, keypoints=xy, camera_id=camera, image_id=frame)
        model.add_image_with_trivial_frame(image, pose.inverse().to_rigid3d())
