"""Models made of others: two that are aligned fused to one, some frames of one; and what frames models share."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeVar

import numpy as np
import pycolmap

from recon.colmap.database import list_verified_pairs
from recon.colmap.observations import NO_POINT, Keypoints, keypoints_by_frame, read_pose
from recon.geometry import Array, Sim3
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


_Observation = tuple[int, int, int]
"""Frame, keypoint, and the point that the first model has there, or `NO_POINT`."""


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
