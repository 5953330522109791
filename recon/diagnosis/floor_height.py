"""Whether the camera's height above the floor holds along a model: what carries a scale where nothing else does.

Where the camera turns past a bare wall, the pictures there hold a rotation and no translation, and what follows may
come out ten or a hundred times smaller, with no step out of line and at an error of one pixel. A person does not grow:
above the floor of the same place the camera stays within a half, kneeling and reaching apart, on stairs too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pycolmap
from numpy.typing import NDArray

from recon.colmap.observations import NO_POINT, keypoints_by_frame
from recon.diagnosis.doubt import Doubt
from recon.geometry import Array, fit_plane

FloorMask = NDArray[np.bool_]
"""(h, w) over the whole picture, at any size: where it shows the floor."""

_FACTOR = 1.8
"""Highest over lowest along a stretch. Sound walks: up to 1.6 where little floor is seen; where a pan broke the scale,
10 and more."""
_LEAST_VOTES = 2
"""Frames whose picture was asked about a point: one mask may be wrong anywhere."""
_FLOOR_SHARE = 0.6
"""Of the frames that see a point, those that see it on the floor."""
_LEAST_FLOOR = 20
"""Points of the floor that a model needs to be asked."""
_LEAST_NEAR = 15
"""And those seen near a frame that tell its height."""
_NEAR = 6
"""Frames on either side whose floor counts as this frame's."""
_SMOOTH = 3
"""Frames on either side over which the median of the heights is taken."""
_TRIES = 500
"""Planes drawn: with half of the points on the floor, an eighth of them lie on it."""
_THICKNESS = 0.03
"""Of the spread of the floor's points: half thickness of the plane whose normal is up."""


def heights_above_floor(
    model: pycolmap.Reconstruction, floors: Mapping[int, FloorMask], seed: int = 0
) -> dict[int, float]:
    """Height of the camera above the floor near each frame, in the model's unit, in time order.

    Args:
        model: Any.
        floors: Per frame where its picture shows the floor; frames may be missing.
        seed: For drawing planes.

    Returns:
        Frames that see enough of the floor, or stand beside frames that do; empty where there is too little of it.
    """
    plane = find_floor_plane(model, floors, seed)
    if plane is None:
        return {}
    heights: dict[int, float] = {}
    for frame in sorted(model.reg_image_ids()):
        near = plane.seen_by([other for other in plane.seen if abs(other - frame) <= _NEAR])
        if len(near) >= _LEAST_NEAR:
            above = (model.image(frame).projection_center() - near) @ plane.up
            heights[frame] = abs(float(np.median(above)))
    return heights


@dataclass(frozen=True, eq=False)
class FloorPlane:
    """The floor of a model, by the points that most pictures show on it."""

    up: Array
    """(3,) Unit normal, towards the cameras."""
    ids: NDArray[np.int64]
    """(P,) In rising order."""
    points: Array
    """(P, 3)"""
    seen: Mapping[int, Sequence[int]]
    """Per frame the ids that it sees."""

    def seen_by(self, frames: Iterable[int]) -> Array:
        """(Q, 3) Points of the floor that any of the frames sees."""
        near = sorted({point for frame in frames for point in self.seen.get(frame, ())})
        return self.points[np.searchsorted(self.ids, near)]


def find_floor_plane(
    model: pycolmap.Reconstruction, floors: Mapping[int, FloorMask], seed: int = 0
) -> FloorPlane | None:
    """The floor as masks of its pictures tell; None where too few points lie on it.

    Args:
        model: Any.
        floors: Per frame where its picture shows the floor; frames may be missing.
        seed: For drawing planes.
    """
    xyz, seen = _floor_points(model, floors)
    if len(xyz) < _LEAST_FLOOR:
        return None
    ids = np.array(sorted(xyz))
    points = np.array([xyz[point] for point in ids.tolist()])
    up = _normal(points, seed)
    if up is None:
        return None
    centers = np.array([model.image(frame).projection_center() for frame in seen])
    above = np.median(centers @ up) > np.median(points @ up)
    return FloorPlane(up if above else -up, ids, points, seen)


