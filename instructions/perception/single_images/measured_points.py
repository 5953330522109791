"""Measured depth of the pictures of a walk as points of its model: what several pictures agree on is a surface."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import RgbImage
from instructions.perception.single_images.surfaces import find_smooth_places
from recon.geometry import Array, sample_depth
from recon.records import SceneModel, Tracks

_SPACING_M = 0.2
"""(Nominal) metres between points: marks and things need no more, and an apartment has ten thousand of them."""
_SAME_DEPTH = 0.05
"""Relative difference of depth up to which another picture shows the same surface; sensors and poses are off by 2 %."""
_LEAST_PICTURES = 4
"""That agree on a point: as many as a wrong match seldom has (`questions.marks.spots`)."""


def measure_points(model: SceneModel, step_px: int, picture_of: Callable[[int], RgbImage | None]) -> Tracks:
    """Points on the surfaces that the measured depth of a model shows, numbered by themselves.

    The error of a point is how far apart its pictures put it, in pixels of the one that it is of.

    Args:
        model: With measured depth.
        step_px: Pixels between the samples of depth.
        picture_of: The picture of a frame, for colors.
    """
    home, home_xy, xyz = _find_places(model, step_px)
    camera = model.camera
    rotations = np.array([model.world_from_cam[int(frame)].rotation for frame in home])
    centers = np.array([model.world_from_cam[int(frame)].center for frame in home])
    point: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    frame_of: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    xy: list[Array] = [np.zeros((0, 2))]
    seen: list[Array] = [np.zeros((0, 3))]
    squared: list[Array] = [np.zeros(0)]
    for frame, depth in model.measured_depth.items():
        pose = model.world_from_cam[frame]
        local = pose.inverse() @ xyz
        pixels = camera.project(np.where(local[:, 2:] > 0, local, [0.0, 0.0, 1.0]))
        inside = (local[:, 2] > 0) & np.all(
            (pixels >= 0) & (pixels < [model.camera.width, model.camera.height]), axis=1
        )
        rows = np.flatnonzero(inside)
        depths = sample_depth(depth, pixels[rows], step_px)
        same = np.abs(depths / local[rows, 2] - 1.0) <= _SAME_DEPTH
        rows, depths = rows[same], depths[same]
        places = pose @ (camera.rays(pixels[rows]) * depths[:, None])
        back = np.einsum("nji,nj->ni", rotations[rows], places - centers[rows])
        point.append(rows)
        frame_of.append(np.full(len(rows), frame))
        xy.append(pixels[rows])
        seen.append(places)
        squared.append(((camera.project(back) - home_xy[rows]) ** 2).sum(axis=1))
    points, places = np.concatenate(point), np.concatenate(seen)
    count = np.bincount(points, minlength=len(xyz))
    kept = np.flatnonzero(count >= _LEAST_PICTURES)
    number = np.full(len(xyz), -1)
    number[kept] = np.arange(len(kept))
    mean = np.stack([np.bincount(points, axis, len(xyz)) for axis in places.T], axis=1)[kept] / count[kept, None]
    others = np.sqrt(np.bincount(points, np.concatenate(squared), len(xyz))[kept] / (count[kept] - 1))
    new = number[points] >= 0
    obs_point, obs_frame = number[points[new]], np.concatenate(frame_of)[new]
    order = np.lexsort((obs_point, obs_frame))
    colors = _find_colors(home[kept], home_xy[kept], picture_of)
    return Tracks(mean, colors, others, obs_point[order], obs_frame[order], np.concatenate(xy)[new][order])


def add_points(model: SceneModel, points: Tracks) -> SceneModel:
    """The model with further points behind its own."""
    own = model.tracks
    obs_point = np.concatenate([own.obs_point, points.obs_point + len(own.xyz)])
    obs_frame = np.concatenate([own.obs_frame, points.obs_frame])
    order = np.lexsort((obs_point, obs_frame))
    tracks = Tracks(
        np.concatenate([own.xyz, points.xyz]),
        np.concatenate([own.rgb, points.rgb]),
        np.concatenate([own.error_px, points.error_px]),
        obs_point[order],
        obs_frame[order],
        np.concatenate([own.obs_xy, points.obs_xy])[order],
    )
    return replace(model, tracks=tracks)


def _find_places(model: SceneModel, step_px: int) -> tuple[NDArray[np.int64], Array, Array]:
    """Frame (N,), pixel (N, 2) and place (N, 3) of points on smooth surfaces, one in each cell of the spacing."""
    cell = _SPACING_M * model.nominal_metre
    taken: set[tuple[int, ...]] = set()
    frames: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    pixels: list[Array] = [np.zeros((0, 2))]
    places: list[Array] = [np.zeros((0, 3))]
    for frame, depth in model.measured_depth.items():
        spots = np.floor(find_smooth_places(depth)).astype(np.int64)
        xy: Array = spots * step_px + np.float64(0.5)
        depths = depth[spots[:, 1], spots[:, 0], None].astype(np.float64)
        xyz: Array = model.world_from_cam[frame] @ (model.camera.rays(xy) * depths)
        keys = list(map(tuple, np.floor(xyz / cell).astype(np.int64).tolist()))
        first = {key: row for row, key in reversed(list(enumerate(keys))) if key not in taken}
        taken |= first.keys()
        rows = sorted(first.values())
        frames.append(np.full(len(rows), frame))
        pixels.append(xy[rows])
        places.append(xyz[rows])
    return np.concatenate(frames), np.concatenate(pixels), np.concatenate(places)


def _find_colors(
    frames: NDArray[np.int64], pixels: Array, picture_of: Callable[[int], RgbImage | None]
) -> NDArray[np.uint8]:
    """Colors (N, 3) of pixels of frames; gray where a picture is gone."""
    colors = np.full((len(frames), 3), 128, np.uint8)
    for frame in np.unique(frames):
        own, picture = frames == frame, picture_of(int(frame))
        if picture is not None:
            columns, rows = np.floor(pixels[own]).astype(np.int64).T
            colors[own] = picture[rows, columns]
    return colors
