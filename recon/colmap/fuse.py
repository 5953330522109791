"""Models made of others: aligned over the frames they share, fused to one, some frames of one.

Each shared frame alone gives a whole similarity: rotation and position from its two poses, scale from the depths that
the two models give to the same keypoints. So nothing depends on the spread of the shared camera centres, and cameras
may stand still or move on a line.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pycolmap
from scipy.spatial.transform import Rotation

from recon.colmap.database import list_verified_pairs
from recon.colmap.observations import NO_POINT, Keypoints, keypoints_by_frame, read_pose
from recon.geometry import Array, Pose, Sim3, turn_deg
from recon.records import SubModel


def fuse(
    first: pycolmap.Reconstruction, second: pycolmap.Reconstruction, first_from_second: Sim3
) -> pycolmap.Reconstruction:
    """A new model with all images and points of both, in the frame of the first. The inputs stay as they are.

    Keypoints are those of one database, so a point of the second that shares a keypoint with a point of the first is
    the same point: its other observations go to the first's track. Shared images keep the first's pose.
    """
    fused = pycolmap.Reconstruction(first)
    in_first, in_second = keypoints_by_frame(first), keypoints_by_frame(second)
    for frame, keypoints in in_second.items():
        if frame not in in_first:
            image, moved = second.image(frame), first_from_second.move_camera(read_pose(second, frame))
            copied = pycolmap.Image(name=image.name, keypoints=keypoints.xy, camera_id=image.camera_id, image_id=frame)
            fused.add_image_with_trivial_frame(copied, moved.inverse().to_rigid3d())
    for point, seen in _observations(in_first, in_second).items():
        _add_point(fused, second.point3D(point), seen, first_from_second)
    fused.update_point_3d_errors()
    return fused


_Observation = tuple[int, int, int]  # Frame, keypoint, and the point that the first model has there, or `NO_POINT`


def _observations(
    in_first: Mapping[int, Keypoints], in_second: Mapping[int, Keypoints]
) -> dict[int, list[_Observation]]:
    """Of every point of the second, in the order of points and for each of frames."""
    seen: dict[int, list[_Observation]] = defaultdict(list)
    for frame, keypoints in in_second.items():
        places = np.flatnonzero(keypoints.points != NO_POINT)
        known = in_first[frame].points[places] if frame in in_first else np.full(len(places), NO_POINT)
        for point, place, same in zip(keypoints.points[places].tolist(), places.tolist(), known.tolist(), strict=True):
            seen[point].append((frame, place, same))
    return dict(sorted(seen.items()))


def _add_point(
    fused: pycolmap.Reconstruction, point: pycolmap.Point3D, seen: list[_Observation], first_from_second: Sim3
) -> None:
    """Join the point to the track it shares most keypoints with, or add it as new."""
    shared = Counter(same for _, _, same in seen if same != NO_POINT)
    free = {frame: place for frame, place, same in reversed(seen) if same == NO_POINT}  # one per frame, the lowest
    if shared:
        (same, _), *_ = shared.most_common(1)
        taken = {element.image_id for element in fused.point3D(same).track.elements}
        for frame in sorted(free.keys() - taken):
            fused.add_observation(same, pycolmap.TrackElement(frame, free[frame]))
    elif len(free) > 1:
        track = pycolmap.Track()
        for frame in sorted(free):
            track.add_element(frame, free[frame])
        fused.add_point3D(first_from_second @ point.xyz, track, point.color)


_NO_XY: Mapping[int, Array] = {}


def subset(
    model: pycolmap.Reconstruction, frames: Collection[int], xy: Mapping[int, Array] = _NO_XY
) -> pycolmap.Reconstruction:
    """A new model with some registered frames and the points that at least two of them see.

    `xy` has the keypoints (K, 2) that a frame is to have, if not its own; its own are the first of them.
    """
    wanted = set(frames)
    part = pycolmap.Reconstruction()
    for camera_id in sorted({model.image(frame).camera_id for frame in wanted}):
        part.add_camera_with_trivial_rig(pycolmap.Camera(model.camera(camera_id).todict()))
    for frame, keypoints in keypoints_by_frame(model).items():
        if frame not in wanted:
            continue
        image, more = model.image(frame), xy.get(frame, keypoints.xy)[len(keypoints.xy) :]
        copied = pycolmap.Image(
            name=image.name,
            keypoints=np.concatenate([keypoints.xy, more]),
            camera_id=image.camera_id,
            image_id=image.image_id,
        )
        part.add_image_with_trivial_frame(copied, image.cam_from_world())
    for point_id in sorted(model.point3D_ids()):
        point = model.point3D(point_id)
        track = pycolmap.Track()
        for element in point.track.elements:
            if element.image_id in wanted:
                track.add_element(element)
        if track.length() > 1:
            part.add_point3D(point.xyz, track, point.color)
    part.update_point_3d_errors()
    return part


T = TypeVar("T")


def find_shared_frames(first: SubModel, second: SubModel) -> tuple[int, ...]:
    """Frames with a pose in both models, in time order."""
    return tuple(sorted(set(first.frames) & set(second.frames)))


def read_pairs_across(
    database: pycolmap.Database, one: Collection[int], other: Collection[int]
) -> list[tuple[int, int, int]]:
    """Verified pairs with a frame of one and a frame of the other only, sorted, and how many matches each has."""
    sides = set(one) - set(other), set(other) - set(one)
    return [
        (a, b, count)
        for a, b, count in list_verified_pairs(database)
        if any(a in side and b in rest for side, rest in (sides, sides[::-1]))
    ]


def leave_contained_out(
    models: Iterable[T], frames_of: Callable[[T], Collection[int]]
) -> tuple[list[T], list[tuple[T, T]]]:
    """The models that add a frame to those before them, largest first, and the others, each with a larger one."""
    kept: list[T] = []
    left_out: list[tuple[T, T]] = []
    for model in sorted(models, key=lambda model: (-len(frames_of(model)), sorted(frames_of(model)))):
        frames = frames_of(model)
        larger = next((other for other in kept if set(frames).issubset(frames_of(other))), None)
        if larger is None:
            kept.append(model)
        else:
            left_out.append((model, larger))
    return kept, left_out


@dataclass(frozen=True, eq=False)
class SharedView:
    """One frame with a pose in both models."""

    frame: int
    first: Pose  # world_from_cam in the first model
    second: Pose  # world_from_cam in the second model
    depths: Array  # (C, 2) that the first and the second model give to the same keypoints


@dataclass(frozen=True)
class Alignment:
    """How well two models agree on the frames they share, in the frame and unit of the first."""

    first_from_second: Sim3
    center_disagreement: float  # median distance of the shared camera centres
    rotation_disagreement_deg: float  # median angle between the shared cameras' orientations
    common_points: int  # keypoints to which both models give a 3D point
    depth: float  # median depth of those points in the first model
    scale_disagreement: float
    """How far the relative scale drifts along the shared frames, first third against last; 0.1 is 10 %."""
    depth_spread: float  # Typical deviation (1.48 MAD) of a common point's relative depth from the scale; 0.1 is 10 %


def align(first: SubModel, second: SubModel, shared: Sequence[int]) -> Alignment | None:
    """The similarity that most shared frames agree on.

    Returns:
        None if fewer than 20 keypoints have a point in both models, so that nothing tells the scale.
    """
    one, other = first.reconstruction, second.reconstruction
    return align_views(
        [
            SharedView(frame, read_pose(one, frame), read_pose(other, frame), _common_depths(first, second, frame))
            for frame in shared
        ]
    )


def align_views(views: Sequence[SharedView]) -> Alignment | None:
    """The similarity that most views agree on; None if fewer than 20 common keypoints tell the scale."""
    common = np.concatenate([view.depths for view in views]) if views else np.zeros((0, 2))
    if len(common) < _MIN_COMMON:
        return None
    logs = np.log(common[:, 0] / common[:, 1])
    rotation = _middle_rotation(np.array([view.first.rotation @ view.second.rotation.T for view in views]))
    scale = float(np.exp(np.median(logs)))
    offset = np.median([view.first.center - scale * rotation @ view.second.center for view in views], axis=0)
    fit = Sim3(scale, rotation, offset)
    off = np.array([apart(view, fit) for view in views])
    return Alignment(
        first_from_second=fit,
        center_disagreement=float(np.median(off[:, 0])),
        rotation_disagreement_deg=float(np.median(off[:, 1])),
        common_points=len(common),
        depth=float(np.median(common[:, 0])),
        scale_disagreement=_scale_run(views),
        depth_spread=float(1.48 * np.median(np.abs(logs - np.median(logs)))),
    )


def apart(view: SharedView, first_from_second: Sim3) -> tuple[float, float]:
    """Distance, in the unit of the first, and angle in degrees between a view's two poses after alignment."""
    moved = first_from_second.move_camera(view.second)
    return float(np.linalg.norm(view.first.center - moved.center)), turn_deg(view.first.rotation, moved.rotation)


