"""Whether the camera's height above the floor holds along a model: what carries a scale where nothing else does.

Where the camera turns past a bare wall, the pictures there hold a rotation and no translation, and what follows may
come out ten or a hundred times smaller, with no step out of line and at an error of one pixel. A person does not grow:
above the floor of the same place the camera stays within a half, kneeling and reaching apart, on stairs too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

import numpy as np
import pycolmap
from numpy.typing import NDArray

from recon.audit.verdict import Verdict
from recon.colmap.observations import NO_POINT, keypoints_by_frame
from recon.floor_masks import FloorMask, look_up
from recon.geometry import Array, Camera, Pose

_HEIGHT_CHANGE_RATIO = 1.8
"""Highest over lowest along a stretch. Sound walks: up to 1.6 where little floor is seen; where a pan broke the scale,
10 and more."""
_LEAST_VOTES = 2  # frames whose picture was asked about a point: one mask may be wrong anywhere
FLOOR_SHARE = 0.6  # of the frames that see a point, those that see it on the floor
_LEAST_FLOOR = 20  # points of the floor that a model needs to be asked
LEAST_NEAR = 15  # and those seen near a frame that tell its height
_NEAR_FRAMES = 6  # frames on either side whose floor counts as this frame's
_SMOOTHING_FRAMES = 3  # frames on either side over which the median of the heights is taken
_MOST_PASSING_FRAMES = 24
"""Frames with a height of their own, after which it is as before, that are not asked: fewer than on either side too.
Before a desk in an office that masks called floor: 10, from frame 71 to 80; by other masks it ended at 86. Set by hand
well beyond."""
_SAME_HEIGHT_RATIO = 1.25
"""Factor between the heights before and after them, well below what counts as a change. Set by hand."""
_TRIES = 500  # Planes drawn: with three tenths of the points on the floor, one in forty has all its three points there
_LEVEL_BAND = 0.08  # of the camera's height: points within it to either side lie on one level
_FLOOR_BAND = 0.15  # The same for a point that is kept: the camera's height changes a little while the point is in view
_LEAST_DOWN = 0.8
"""Share of the rays through pixels called floor that run down from the camera. A wall or the side of a cabinet that
passes for floor has points enough to make a plane, but half of the floor's pixels would be seen above its horizon."""
_LEAST_UP = 0.5
"""Cosine between up and the direction in the picture from the floor to the rest, in the median of frames: a camera that
looks 45 degrees down has 0.7, the wall ahead, which runs down in the same sense, 0."""
_LEAST_PICTURE_SHARE = 0.03
"""Share of the picture that is floor, and that is not, so that the direction between them tells."""
_LEAST_SUPPORT = 0.28
"""Share of the points called floor near a frame that lie on one level, in the mean of frames. Of a phone
tour in few bits 0.34, where a quarter of them lay on the floor; without any level 0.24."""
_LEAST_LEVEL = 0.2
"""And near one frame, so that its level is believed: points that are spread evenly have a tenth anywhere."""
_ASKED_FRAMES, _ASKED_POINTS, _ASKED_RAYS = 24, 30, 32
"""Frames that judge a plane, spread over the walk, points near each, and rays of each."""


@dataclass(frozen=True, eq=False)
class FloorHeights:
    """Heights of the camera near each frame that sees enough of the floor, in the model's unit, in time order."""

    above_plane: dict[int, float]  # above the floor
    above_labelled_points: dict[int, float]
    """Above the median of all points that masks call floor, on its level or off it. What is nearer lowers it, but a
    stretch that shrank has no level of its own, and shows only here."""


def measure_heights(model: pycolmap.Reconstruction, floors: Mapping[int, FloorMask], seed: int = 0) -> FloorHeights:
    """The heights of a model's camera; none where there is too little of the floor."""
    if not floors:  # else the whole model would be read for nothing
        return FloorHeights({}, {})
    called = _find_called(model, floors)
    plane = find_floor_plane(model, floors, seed, called)
    if plane is None:
        return FloorHeights({}, {})
    return FloorHeights(_heights_above(model, plane), _heights_above(model, replace(called, up=plane.up)))


def choose_unit(heights: Mapping[int, float], frames: int) -> float:
    """The camera's height above the floor over some frames, in the model's unit; 0 where too few of them tell it."""
    return float(np.median(list(heights.values()))) if heights and len(heights) >= _LEAST_TOLD * frames else 0.0


