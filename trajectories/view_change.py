"""Significant view changes: where the walker turns, on the spot or around a corner.

The paper takes pairwise cosine similarities of viewing directions along the trajectory, keeps changes above 45 degrees
and thins them by non-maximum suppression; it leaves open which pairs. The reading here: pairs symmetric about a moment,
at most `window_s` apart, inside one turn. A turn is a stretch in which the heading keeps moving to one side; it is the
neighbourhood of the suppression, so one turn gives one view change, at the moment of its largest change, however long
it is. Everything runs on a time grid, so the result does not depend on the frame rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from recon.geometry import Array
from recon.ranges import HalfTurn, NotNegative, Seconds
from trajectories.errors import TrajectoryError
from trajectories.records import TrajectoryPoint, ViewChange

_GRID_S = 0.05
_LEAST_RATE_SHARE = 0.25
"""A turn ends where its rate falls below this share of its fastest: what follows is a curve of its own."""
_PAUSE_S = 0.6
"""Shorter hesitations (one sway of the body) do not end a turn."""
_EQUAL_DEG = 6.0
"""Changes that differ less are equal: with half a degree, sway moved the moment of long turns by up to 1.3 s between
frame rates; with this, never by more than a frame at 3 per second."""


@dataclass(frozen=True, kw_only=True)
class ViewChangeOptions:
    """What counts as a view change. Lengths in metres (nominal ones where the model has no scale)."""

    min_change_deg: HalfTurn = 45.0
    """Smallest change between two viewing directions (degrees); the paper's number."""
    window_s: Seconds = 3.0
    """Longest time between the two views (seconds): a turn by 120 degrees at an easy 45 degrees per second takes it."""
    min_rate_dps: NotNegative = 9.0
    """Slower changes of heading are gentle curves or sway (degrees per second)."""
    smooth_s: Seconds = 0.25
    """Standard deviation of the smoothing of the heading (seconds); takes out the sway of steps."""
    spot_m: NotNegative = 0.5
    """Camera positions of a turn on the spot lie within this distance (metres): an arm's swing, less than a step."""


@dataclass(frozen=True, eq=False)
class _Grid:
    time_s: Array  # (T,)
    heading: Array  # (T,) unwrapped degrees
    rate: Array  # (T,) degrees per second, smoothed
    direction: Array  # (T, 3) unit viewing directions
    position: Array  # (T, 3)


