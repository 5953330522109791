"""What the tracks of a reconstruction tell: which points can be trusted, depth between them, and pixels of a thing."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import LinearNDInterpolator
from scipy.spatial import QhullError

from instructions.records import Box, SceneObject
from recon.geometry import Array
from recon.records import SceneModel

_LEAST_INSIDE = 0.6
"""Share of the frames that name a thing and see a point of it, in which the point lies in its box: others are of what
stands behind it or beside it, for boxes in the world hold those too."""


def triangulation_angles_deg(model: SceneModel) -> NDArray[np.float64]:
    """Per point, the widest angle a viewing ray makes with the mean viewing ray, doubled: (P,), 0 for unseen points.

    This is a lower bound of the largest angle between two rays up to a factor close to 1, and linear in observations.
    """
    tracks = model.tracks
    frames = np.array(model.frames, dtype=np.int64)
    known = np.isin(tracks.obs_frame, frames)
    point = tracks.obs_point[known]
    order = np.argsort(frames)
    row = order[np.searchsorted(frames[order], tracks.obs_frame[known])] if len(point) else point
    rays = tracks.xyz[point] - model.centers[row] if len(point) else np.zeros((0, 3))
    rays = rays / np.maximum(np.linalg.norm(rays, axis=1, keepdims=True), 1e-12)
    mean = np.zeros((len(tracks.xyz), 3))
    np.add.at(mean, point, rays)
    mean = mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-12)
    cosine = np.ones(len(tracks.xyz))
    np.minimum.at(cosine, point, np.einsum("ij,ij->i", rays, mean[point]))
    return 2.0 * np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


def reliable_points(
    model: SceneModel, max_error_px: float, min_track_length: int, min_angle_deg: float
) -> NDArray[np.bool_]:
    """Points with a small reprojection error, enough observations and enough parallax: (P,)."""
    tracks = model.tracks
    length = np.bincount(tracks.obs_point, minlength=len(tracks.xyz))
    return (
        (tracks.error_px <= max_error_px)
        & (length >= min_track_length)
        & (triangulation_angles_deg(model) >= min_angle_deg)
        & np.isfinite(tracks.xyz).all(axis=1)
    )


class TrackDepth:
    """Inverse depth, linear over the Delaunay triangles of the tracks of one frame.

    Inverse depth is the quantity that is linear in the image over a plane, so walls and floors come out exact.
    """

    def __init__(self, pixels: ArrayLike, depths: ArrayLike) -> None:
        """Take track pixels (N, 2) and their depths along the optical axis (N,); those not in front are left out."""
        pixels = np.asarray(pixels, dtype=np.float64).reshape(-1, 2)
        depths = np.asarray(depths, dtype=np.float64).reshape(-1)
        if len(pixels) != len(depths):
            raise ValueError(f"TrackDepth: {len(pixels)} pixels but {len(depths)} depths")
        ahead = np.isfinite(depths) & (depths > 1e-9) & np.isfinite(pixels).all(axis=1)
        self._inverse: LinearNDInterpolator | None = None
        if ahead.sum() >= 3:
            try:
                self._inverse = LinearNDInterpolator(pixels[ahead], 1.0 / depths[ahead])
            except QhullError:  # all tracks on one line: they span no area, so no depth between them is known
                self._inverse = None

    def at(self, pixels: ArrayLike) -> Array:
        """Depth at pixels (..., 2), same leading shape; NaN outside the hull."""
        pixels = np.asarray(pixels, dtype=np.float64)
        if self._inverse is None:
            return np.full(pixels.shape[:-1], np.nan)
        return 1.0 / np.asarray(self._inverse(pixels))

    def grid(self, width: int, height: int, step_px: int = 1) -> NDArray[np.float32]:
        """Depth at the centres of every `step_px`-th pixel, (ceil(height / step), ceil(width / step))."""
        x, y = np.meshgrid(np.arange(0, width, step_px) + 0.5, np.arange(0, height, step_px) + 0.5)
        return self.at(np.stack([x, y], axis=-1)).astype(np.float32)


def track_depth(model: SceneModel, frame: int) -> TrackDepth:
    """The interpolator of one registered frame, from the tracks it observed."""
    _, pixels, depths = model.observe(frame)
    return TrackDepth(pixels, depths)


def find_tracked_pixels(model: SceneModel, thing: SceneObject, frame: int, boxes: Mapping[int, Box]) -> Array:
    """Pixels (N, 2) at which a frame observes points of a thing that lie in its boxes where frames name it.

    Args:
        model: With the tracks that the rows of `thing.points` belong to.
        thing: Of this model.
        frame: Of this model.
        boxes: Where frames name the thing, in pixels, by frame.
    """
    tracks = model.tracks
    rows = tracks.rows_of_frame(frame)
    points = tracks.obs_point[rows]
    wanted = np.intersect1d(points, np.array(thing.points, dtype=np.int64))
    named, inside = np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.int64)
    for other, box in boxes.items() if len(wanted) else ():
        there = tracks.rows_of_frame(other)
        _, row, number = np.intersect1d(tracks.obs_point[there], wanted, return_indices=True)
        named[number] += 1
        inside[number] += is_inside(tracks.obs_xy[there][row], box)
    sure = wanted[(named > 0) & (inside >= _LEAST_INSIDE * named)]
    return tracks.obs_xy[rows][np.isin(points, sure)]


def is_inside(pixels: Array, box: Box) -> NDArray[np.bool_]:
    """Which pixels (n, 2) lie in a box, its edges included, (n,)."""
    return np.all((pixels >= box[:2]) & (pixels <= box[2:]), axis=1)