_LEAST_TOLD = 0.5  # share of the frames whose height above the floor is known: the unit hangs on it. Set by hand.


def heights_above_called(
    model: pycolmap.Reconstruction, floors: Mapping[int, FloorMask], up: Array
) -> dict[int, float]:
    """Height of the camera above the median of the points near each frame that masks call floor, wherever they lie.

    Returns:
        Frames near which enough points are called so, in time order.
    """
    return _heights_above(model, replace(_find_called(model, floors), up=up))


def _heights_above(model: pycolmap.Reconstruction, floor: FloorPlane) -> dict[int, float]:
    """Above the median of the floor's points near each frame."""
    heights: dict[int, float] = {}
    for frame in sorted(model.reg_image_ids()):
        near = floor.near(frame)
        if len(near) >= LEAST_NEAR:
            heights[frame] = abs(float(np.median((model.image(frame).projection_center() - near) @ floor.up)))
    return heights


@dataclass(frozen=True, eq=False)
class FloorPlane:
    """The floor of a model, by the points that most pictures show on it."""

    up: Array  # (3,) Unit normal, towards the cameras
    ids: NDArray[np.int64]  # (P,) In rising order
    points: Array  # (P, 3)
    seen: Mapping[int, Sequence[int]]  # per frame the ids that it sees
    off: NDArray[np.int64]
    """Ids of points that most pictures show on the floor and that lie elsewhere: table legs, what a tile mirrors. Those
    near which no level is believed are in neither."""

    def seen_by(self, frames: Iterable[int]) -> Array:
        """(Q, 3) Points of the floor that any of the frames sees."""
        near = sorted({point for frame in frames for point in self.seen.get(frame, ())})
        return self.points[np.searchsorted(self.ids, near)]

    def near(self, frame: int) -> Array:
        """(Q, 3) Points of the floor that frames near one see, `LEAST_NEAR` of which tell its height."""
        return self.seen_by(other for other in self.seen if abs(other - frame) <= _NEAR_FRAMES)


def find_floor_plane(
    model: pycolmap.Reconstruction, floors: Mapping[int, FloorMask], seed: int = 0, called: FloorPlane | None = None
) -> FloorPlane | None:
    """The floor as masks of its pictures tell; None where too few points lie on it."""
    called = called or _find_called(model, floors)
    if len(called.ids) < _LEAST_FLOOR:
        return None
    up = _find_up(model, called, *_look_at_floor(model, floors), seed)
    return None if up is None else _keep_level(model, replace(called, up=up))


def _find_called(model: pycolmap.Reconstruction, floors: Mapping[int, FloorMask]) -> FloorPlane:
    """All points that most pictures show on the floor, wherever they lie; their normal is 0."""
    votes: dict[int, list[int]] = {}
    seen: dict[int, list[int]] = {}
    for frame, keypoints in keypoints_by_frame(model).items():
        mask = floors.get(frame)
        if mask is None:
            continue
        camera = model.camera(model.image(frame).camera_id)
        known = keypoints.points != NO_POINT
        seen[frame] = keypoints.points[known].tolist()
        lies_on_floor = look_up(mask, keypoints.xy[known], (camera.width, camera.height))
        for point, is_floor in zip(seen[frame], lies_on_floor.tolist(), strict=True):
            count = votes.setdefault(point, [0, 0])
            count[0] += is_floor
            count[1] += 1
    ids = sorted(point for point, (yes, asked) in votes.items() if asked >= _LEAST_VOTES and yes > FLOOR_SHARE * asked)
    floor, xyz = set(ids), np.array([model.point3D(point).xyz for point in ids])
    seen = {frame: [point for point in points if point in floor] for frame, points in seen.items()}
    return FloorPlane(np.zeros(3), np.array(ids, np.int64), xyz, seen, np.zeros(0, np.int64))


