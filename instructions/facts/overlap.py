"""How two boxes of a picture overlap."""

from __future__ import annotations

from instructions.records import Box


def box_iou(one: Box, other: Box) -> float:
    """Area shared over area covered, 0 to 1."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / ((one[2] - one[0]) * (one[3] - one[1]) + (other[2] - other[0]) * (other[3] - other[1]) - shared)


def span_overlap(one: Box, other: Box, axis: int) -> float:
    """Share of the shorter span that two boxes share along x (axis 0) or y (axis 1), 0 to 1."""
    shared = min(one[axis + 2], other[axis + 2]) - max(one[axis], other[axis])
    return max(shared, 0.0) / max(min(one[axis + 2] - one[axis], other[axis + 2] - other[axis]), 1e-9)
