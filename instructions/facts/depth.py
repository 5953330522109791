"""Depth of a frame by interpolating the depths of the tracks it observed. Outside their hull depth stays unknown."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import LinearNDInterpolator
from scipy.spatial import QhullError

from recon.geometry import Array
from recon.records import SceneModel


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
    rows = model.tracks.rows_of_frame(frame)
    depths = model.world_from_cam[frame].depths(model.tracks.xyz[model.tracks.obs_point[rows]])
    return TrackDepth(model.tracks.obs_xy[rows], depths)