def scale_changes(heights: Mapping[int, float], factor: float = _HEIGHT_CHANGE_RATIO) -> list[Verdict]:
    """The places where the height has changed by a factor since the last of them, or the beginning, in time order.

    Their value is the height after over that before, each the median of its stretch.
    """
    stretches = _stretches(heights, factor)
    usual = [float(np.median([heights[frame] for frame in part])) for part in stretches]
    changes = []
    for k, times in enumerate(after / before for before, after in pairwise(usual)):
        words = f"the camera's height above the floor becomes {times:.2g} times what it was"
        at = stretches[k][-1], stretches[k + 1][0]
        changes.append(Verdict(False, "height", times, factor, at, words))
    return changes


def _stretches(heights: Mapping[int, float], factor: float) -> list[list[int]]:
    """The frames, parted where the smoothed height leaves the range of what came before; empty for none.

    Frames of a short stretch after which the height is again what it was are in none: a scale that was lost does not
    come back by itself, but past a table that a mask calls floor the height does.
    """
    frames = sorted(frame for frame, height in heights.items() if height > 0)
    logs = np.log([heights[frame] for frame in frames])
    smooth = dict(zip(frames, smooth_heights(logs), strict=True))
    while True:
        parts = _part(smooth, factor)
        usual = [float(np.median([smooth[frame] for frame in part])) for part in parts]
        passing = [
            place
            for place in range(1, len(parts) - 1)
            if len(parts[place]) <= min(_MOST_PASSING_FRAMES, len(parts[place - 1]) - 1, len(parts[place + 1]) - 1)
            and abs(usual[place + 1] - usual[place - 1]) <= np.log(_SAME_HEIGHT_RATIO)
        ]
        if not passing:
            return parts
        for frame in parts[passing[0]]:
            del smooth[frame]


def smooth_heights(logs: Array) -> list[float]:
    """Running medians of the logarithms (F,) of heights."""
    reach = _SMOOTHING_FRAMES
    return [float(np.median(logs[max(0, place - reach) : place + reach + 1])) for place in range(len(logs))]


def _part(smooth: Mapping[int, float], factor: float) -> list[list[int]]:
    """Frames with logarithms of heights, each stretch of them within the factor."""
    parts: list[list[int]] = []
    low = high = 0.0
    for frame, height in smooth.items():
        if not parts or max(high, height) - min(low, height) > np.log(factor):
            parts.append([])
            low = high = height
        low, high = min(low, height), max(high, height)
        parts[-1].append(frame)
    return parts


def _look_at_floor(model: pycolmap.Reconstruction, floors: Mapping[int, FloorMask]) -> tuple[Array, Array]:
    """What masks tell of the vertical, as unit vectors in the model's axes.

    Returns:
        Rays (R, 3) through some pixels that show the floor, and the directions (D, 3) in the pictures from the floor to
        what is no floor, of frames that show both.
    """
    rays, away = [np.zeros((0, 3))], [np.zeros((0, 3))]
    for frame in sorted(set(model.reg_image_ids()).intersection(floors)):
        image, mask = model.image(frame), floors[frame]
        rows, columns = np.nonzero(mask)
        some = np.linspace(0, len(rows) - 1, min(len(rows), _ASKED_RAYS)).astype(np.int64)
        camera = Camera.from_colmap(model.camera(image.camera_id))
        ratio = np.array([camera.width / mask.shape[1], camera.height / mask.shape[0]])
        own = camera.rays((np.column_stack([columns[some], rows[some]]) + 0.5) * ratio)
        turned = own @ Pose.from_rigid3d(image.cam_from_world()).rotation
        rays.append(turned / np.linalg.norm(turned, axis=1, keepdims=True))
        if _LEAST_PICTURE_SHARE <= mask.mean() <= 1.0 - _LEAST_PICTURE_SHARE:
            others = np.nonzero(~mask)
            apart = np.array([others[1].mean() - columns.mean(), others[0].mean() - rows.mean()]) * ratio
            across = np.array([[*apart, 0.0]]) / max(float(np.linalg.norm(apart)), 1e-9)
            away.append(across @ Pose.from_rigid3d(image.cam_from_world()).rotation)
    return np.concatenate(rays), np.concatenate(away)


