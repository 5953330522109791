"""Where the frames of a model are, which points they see, and where, as arrays.

COLMAP hands out its keypoints one object at a time: 7 to 10 CPU-seconds for the 2.2 million observations of ten minutes
of tour. Written in its own file format and read back as arrays they take two.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pycolmap
from numpy.typing import NDArray

from recon.geometry import Pose

NO_POINT = -1  # as COLMAP writes it: all bits of an unsigned id, read with a sign


@dataclass(frozen=True, eq=False)
class Keypoints:
    """Those of one registered frame."""

    xy: NDArray[np.float64]  # (K, 2) in pixels, in COLMAP's convention
    points: NDArray[np.int64]  # (K,) ids; `NO_POINT` for those without


def keypoints_by_frame(model: pycolmap.Reconstruction) -> dict[int, Keypoints]:
    """The keypoints of every registered frame, in time order. The arrays are copies and cannot be written to."""
    with tempfile.TemporaryDirectory() as folder:
        model.write_binary(folder)
        written = (Path(folder) / "images.bin").read_bytes()
    read: dict[int, Keypoints] = {}
    (count,) = np.frombuffer(written, "<u8", 1)
    at = 8
    for _ in range(count):
        (frame,) = np.frombuffer(written, "<u4", 1, at)
        name = at + _BEFORE_NAME
        at = written.index(b"\0", name) + 1
        (size,) = np.frombuffer(written, "<u8", 1, at)
        keypoints = np.frombuffer(written, _KEYPOINT, size, at + 8)
        read[int(frame)] = Keypoints(keypoints["xy"], keypoints["point"])
        at += 8 + keypoints.nbytes
    return dict(sorted(read.items()))


_BEFORE_NAME = 4 + 7 * 8 + 4
"""Bytes of an image in images.bin before its name: its id, pose and camera id. A zero ends the name."""
_KEYPOINT = np.dtype([("xy", "<f8", 2), ("point", "<i8")])


@dataclass(frozen=True, eq=False)
class Sightings:
    """Every frame that sees a point, once, in the order of points and for each point of frames."""

    frames: NDArray[np.int64]  # (F,) registered frames in time order
    points: NDArray[np.int64]  # (P,) ids in rising order
    xyz: NDArray[np.float64]  # (P, 3) in the model's frame and unit
    frame_rows: NDArray[np.int64]  # (S,) rows of `frames`
    point_rows: NDArray[np.int64]  # (S,) rows of `points`


def sightings(model: pycolmap.Reconstruction) -> Sightings:
    """Who sees what in a model."""
    frames = np.array(sorted(model.reg_image_ids()), np.int64)
    points = np.array(sorted(model.point3D_ids()), np.int64)
    xyz = np.array([model.point3D(point).xyz for point in points.tolist()]).reshape(-1, 3)
    pairs = [np.zeros(0, np.int64)]
    for row, keypoints in enumerate(keypoints_by_frame(model).values()):
        seen = keypoints.points[keypoints.points != NO_POINT]
        pairs.append(np.searchsorted(points, seen) * len(frames) + row)
    point_rows, frame_rows = np.divmod(np.unique(np.concatenate(pairs)), max(1, len(frames)))
    return Sightings(frames, points, xyz, frame_rows, point_rows)


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
