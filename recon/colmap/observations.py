"""Where the frames of a model are, which points they see, and where, as arrays; which points are well triangulated.

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
from recon.records import Tracks

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


_LEAST_ANGLE_DEG = 2.0  # rays that meet at less leave a point's depth open by tens of centimetres in a room
LEAST_VIEWS = 3  # two views of a point agree even where the match is wrong
_MOST_ERROR_PX = 2.0
"""Mean reprojection error of a track; that of whole models of real tours is 0.5 to 0.9. Set by hand."""


def tracks_from_colmap(reconstruction: pycolmap.Reconstruction) -> Tracks:
    """Points in the order of their ids, observations sorted by frame, then by point (image id = frame index)."""
    ids = sorted(reconstruction.point3D_ids())
    points = [reconstruction.points3D[point_id] for point_id in ids]
    frames, rows, pixels = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros((0, 2))]
    for frame, keypoints in keypoints_by_frame(reconstruction).items():
        seen = keypoints.points != NO_POINT
        frames.append(np.full(seen.sum(), frame))
        rows.append(np.searchsorted(ids, keypoints.points[seen]))
        pixels.append(keypoints.xy[seen])
    obs_frame, obs_point = np.concatenate(frames), np.concatenate(rows)
    order = np.lexsort((obs_point, obs_frame))
    return Tracks(
        xyz=np.array([point.xyz for point in points], dtype=np.float64).reshape(-1, 3),
        rgb=np.array([point.color for point in points], dtype=np.uint8).reshape(-1, 3),
        error_px=np.array([point.error for point in points], dtype=np.float64),
        obs_point=obs_point[order],
        obs_frame=obs_frame[order],
        obs_xy=np.concatenate(pixels)[order],
    )


def well_triangulated(tracks: Tracks, world_from_cam: Mapping[int, Pose]) -> NDArray[np.bool_]:
    """Points (P,) seen by enough frames, from far enough apart, with a small error.

    The angle is taken between the rays of the first and the last frame that see the point.
    """
    keep = (track_lengths(tracks) >= LEAST_VIEWS) & (tracks.error_px <= _MOST_ERROR_PX)
    if len(tracks.obs_point) == 0:
        return keep
    first, last = _end_frames(tracks)
    centers = {frame: pose.center for frame, pose in world_from_cam.items()}
    seen = np.flatnonzero(keep)
    ray_a = np.array([centers[int(f)] for f in first[seen]]).reshape(-1, 3) - tracks.xyz[seen]
    ray_b = np.array([centers[int(f)] for f in last[seen]]).reshape(-1, 3) - tracks.xyz[seen]
    cosine = np.einsum("ij,ij->i", ray_a, ray_b)
    sine = np.linalg.norm(np.cross(ray_a, ray_b), axis=1)
    keep[seen] = np.degrees(np.arctan2(sine, cosine)) >= _LEAST_ANGLE_DEG
    return keep


def measure_viewing_distance(tracks: Tracks, world_from_cam: Mapping[int, Pose]) -> float | None:
    """Median distance between a point and the first camera that sees it; None without observations."""
    if len(tracks.obs_point) == 0:
        return None
    first, _ = _end_frames(tracks)
    seen = np.flatnonzero(first)
    centers = np.array([world_from_cam[int(frame)].center for frame in first[seen]])
    return float(np.median(np.linalg.norm(tracks.xyz[seen] - centers, axis=1)))


def track_lengths(tracks: Tracks) -> NDArray[np.int64]:
    """Observations per point, (P,)."""
    return np.bincount(tracks.obs_point, minlength=len(tracks.xyz))


def _end_frames(tracks: Tracks) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last frame that sees each point, (P,) each; 0 (no frame's number) where none does."""
    first = np.zeros(len(tracks.xyz), dtype=np.int64)
    last = np.zeros(len(tracks.xyz), dtype=np.int64)
    # Observations are sorted by frame, so the last write wins with the last frame, and backwards with the first.
    last[tracks.obs_point] = tracks.obs_frame
    first[tracks.obs_point[::-1]] = tracks.obs_frame[::-1]
    return first, last


def enough_of(keep: NDArray[np.bool_], least: int = 100) -> NDArray[np.bool_]:
    """The same points (P,), or all of them where fewer than `least` would be left."""
    return keep if keep.sum() >= least else np.ones_like(keep)