def find_view_changes(
    points: Sequence[TrajectoryPoint],
    options: ViewChangeOptions = ViewChangeOptions(),
    *,
    metre: float = 1.0,
) -> list[ViewChange]:
    """Find the significant view changes of one walk.

    A nod (the elevation alone changes) is none, since no action of a navigator answers it.

    Args:
        points: The walk in time order.
        options: Thresholds.
        metre: Length of one (nominal) metre in the unit of the positions.

    Returns:
        View changes in time order, left turns positive. Empty for fewer than two points.

    Raises:
        TrajectoryError: If times do not increase.
    """
    if len(points) < 2:
        return []
    times = np.array([point.time_s for point in points])
    if np.any(np.diff(times) <= 0):
        row = int(np.argmax(np.diff(times) <= 0))
        raise TrajectoryError(
            f"frame {points[row + 1].frame}: time {times[row + 1]:.3f} s does not follow {times[row]:.3f} s. "
            "Sort the walk by time"
        )
    grid = _resample(points, times, options)
    spot = options.spot_m * metre
    changes = []
    for first, last in _turns(grid, options):
        angle, peak = _largest_change(grid, first, last, options)
        turned = float(grid.heading[last] - grid.heading[first])
        if angle < options.min_change_deg or abs(turned) < options.min_change_deg / 2:
            continue
        ends = _ends(times, grid.time_s[[first, last]])
        middle = min(range(ends[0], ends[1] + 1), key=lambda row: abs(times[row] - grid.time_s[peak]))
        path = grid.position[first : last + 1]
        some = path[:: max(1, len(path) // 100)]
        changes.append(
            ViewChange(
                frame=points[middle].frame,
                first_frame=points[ends[0]].frame,
                last_frame=points[ends[1]].frame,
                angle_deg=turned,
                view_angle_deg=angle,
                travelled=float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum()),
                on_the_spot=bool(np.linalg.norm(some[:, None] - some[None], axis=-1).max() <= spot),
            )
        )
    return changes


def _resample(points: Sequence[TrajectoryPoint], times: Array, options: ViewChangeOptions) -> _Grid:
    """The walk on an even time grid; headings between frames go the short way round."""
    count = max(2, round((times[-1] - times[0]) / _GRID_S) + 1)
    grid = np.linspace(times[0], times[-1], count)
    step = float(grid[1] - grid[0])
    heading = np.interp(grid, times, np.unwrap([point.heading_deg for point in points], period=360.0))
    elevation = np.radians(np.interp(grid, times, [point.elevation_deg for point in points]))
    positions = np.array([point.position for point in points])
    position = np.column_stack([np.interp(grid, times, positions[:, axis]) for axis in range(3)])
    sigma = options.smooth_s / step
    smooth = gaussian_filter1d(heading, sigma, mode="nearest")
    radians = np.radians(heading)
    level = np.cos(elevation)
    direction = np.column_stack([level * np.cos(radians), level * np.sin(radians), np.sin(elevation)])
    return _Grid(grid, heading, np.gradient(smooth, step), direction, gaussian_filter1d(position, sigma, axis=0))


def _turns(grid: _Grid, options: ViewChangeOptions) -> list[tuple[int, int]]:
    """Stretches (first, last) of the grid in which the heading keeps moving to one side, in time order."""
    pause = round(_PAUSE_S / (grid.time_s[1] - grid.time_s[0]))
    found = []
    for side in (1.0, -1.0):
        rate = side * grid.rate
        # Found stretches are split where they slow down much; each part is looked at again.
        waiting = _runs(rate, options.min_rate_dps, pause)
        while waiting:
            first, last = waiting.pop()
            part = rate[first : last + 1]
            least = max(options.min_rate_dps, _LEAST_RATE_SHARE * float(part.max()))
            peak = int(np.argmax(part))
            core = next(run for run in _runs(part, least, pause) if run[0] <= peak <= run[1])
            found.append((first + core[0], first + core[1]))
            if core[0] > pause:
                waiting.append((first, first + core[0] - 1))
            if len(part) - 1 - core[1] > pause:
                waiting.append((first + core[1] + 1, last))
    return sorted(found)


def _runs(rate: Array, least: float, pause: int) -> list[tuple[int, int]]:
    """Stretches where the rate is at least `least`, joined over pauses in which nothing turns back."""
    turning = np.flatnonzero(rate >= least)
    if len(turning) == 0:
        return []
    runs = [[int(turning[0]), int(turning[0])]]
    for row in turning[1:].tolist():
        between = rate[runs[-1][1] + 1 : row]
        if len(between) <= pause and (len(between) == 0 or between.min() > -least):
            runs[-1][1] = row
        else:
            runs.append([row, row])
    return [(first, last) for first, last in runs]


def _largest_change(grid: _Grid, first: int, last: int, options: ViewChangeOptions) -> tuple[float, int]:
    """Largest angle between two views of a turn, and its moment: the middle one where several share it."""
    rows = np.arange(first, last + 1)
    step = float(grid.time_s[1] - grid.time_s[0])
    best = np.zeros(len(rows))
    for half in range(1, int(options.window_s / 2 / step) + 1):
        inside = np.flatnonzero((rows - half >= first) & (rows + half <= last))
        if len(inside) == 0:
            break
        cosine = np.einsum("ij,ij->i", grid.direction[rows[inside] - half], grid.direction[rows[inside] + half])
        best[inside] = np.maximum(best[inside], np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
    # A steady turn has many equal moments; sway and noise must not choose among them.
    top: NDArray[np.int64] = rows[best >= best.max() - _EQUAL_DEG]
    middle = (first + last) / 2
    return float(best.max()), int(top[np.argmin(np.abs(top - middle))])


def _ends(times: Array, moments: Array) -> tuple[int, int]:
    """Rows of the last frame at or before the start and the first frame at or after the end."""
    first = int(np.searchsorted(times, moments[0] + 1e-9, side="right")) - 1
    last = int(np.searchsorted(times, moments[1] - 1e-9, side="left"))
    return max(first, 0), min(last, len(times) - 1)
