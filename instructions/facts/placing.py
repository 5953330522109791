"""Where a box or mask is in its frame: side, ranges, depths, and directions on the floor plan.

Sides and ranges are by the rules of RoomTour3D (CVPR 2025). Side: by the x of the box center; leftmost 30 % of the
image, middle 40 %, rightmost 30 %. Range: the nearest 30 % of the frame's depths, the next 40 %, the furthest 30 %; an
object is in every range that holds more than 30 % of it. Values exactly on a border of the image belong to the middle,
depths exactly on a border to the nearer range. A picture shows where a thing is seen and where not; a box in the world
holds all that was ever joined into a thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from instructions.records import Box, DepthStats, Range, Side
from recon.conventions import wrap_deg
from recon.geometry import Camera, Pose

SIDES: tuple[Side, ...] = ("left", "middle", "right")
RANGES: tuple[Range, ...] = ("near", "closer", "further")
NEAR_SHARE, MIDDLE_SHARE = 0.30, 0.40
OVERLAP_SHARE = 0.30


def side_of_box(box_xyxy: Sequence[float], width: float) -> Side:
    """Side of the image that the centre of a box lies on."""
    at = 0.5 * (box_xyxy[0] + box_xyxy[2]) / width
    if at < NEAR_SHARE:
        return "left"
    return "right" if at > NEAR_SHARE + MIDDLE_SHARE else "middle"


def range_limits(depths: ArrayLike) -> tuple[float, float] | None:
    """Depths that end the near and the closer range of a frame; NaN is left out, None if nothing is known."""
    known = np.asarray(depths, dtype=np.float64)
    known = known[np.isfinite(known)]
    if len(known) == 0:
        return None
    near, closer = np.quantile(known, [NEAR_SHARE, NEAR_SHARE + MIDDLE_SHARE])
    return float(near), float(closer)


def ranges_of(depths: ArrayLike, limits: tuple[float, float] | None) -> tuple[Range, ...]:
    """Ranges that hold more than 30 % of an object by its depths in a frame (NaN is left out) and the `range_limits` of
    that frame, nearest first; none if no depth is known.
    """
    known = np.asarray(depths, dtype=np.float64)
    known = known[np.isfinite(known)]
    if len(known) == 0 or limits is None:
        return ()
    counts = np.bincount(np.searchsorted(limits, known, side="left"), minlength=3)
    return tuple(name for name, count in zip(RANGES, counts, strict=True) if count / len(known) > OVERLAP_SHARE)


@dataclass(frozen=True, eq=False)
class DepthMap:
    """Depth of one frame, larger is further.

    `depth[i, j]` is the depth at pixel (j * step_px + 0.5, i * step_px + 0.5); NaN where unknown.
    """

    depth: NDArray[np.float32]  # (h, w)
    step_px: int
    is_length: bool = True
    """False: only the order is meaningful (relative depth without a scale)."""

    def inside(self, box_xyxy: Box, mask: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Which samples lie in a box, or in a mask (height, width) of the whole frame: (h, w).

        A box smaller than the grid gets the sample nearest to its centre, so that small things have a depth too.
        """
        rows, columns = self.depth.shape
        if mask is not None:
            picked = mask[:: self.step_px, :: self.step_px][:rows, :columns]
            if picked.any():
                return picked
        x = np.arange(columns) * self.step_px + 0.5
        y = np.arange(rows) * self.step_px + 0.5
        x0, y0, x1, y1 = box_xyxy
        inside = ((y >= y0) & (y <= y1))[:, None] & ((x >= x0) & (x <= x1))[None, :]
        if not inside.any():
            row = int(np.argmin(np.abs(y - (y0 + y1) / 2)))
            column = int(np.argmin(np.abs(x - (x0 + x1) / 2)))
            inside[row, column] = True
        return inside


@dataclass(frozen=True)
class Place:
    """Where a thing is in a frame."""

    sides: tuple[Side, ...]
    ranges: tuple[Range, ...]
    depth_stats: DepthStats | None


class FramePlaces:
    """Places things in one frame; what is near and far is decided once for the frame."""

    def __init__(self, width: int, depth: DepthMap | None) -> None:
        """Take the frame's width in pixels and its depth; without depth only sides are known."""
        self._width = width
        self._depth = depth
        self._limits = range_limits(depth.depth) if depth is not None else None

    def place(self, box_xyxy: Box, mask: NDArray[np.bool_] | None = None) -> Place:
        """Side by the centre of the box; ranges by the depths of the mask's pixels, of the box's without a mask."""
        sides = (side_of_box(box_xyxy, self._width),)
        if self._depth is None:
            return Place(sides, (), None)
        depths = self._depth.depth[self._depth.inside(box_xyxy, mask)]
        return Place(sides, ranges_of(depths, self._limits), depth_stats(depths) if self._depth.is_length else None)


def depth_stats(depths: NDArray[np.float32]) -> DepthStats | None:
    """Statistics over the depths of one thing; None if none is known."""
    known = depths[np.isfinite(depths)]
    if not len(known):
        return None
    near, median, far = (float(value) for value in np.percentile(known, [10, 50, 90]))
    return DepthStats(near, median, far, float(len(known) / depths.size))


@dataclass(frozen=True)
class ShownSpan:
    """Directions on the floor plan between which one frame shows a thing, in degrees of the world (x axis 0)."""

    left_deg: float
    right_deg: float
    """To the right of `left_deg` by less than a half turn."""

    @property
    def width_deg(self) -> float:
        """Between the two."""
        return float((self.left_deg - self.right_deg) % 360.0)

    def measure_turn_deg(self, heading_deg: float) -> float:
        """How far one turns from a heading to face the middle of the span, left positive."""
        return float(wrap_deg(self.right_deg + self.width_deg / 2.0 - heading_deg))

    def measure_off_deg(self, direction_deg: float) -> float:
        """How far a direction misses the span, 0 inside it."""
        return max(0.0, abs(self.measure_turn_deg(direction_deg)) - self.width_deg / 2.0)


def measure_shown_span(box_xyxy: Box, camera: Camera, world_from_cam: Pose) -> ShownSpan:
    """Directions in a z-up world of the left and right side of a box (pixels) in a picture, at half its height."""
    x0, y0, x1, y1 = box_xyxy
    middle = (y0 + y1) / 2.0
    rays = camera.rays([(x0, middle), (x1, middle)]) @ np.asarray(world_from_cam.rotation).T
    left, right = np.degrees(np.arctan2(rays[:, 1], rays[:, 0])).tolist()
    return ShownSpan(left, right)
