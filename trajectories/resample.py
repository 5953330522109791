"""Views of a walk at even distances: a walker stands and looks a good part of the time, and a loader wants steps."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from recon.conventions import wrap_deg
from trajectories.records import TrajectoryPoint


def resample_by_distance(
    points: Sequence[TrajectoryPoint], step: float, *, turn_deg: float | None = None, keep: Collection[int] = ()
) -> tuple[TrajectoryPoint, ...]:
    """Thin a walk to views at least `step` apart on the floor.

    Views are frames, never made up between them, so that each has its picture.

    Args:
        points: The walk in time order.
        step: Distance on the floor to the view before, in the unit of the positions.
        turn_deg: A view whose heading differs this much from the view before is taken too, so that turns on the spot
            are seen; None takes none for turning alone.
        keep: Frames that are taken in any case, as are the first and the last.

    Returns:
        The chosen points in time order. Empty for no points.
    """
    chosen: list[TrajectoryPoint] = []
    for row, point in enumerate(points):
        if not chosen or row == len(points) - 1 or point.frame in keep:
            chosen.append(point)
            continue
        turned = abs(wrap_deg(point.heading_deg - chosen[-1].heading_deg))
        if floor_distance(chosen[-1], point) >= step or (turn_deg is not None and turned >= turn_deg):
            chosen.append(point)
    return tuple(chosen)


def floor_distance(a: TrajectoryPoint, b: TrajectoryPoint) -> float:
    """Distance on the floor in the unit of the positions."""
    return float(np.hypot(a.position[0] - b.position[0], a.position[1] - b.position[1]))
