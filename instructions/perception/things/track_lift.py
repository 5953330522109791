"""Detections into the world without a depth network: by the points of the reconstruction that a frame sees in a box."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from instructions.facts.tracks import is_inside, reliable_points
from instructions.perception.frames.segments import SegmentMap, classes_of_kind
from instructions.perception.models.light.labels import ade_words, head_of, words
from instructions.perception.things.lift import Lifted, inner_box
from instructions.records import Box, Detection
from recon.geometry import Array
from recon.records import SceneModel

_REACH_FRAMES = 2
"""Points that so many frames before and after observed are taken as seen too: a track lives for a few frames."""
_MAX_ERROR_PX = 2.0
"""Points with a larger mean reprojection error are wrong matches more often than not."""
_LEAST_TRACK_LENGTH = 3
"""Two views always agree."""
_LEAST_ANGLE_DEG = 1.5
"""With less parallax the depth of a point is a guess."""
_LAYER = 0.12
"""Points are one layer if their depths join in steps of at most this share; then begins what stands behind."""
_FRONT_SHARE = 0.25
"""The thing is the nearest layer that holds this share of the points in its box; less is what stands before it."""
_LEAST_POINTS = 5
"""With fewer points the depth of a detection is a guess."""
_GRID = 8
"""Box or segment are filled up by so many samples each way, each as deep as the points next to it."""
_INNER_SHARE = 0.8
"""Without a segment this part of the box's width and height is the thing."""


@dataclass(frozen=True, eq=False)
class FramePoints:
    """Points that one frame sees."""

    frame: int
    xyz: Array  # (n, 3)
    pixels: Array  # (n, 2)
    depths: Array  # (n,)


class TrackLifter:
    """Lifts the detections of one model."""

    def __init__(self, model: SceneModel) -> None:
        """Take the model; its unreliable points are left out once and for all."""
        self._model = model
        self._reliable = reliable_points(model, _MAX_ERROR_PX, _LEAST_TRACK_LENGTH, _LEAST_ANGLE_DEG)
        self._place = {frame: number for number, frame in enumerate(model.frames)}
        self._last: FramePoints | None = None

    def lift(self, row: int, detection: Detection, segments: SegmentMap | None) -> Lifted | None:
        """Points of one detection in the world; None if too few points of the reconstruction lie in it.

        Args:
            row: Its place in the list of detections.
            detection: Of a frame of the model; detections of one frame should come after each other.
            segments: Of that frame, if known.
        """
        camera = self._model.camera
        seen = self._points_of(detection.frame)
        kind = head_of(detection.label)
        own = classes_of_kind(kind, ade_words())
        chosen, is_own = _choose(seen.pixels, detection.box_xyxy, segments, own)
        front = chosen[_front_layer(seen.depths[chosen])]
        if len(front) < _LEAST_POINTS:
            return None
        samples = _samples(detection.box_xyxy, segments, own if is_own else None)
        depths = _spread(seen.pixels[front], seen.depths[front], samples)
        pose = self._model.world_from_cam[detection.frame]
        filled = pose @ (camera.rays(samples) * depths[:, None]) if len(samples) else np.zeros((0, 3))
        points = np.concatenate([seen.xyz[front], filled])
        return Lifted(row, detection.frame, kind, detection.score, points, float(np.median(seen.depths[front])))

    def _points_of(self, frame: int) -> FramePoints:
        """Points that the frame or those next to it observed, as far as it has them in its picture."""
        if self._last is not None and self._last.frame == frame:
            return self._last
        model, tracks, reach = self._model, self._model.tracks, _REACH_FRAMES
        place = self._place[frame]
        near = model.frames[max(0, place - reach) : place + reach + 1]
        rows = np.unique(np.concatenate([tracks.obs_point[tracks.rows_of_frame(one)] for one in near]))
        rows = rows[self._reliable[rows]]
        cam = model.world_from_cam[frame].inverse() @ tracks.xyz[rows]
        pixels = model.camera.project(cam)
        inside = model.camera.is_inside(pixels)
        self._last = FramePoints(frame, tracks.xyz[rows][inside], pixels[inside], cam[inside, 2])
        return self._last


def _choose(
    pixels: Array, box_xyxy: Box, segments: SegmentMap | None, own: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], bool]:
    """Rows of points that may be the thing, and whether a segment of its word says so.

    Those in the box that the segmenter gives the same word; where there are too few, those that are neither wall, floor
    nor ceiling in the inner part of the box.
    """
    rows = np.flatnonzero(is_inside(pixels, box_xyxy))
    classes = segments.at(pixels[rows]) if segments is not None else np.zeros(len(rows), dtype=np.uint8)
    same = rows[own[classes]] if segments is not None else rows[:0]
    if len(same) >= _LEAST_POINTS:
        return same, True
    inner = is_inside(pixels[rows], inner_box(box_xyxy, _INNER_SHARE))
    return rows[inner & ~_find_surfaces()[classes]], False


@cache
def _find_surfaces() -> NDArray[np.bool_]:
    """Which class ids of the coarse segmenter are walls, floors and ceilings, (256,)."""
    return np.any(
        [classes_of_kind(word.name, ade_words()) for word in words().values() if word.role == "surface"], axis=0
    )


def _front_layer(depths: Array) -> NDArray[np.int64]:
    """Rows of the nearest layer that is big enough; none for no depths."""
    if not len(depths):
        return np.zeros(0, dtype=np.int64)
    order = np.argsort(depths, kind="stable")
    breaks = np.flatnonzero(np.diff(np.log(depths[order])) > _LAYER) + 1
    layers = np.split(order, breaks)
    needed = max(_LEAST_POINTS, _FRONT_SHARE * len(depths))
    return next((layer for layer in layers if len(layer) >= needed), max(layers, key=len))


def _samples(box_xyxy: Box, segments: SegmentMap | None, own: NDArray[np.bool_] | None) -> Array:
    """Pixels (n, 2) evenly over the thing: over its segment in the box, else over the inner part of the box."""
    x0, y0, x1, y1 = box_xyxy if own is not None else inner_box(box_xyxy, _INNER_SHARE)
    steps = (np.arange(_GRID) + 0.5) / _GRID
    x, y = np.meshgrid(x0 + steps * (x1 - x0), y0 + steps * (y1 - y0))
    pixels = np.column_stack([x.ravel(), y.ravel()])
    if segments is None:
        return pixels
    classes = segments.at(pixels)
    return pixels[own[classes]] if own is not None else pixels[~_find_surfaces()[classes]]


def _spread(pixels: Array, depths: Array, samples: Array) -> Array:
    """Depth at samples (n,) as of the three nearest points, the nearer ones counting more."""
    apart = np.linalg.norm(samples[:, None] - pixels[None], axis=2)
    nearest = np.argsort(apart, axis=1, kind="stable")[:, :3]
    weight = 1.0 / (np.take_along_axis(apart, nearest, axis=1) + 1.0)
    return 1.0 / ((weight / depths[nearest]).sum(axis=1) / weight.sum(axis=1))