def _scale_run(views: Sequence[SharedView]) -> float:
    """Change of the relative scale between the first and the last third of the views that tell it; 0 for few."""
    logs = [
        float(np.median(np.log(view.depths[:, 0] / view.depths[:, 1])))
        for view in views
        if len(view.depths) >= _MIN_PER_VIEW
    ]
    third = len(logs) // 3
    return float(np.expm1(abs(np.median(logs[:third]) - np.median(logs[-third:])))) if third else 0.0


_MIN_PER_VIEW = 10
"""Common keypoints that a shared frame needs before its median tells a scale of its own. Set by hand."""
_MIN_COMMON = 20
"""Common keypoints of all shared frames, below which nothing tells the scale: a median of fewer is chance. By hand."""


def _common_depths(first: SubModel, second: SubModel, frame: int) -> Array:
    """Depths (C, 2) that the two models give to the same keypoints of a shared frame; only points ahead of both."""
    depths_first, depths_second = _depths(first.reconstruction, frame), _depths(second.reconstruction, frame)
    rows = [(depth, depths_second[key]) for key, depth in depths_first.items() if key in depths_second]
    return np.array([row for row in rows if min(row) > 0]).reshape(-1, 2)


def _depths(model: pycolmap.Reconstruction, frame: int) -> dict[int, float]:
    """Depth along the optical axis of each keypoint that has a 3D point."""
    image = model.image(frame)
    center, axis = image.projection_center(), image.viewing_direction()
    return {
        int(key): float((model.point3D(image.point2D(key).point3D_id).xyz - center) @ axis)
        for key in image.get_observation_point2D_idxs()
    }


def _middle_rotation(rotations: Array) -> Array:
    """Mean of rotations (N, 3, 3) after leaving out those far from the median one."""
    cosines = (np.einsum("aij,bij->ab", rotations, rotations) - 1.0) / 2.0
    between = np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0)))
    middle = int(np.median(between, axis=1).argmin())
    near = between[middle] <= max(2.0 * float(np.median(between[middle])), 1e-3)
    return Rotation.from_matrix(rotations[near]).mean().as_matrix()