def _find_up(model: pycolmap.Reconstruction, floor: FloorPlane, rays: Array, away: Array, seed: int) -> Array | None:
    """The direction along which most points called floor lie on one level below the cameras near them.

    Each frame is asked by itself, so that a scale that drifts, or a floor in parts, does not matter.
    """
    near = {frame: points for frame in floor.seen if len(points := floor.near(frame)) >= LEAST_NEAR}
    if not near:
        return None
    rng = np.random.default_rng(seed)
    frames = sorted(near)
    corners = np.array(
        [near[frame][rng.choice(len(near[frame]), 3, replace=False)] for frame in rng.choice(frames, _TRIES)]
    )
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    normals = normals[lengths > 1e-12] / lengths[lengths > 1e-12, None]
    normals *= np.where((normals @ rays.T < 0).mean(axis=1) < 0.5, -1.0, 1.0)[:, None]
    normals = normals[(normals @ rays.T < 0).mean(axis=1) >= _LEAST_DOWN]
    if len(away):
        normals = normals[np.median(normals @ away.T, axis=1) >= _LEAST_UP]
    if not len(normals):
        return None
    asked = [frames[place] for place in np.linspace(0, len(frames) - 1, min(len(frames), _ASKED_FRAMES)).astype(int)]
    below = [
        model.image(frame).projection_center() - near[frame][rng.choice(len(near[frame]), _ASKED_POINTS)]
        for frame in asked
    ]
    supports = np.mean([_find_levels(normals @ off.T)[1] for off in below], axis=0)
    up = normals[int(np.argmax(supports))]
    below = [model.image(frame).projection_center() - near[frame] for frame in asked]
    for _ in range(2):
        up = _refine_up(up, below)
    support = np.mean([_find_level(off @ up)[1] for off in below])
    return up if support >= _LEAST_SUPPORT else None


def _find_levels(heights: Array) -> tuple[Array, Array]:
    """Of heights (N, P) of the camera above points: the level (N,) that most lie on, and the share (N,) that does."""
    close = np.abs(heights[:, :, None] - heights[:, None, :]) <= _LEVEL_BAND * heights[:, :, None]
    counts = np.where(heights > 0, close.sum(axis=2), 0)
    best = counts.argmax(axis=1)
    rows = np.arange(len(heights))
    return heights[rows, best], counts[rows, best] / heights.shape[1]


def _refine_up(up: Array, below: Sequence[Array]) -> Array:
    """The normal that points on the level of each frame agree on best."""
    scatter = np.zeros((3, 3))
    for off in below:
        heights = off @ up
        level, _ = _find_level(heights)
        on_it = off[np.abs(heights - level) <= _LEVEL_BAND * level] / level
        away = on_it - on_it.mean(axis=0) if len(on_it) else np.zeros((0, 3))
        scatter += away.T @ away
    refined = np.linalg.eigh(scatter)[1][:, 0]
    return refined if refined @ up > 0 else -refined


def _find_level(heights: Array) -> tuple[float, float]:
    """The level that most of some heights (P,) lie on, and their share; 0 for none above 0."""
    ranked = np.sort(heights[heights > 0])
    if not len(ranked):
        return 1.0, 0.0
    counts = np.searchsorted(ranked, ranked * (1 + _LEVEL_BAND), "right") - np.searchsorted(
        ranked, ranked * (1 - _LEVEL_BAND)
    )
    best = int(counts.argmax())
    return float(ranked[best]), float(counts[best]) / len(heights)


def _keep_level(model: pycolmap.Reconstruction, floor: FloorPlane) -> FloorPlane | None:
    """The floor without the points off its level: what else the masks called floor. None for too few."""
    away: dict[int, list[float]] = {}
    for frame, points in floor.seen.items():
        center = model.image(frame).projection_center()
        near = floor.near(frame)
        level, share = _find_level((center - near) @ floor.up)
        if share < _LEAST_LEVEL:
            continue
        own = floor.points[np.searchsorted(floor.ids, points)]
        for point, height in zip(points, ((center - own) @ floor.up / level).tolist(), strict=True):
            away.setdefault(point, []).append(abs(height - 1.0))
    off_by = np.array([median(away[point]) if point in away else np.nan for point in floor.ids.tolist()])
    is_level = off_by <= _FLOOR_BAND
    if is_level.sum() < _LEAST_FLOOR:
        return None
    kept = set(floor.ids[is_level].tolist())
    seen = {frame: [point for point in points if point in kept] for frame, points in floor.seen.items()}
    return FloorPlane(floor.up, floor.ids[is_level], floor.points[is_level], seen, floor.ids[off_by > _FLOOR_BAND])
