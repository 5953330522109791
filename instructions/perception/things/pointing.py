"""Where to point at a thing in a picture in which its box shows only a part of it, or something else too.

One pixel is enough for that, if it surely lies on the thing: well inside of what segmenters give its name and depth
puts where the thing is, away from the boxes of others. What stands before the thing has another depth.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.facts.bodies import Body
from instructions.facts.overlap import box_iou
from instructions.facts.placing import DepthMap
from instructions.facts.things import box_sigma
from instructions.facts.tracks import is_inside
from instructions.perception.boxes import find_inside
from instructions.perception.frames.segments import classes_of_kind
from instructions.perception.models.light.labels import head_of
from instructions.perception.things.clues import SegmentsOf
from instructions.perception.things.lift import inner_box
from instructions.records import Box, Detection, Observation, SceneObject
from instructions.view import measure_area
from recon.geometry import Array
from recon.records import SceneModel

Pixel = tuple[float, float]
"""x, y in pixels of a frame, pixel centers at +0.5."""
INNER_SHARE = 0.8
"""Part of the box's width and height in which the pixel lies."""
LEAST_MARGIN = 1.0 / 60.0
"""Of the shorter side of the picture: distance of the pixel from all that may not be the thing."""
DEPTH_SIGMAS = 1.0
"""Standard deviations of the faces of the thing's box by which what the pixel shows may lie outside of it."""
_SAME_IOU = 0.5
"""A detection this alike in place is the same thing."""
_STEP_PX = 4
"""Segments are coarser than pictures."""


class Pointer:
    """Finds such pixels in the frames of one model."""

    def __init__(
        self, model: SceneModel, segments_of: Sequence[SegmentsOf], depth_of: Callable[[int], DepthMap | None]
    ) -> None:
        """Take the model, a function for each segmenter that gives its segments of a frame, and one that gives the
        depth of a frame in the model's unit.
        """
        self._model, self._segments_of, self._depth_of = model, segments_of, depth_of

    def find(
        self, thing: SceneObject, seen: Sequence[Observation], others: Mapping[int, Sequence[Detection]]
    ) -> dict[int, Pixel]:
        """The pixel at which each frame shows a thing most plainly; frames in which none is sure are left out.

        Args:
            thing: Of the model, with the word for what it is as its category.
            seen: What frames show of it; those with a clear box are left out too.
            others: Detections that are not the thing, by frame.
        """
        head = head_of(thing.category or thing.alias)
        boxes = {one.frame: one.box_xyxy for one in seen if not one.is_clear}
        sigma = box_sigma(self._model, Body.of_box(thing.obb), seen, thing.range_sigma)
        margin = LEAST_MARGIN * min(self._model.camera.width, self._model.camera.height)
        out: dict[int, Pixel] = {}
        for frame, box in boxes.items():
            x0, y0, x1, y1 = inner_box(box, INNER_SHARE)
            x, y = np.meshgrid(np.arange(x0, x1, _STEP_PX), np.arange(y0, y1, _STEP_PX))
            pixels = np.column_stack([x.ravel(), y.ravel()])
            is_thing = self._has_kind(head, frame, pixels) & self._is_at(thing, sigma, frame, pixels)
            for other in others.get(frame, ()):
                if _may_cover(other, box, head):
                    is_thing &= ~is_inside(pixels, other.box_xyxy)
            margins = _measure_margins(is_thing.reshape(x.shape)).ravel()
            best = int(np.argmax(margins)) if len(margins) else 0
            if len(margins) and margins[best] >= margin:
                out[frame] = (float(pixels[best, 0]), float(pixels[best, 1]))
        return out

    def _has_kind(self, head: str, frame: int, pixels: Array) -> NDArray[np.bool_]:
        """Which pixels (n, 2) all segmenters that know a kind call so, (n,); none where no segmenter knows it."""
        known = [one for segments_of in self._segments_of if (one := segments_of(frame)) is not None]
        kinds = [(one, classes_of_kind(head, one.vocabulary)) for one in known]
        votes = [is_kind[one.at(pixels)] for one, is_kind in kinds if is_kind.any()]
        return np.all(votes, axis=0) if votes else np.zeros(len(pixels), dtype=bool)

    def _is_at(self, thing: SceneObject, sigma: float, frame: int, pixels: Array) -> NDArray[np.bool_]:
        """Which pixels (n, 2) show what lies where a thing is, (n,)."""
        depth = self._depth_of(frame)
        if depth is None:
            return np.zeros(len(pixels), dtype=bool)
        rows, columns = depth.depth.shape
        column, row = np.round((pixels - 0.5) / depth.step_px).astype(np.int64).T
        depths = depth.depth[np.clip(row, 0, rows - 1), np.clip(column, 0, columns - 1)].astype(np.float64)
        points = self._model.world_from_cam[frame] @ (self._model.camera.rays(pixels) * np.nan_to_num(depths)[:, None])
        return (depths > 0) & find_inside(points, thing.obb, DEPTH_SIGMAS * sigma)


def _measure_margins(is_thing: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Distance in pixels of each sample (h, w) to the nearest that is not the thing, (h, w); all beyond are not."""
    framed = np.pad(is_thing, 1).astype(np.uint8)
    return cv2.distanceTransform(framed, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)[1:-1, 1:-1] * np.float32(_STEP_PX)


def _may_cover(other: Detection, box: Box, head: str) -> bool:
    """Whether a detection of something else may hide a part of what a box shows, or be what is meant there.

    Regions of one class hold the thing itself; what is larger and of another kind the segmenters tell apart.
    """
    if other.is_region or box_iou(other.box_xyxy, box) >= _SAME_IOU:
        return False
    return head_of(other.label) == head or measure_area(other.box_xyxy) < measure_area(box)
