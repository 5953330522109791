"""How well the points across each place of a walk hold the scale of its two sides together.

A point seen from both sides ties their scales only as far as each side alone can tell its depth. Fifty points that one
side sees without parallax hold rotation and direction but no scale: on an office walk the seven frames behind such a
place came out four times too large, at 0.7 px.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import pycolmap
from numpy.typing import NDArray

from recon.audit.verdict import LEAST_FRAMES, Verdict, count_across, cut_at
from recon.colmap.observations import Sightings, sightings
from recon.geometry import Array
from recon.numerals import percent
from recon.ranges import NotNegative, Positive, Share


@dataclass(frozen=True, kw_only=True)
class ScaleHoldOptions:
    """When the scale of one side against the other is called unknown."""

    most_pixel_sigma: Positive = 1.0
    """Noise of an observation in pixels where the model's residuals are no smaller: wrong matches and blur."""
    least_pixel_sigma: Positive = 0.3
    """And where they are tiny. In between it is twice the model's mean reprojection error."""
    point_sigma: Positive = 0.02
    """No point is believed better than this (relative), so that one wrong track cannot hold a side alone."""
    max_drift: NotNegative = 0.02
    """Standard deviation of the relative scale times the extent of the smaller side, over the scene's depth. Sound
    walks have up to 0.015, one of an office 0.027 at a scale known to 2 %; one filmed with an open shutter whose scale
    halved in a turn had 0.027 too, because what has shrunk looks as if it mattered less."""
    shrunk: Share = 0.0
    """Of the scene's depth: a side of eight frames and more that sees its surroundings nearer than that is judged by
    its own depth, for nothing is so near for long. Set where models are cut before they are joined: twelve frames
    behind a turn had come out 300 times too small, as if the camera stood there. Such sides of wrong walks had 0 to
    0.07, the smallest of right ones 0.6."""
    min_sigma: NotNegative = 0.0
    """Standard deviation of the log scale below which it counts as known, however much lies beyond."""


def scale_sigmas(model: pycolmap.Reconstruction, options: ScaleHoldOptions = ScaleHoldOptions()) -> Array:
    """Standard deviation of the log scale between the two sides of each step, (F - 1,); inf where nothing holds it.

    Linearised: a side that sees a point along unit rays u knows its log depth with information
    sum(1 - (u . mean direction)^2) * (focal / noise in px)^2. The first and last step are held by nothing: one frame
    has no scale.
    """
    return _sigmas(model, sightings(model), options)


def _sigmas(model: pycolmap.Reconstruction, seen: Sightings, options: ScaleHoldOptions) -> Array:
    frames = seen.frames
    if len(frames) < 2:
        return np.zeros(0)
    focal_px = float(next(iter(model.cameras.values())).mean_focal_length())
    noise_px = 2.0 * float(model.compute_mean_reprojection_error())
    noise_px = float(np.clip(noise_px, options.least_pixel_sigma, options.most_pixel_sigma))
    views = np.bincount(seen.point_rows, minlength=len(seen.points))
    is_seen_enough = views[seen.point_rows] >= _LEAST_VIEWS
    held = np.zeros(len(frames) - 1)
    if is_seen_enough.any():
        places, rows = seen.frame_rows[is_seen_enough], seen.point_rows[is_seen_enough]
        rays = seen.xyz[rows] - _centers(model, frames)[places]
        ends = np.cumsum(views[views >= _LEAST_VIEWS])
        held = _hold_across(len(frames), places, rays, ends, focal_px / noise_px, options)
    return np.divide(1.0, np.sqrt(np.maximum(held, 0.0)), out=np.full(len(held), np.inf), where=held > _NOTHING)


_LEAST_VIEWS = 4  # two on each side
_NOTHING = 1.0  # below it the scale is open by more than a factor e, and what is left is rounding