def scale_changes(heights: Mapping[int, float], factor: float = _FACTOR) -> list[Doubt]:
    """The places where the height has changed by a factor since the last of them, or the beginning, in time order.

    Their scale is the height after over that before, each the median of its stretch.
    """
    stretches = _stretches(heights, factor)
    usual = [float(np.median([heights[frame] for frame in part])) for part in stretches]
    return [_change(stretches[k][-1], stretches[k + 1][0], usual[k + 1] / usual[k]) for k in range(len(stretches) - 1)]


def _change(first: int, last: int, times: float) -> Doubt:
    reason = f"the camera's height above the floor becomes {times:.2g} times what it was"
    return Doubt(first, last, "height", max(times, 1.0 / times), reason, times)


def _stretches(heights: Mapping[int, float], factor: float) -> list[list[int]]:
    """The frames, parted where the smoothed height leaves the range of what came before; empty for none."""
    frames = sorted(frame for frame, height in heights.items() if height > 0)
    logs = np.log([heights[frame] for frame in frames])
    smooth = [float(np.median(logs[max(0, place - _SMOOTH) : place + _SMOOTH + 1])) for place in range(len(frames))]
    parts: list[list[int]] = []
    low = high = 0.0
    for frame, height in zip(frames, smooth, strict=True):
        if not parts or max(high, height) - min(low, height) > np.log(factor):
            parts.append([])
            low = high = height
        low, high = min(low, height), max(high, height)
        parts[-1].append(frame)
    return parts


def _floor_points(
    model: pycolmap.Reconstruction, floors: Mapping[int, FloorMask]
) -> tuple[dict[int, Array], dict[int, list[int]]]:
    """Places of the points that most pictures show on the floor, and which of them each frame sees."""
    votes: dict[int, list[int]] = {}
    seen: dict[int, list[int]] = {}
    for frame, keypoints in keypoints_by_frame(model).items():
        mask = floors.get(frame)
        if mask is None:
            continue
        camera = model.camera(model.image(frame).camera_id)
        known = keypoints.points != NO_POINT
        ratio = np.array([mask.shape[1] / camera.width, mask.shape[0] / camera.height])
        columns, rows = np.clip((keypoints.xy[known] * ratio).astype(np.int64), 0, np.array(mask.shape[::-1]) - 1).T
        seen[frame] = keypoints.points[known].tolist()
        for point, is_floor in zip(seen[frame], mask[rows, columns].tolist(), strict=True):
            count = votes.setdefault(point, [0, 0])
            count[0] += is_floor
            count[1] += 1
    floor = {point for point, (yes, asked) in votes.items() if asked >= _LEAST_VOTES and yes > _FLOOR_SHARE * asked}
    xyz = {point: np.asarray(model.point3D(point).xyz) for point in floor}
    return xyz, {frame: [point for point in points if point in floor] for frame, points in seen.items()}


def _normal(points: Array, seed: int) -> Array | None:
    """Normal of the plane with most points: floors at other scales are parallel to it. None if there is none."""
    rng = np.random.default_rng(seed)
    spread = float(np.median(np.linalg.norm(points - np.median(points, axis=0), axis=1)))
    best: NDArray[np.bool_] | None = None
    for _ in range(_TRIES):
        a, b, c = points[rng.choice(len(points), 3, replace=False)]
        normal = np.cross(b - a, c - a)
        length = float(np.linalg.norm(normal))
        if length < 1e-12:
            continue
        on_it = np.abs((points - a) @ normal) < _THICKNESS * spread * length
        if best is None or on_it.sum() > best.sum():
            best = on_it
    return None if best is None else fit_plane(points[best])[0]
