"""Where a box or mask is in its frame: side, ranges and depths, by the rules of RoomTour3D (`spatial_text`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from instructions.facts.sides import range_limits, ranges_of, side_of_box
from instructions.records import Box, DepthStats, Range, Side


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