def _hold_across(
    frames: int,
    places: NDArray[np.int64],
    rays: Array,
    ends: NDArray[np.int64],
    sharpness: float,
    options: ScaleHoldOptions,
) -> Array:
    """(F - 1,) What the points seen from both sides of a step know of its log scale: inverse variances.

    `sharpness` is the inverse of a ray's noise in radians.
    """
    unit = rays / np.maximum(np.linalg.norm(rays, axis=1, keepdims=True), 1e-12)
    starts = np.concatenate([[0], ends[:-1]])
    lengths = ends - starts
    point = np.repeat(np.arange(len(ends)), lengths)
    until = np.cumsum(unit[:, :, None] * unit[:, None, :], axis=0)
    before = np.where((starts > 0)[:, None, None], until[starts - 1], 0.0)
    left = until - before[point]
    right = until[ends - 1][point] - until
    seen = np.arange(len(places)) - starts[point] + 1
    inner = np.flatnonzero((seen >= 2) & (seen <= lengths[point] - 2))
    per_ray = sharpness**2
    known_left = (seen[inner] - np.linalg.eigvalsh(left[inner])[:, 2]) * per_ray
    known_right = (lengths[point[inner]] - seen[inner] - np.linalg.eigvalsh(right[inner])[:, 2]) * per_ray
    variance = 1.0 / np.maximum(known_left, 1e-9) + 1.0 / np.maximum(known_right, 1e-9) + options.point_sigma**2
    return count_across(frames, places[inner], places[inner + 1], 1.0 / variance)


def find_weak_scale(
    model: pycolmap.Reconstruction, options: ScaleHoldOptions = ScaleHoldOptions(), cuts: Sequence[tuple[int, int]] = ()
) -> tuple[Verdict, ...]:
    """Places whose two sides may differ so much in scale that the smaller one lies elsewhere, in time order.

    A side that stands still has no scale and needs none, so it is judged by how far it would be moved.

    Args:
        model: Any.
        options: When too little.
        cuts: Places where it is cut anyway: a side ends there. One wrong frame at the end of a walk, flung far away,
            made all before it seem to matter.
    """
    seen = sightings(model)
    frames = seen.frames.tolist()
    sigmas = _sigmas(model, seen, options)
    depths = _median_depths(model, seen)
    if not len(sigmas) or np.isnan(depths).all() or (depth := float(np.nanmedian(depths))) <= 0:
        return ()
    centers = _centers(model, seen.frames)

    def measure_extent(side: slice) -> float:
        """Of a side, over the depth that it is judged by."""
        extent = float(np.linalg.norm(np.ptp(centers[side], axis=0)))
        if options.shrunk > 0.0 and side.stop - side.start >= LEAST_FRAMES and np.isfinite(depths[side]).any():
            own = float(np.nanmedian(depths[side]))
            if 0.0 < own < options.shrunk * depth:
                return extent / own
        return extent / depth

    ends = list(accumulate(map(len, cut_at(frames, cuts)), initial=0))
    weak = []
    for place, sigma in enumerate(sigmas):
        begin, end = ends[bisect_right(ends, place) - 1], ends[bisect_right(ends, place)]
        if place + 1 == end:
            continue  # cut, whatever holds there
        extent = min(measure_extent(slice(begin, place + 1)), measure_extent(slice(place + 1, end)))
        drift = min(float(sigma), 1.0) * extent
        if sigma >= options.min_sigma and drift > options.max_drift:
            reason = "the scale after it, relative to that before, is unknown"
            if sigma < 1.0:
                reason = f"the scale after it, relative to that before, is known to {percent(float(sigma))} only"
            at = frames[place], frames[place + 1]
            weak.append(Verdict(False, "open scale", drift, options.max_drift, at, reason, float(sigma)))
    return tuple(weak)


def _centers(model: pycolmap.Reconstruction, frames: NDArray[np.int64]) -> Array:
    """(F, 3) of the cameras."""
    return np.array([model.image(frame).projection_center() for frame in frames.tolist()])


def _median_depths(model: pycolmap.Reconstruction, seen: Sightings) -> Array:
    """(F,) Median depth of the points that each frame sees; nan where it sees none."""
    axes = np.array([model.image(frame).viewing_direction() for frame in seen.frames.tolist()])
    offs = seen.xyz[seen.point_rows] - _centers(model, seen.frames)[seen.frame_rows]
    depths = np.einsum("sd,sd->s", offs, axes[seen.frame_rows])
    order = np.argsort(seen.frame_rows, kind="stable")
    ends = np.cumsum(np.bincount(seen.frame_rows, minlength=len(seen.frames)))
    return np.array([np.median(part) if len(part) else np.nan for part in np.split(depths[order], ends[:-1])])
