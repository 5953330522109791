"""Put the second of two aligned models into the first: images, and tracks joined where they saw the same keypoints."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

import numpy as np
import pycolmap

from recon.colmap.observations import NO_POINT, Keypoints, keypoints_by_frame
from recon.colmap.poses import read_pose
from recon.geometry import Sim3


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
