"""How two boxes of a picture overlap."""

from __future__ import annotations

from instructions.records import Box


def box_iou(one: Box, other: Box) -> float:
    """Intersection over union of two boxes, 0 to 1; 0 for boxes without area."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / ((one[2] - one[0]) * (one[3] - one[1]) + (other[2] - other[0]) * (other[3] - other[1]) - shared)


def measure_inside(a: Box, b: Box) -> float:
    """Share of box a that lies in box b; 0 for a box without area."""
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    area = (a[2] - a[0]) * (a[3] - a[1])
    return width * height / area if width > 0 and height > 0 and area > 0 else 0.0


def measure_contained_share(a: Box, b: Box) -> float:
    """Share of the smaller of two boxes that lies in the other one."""
    return max(measure_inside(a, b), measure_inside(b, a))


def measure_span_overlap(one: Box, other: Box, axis: int) -> float:
    """Share of the shorter span that two boxes share along x (axis 0) or y (axis 1), 0 to 1."""
    shared = min(one[axis + 2], other[axis + 2]) - max(one[axis], other[axis])
    return max(shared, 0.0) / max(min(one[axis + 2] - one[axis], other[axis + 2] - other[axis]), 1e-9)
