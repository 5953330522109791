"""Views of a walk at even distances, for loaders that want steps, or at even times, for those that learn speeds."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from recon.conventions import wrap_deg
from recon.geometry import Array
from trajectories.records import TrajectoryPoint

_MOST_LATE = 0.75
"""Periods between a view and its beat; two sampled neighbours, each the sharpest of its period, differ by up to two."""


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


def resample_by_time(points: Sequence[TrajectoryPoint], period_s: float) -> tuple[tuple[TrajectoryPoint, ...], ...]:
    """Thin a walk to views at equal times, and cut it where there is none.

    Views are frames, never made up between them. One beat is laid over the whole walk, in the phase that fits its
    times best, so what a single view is early or late does not add up.

    Args:
        points: The walk in time order.
        period_s: Time between two views in seconds; above 0.

    Returns:
        Pieces in time order; each holds one view per beat, the nearest that the beat before has not taken, at most
        three quarters of a period away: the sharpest of a period may be its first, and the next one's its last. A
        single view may be a piece. Empty for no points.
    """
    times = np.array([point.time_s for point in points]) / period_s
    times -= np.angle(np.exp(2j * np.pi * times).sum()) / (2 * np.pi)
    pieces: list[list[TrajectoryPoint]] = [[]]
    last = -1
    for beat in np.arange(np.rint(times[0]), np.rint(times[-1]) + 1) if len(times) else ():
        late = np.abs(times[last + 1 :] - beat)
        if len(late) and late.min() <= _MOST_LATE:
            last += 1 + int(np.argmin(late))
            pieces[-1].append(points[last])
        elif pieces[-1]:
            pieces.append([])
    return tuple(tuple(piece) for piece in pieces if piece)


def floor_distance(a: TrajectoryPoint, b: TrajectoryPoint) -> float:
    """Distance on the floor in the unit of the positions."""
    return float(np.hypot(a.position[0] - b.position[0], a.position[1] - b.position[1]))


def places_seen_from(viewer: TrajectoryPoint, points: Sequence[TrajectoryPoint]) -> Array:
    """Where on the floor the walk is, seen from one of its points: (N, 2) ahead and to the left of its camera.

    In the unit of the positions; ahead is the heading of the viewer.
    """
    heading = np.radians(viewer.heading_deg)
    ahead_left_from_xy = np.array([[np.cos(heading), np.sin(heading)], [-np.sin(heading), np.cos(heading)]])
    offsets = np.array([point.position[:2] for point in points]).reshape(-1, 2) - viewer.position[:2]
    return offsets @ ahead_left_from_xy.T
