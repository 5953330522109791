"""A trajectory as arrays, how the walker moves on it, and one thing or the rooms as they lie along it. No judgement.

Lengths are in the trajectory's unit, of things in nominal meters (`SceneModel.nominal_metre`); angles in degrees with
left positive, measured from the raw poses: nothing is smoothed, and no stretch is chosen here. The caller names the
positions. Whether a thing counts as passed is not said here: writer and judge have bars of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from instructions.facts.bodies import floor_center, floor_distance
from instructions.records import RoomSpan, SceneObject, Side
from recon.conventions import wrap_deg
from recon.geometry import Array
from trajectories.records import Trajectory

REVERSAL_DEG = 12.0
PAUSE_S, PAUSE_RATE_DEG_S = 0.6, 8.0
LEAST_SWING_DEG = 5.0
_SAME_S = 1e-6


@dataclass(frozen=True, eq=False)
class Walk:
    """The points of one trajectory in time order."""

    frames: tuple[int, ...]
    time_s: Array  # (N,)
    xy: Array  # (N, 2)
    heading_deg: Array  # (N,) unwrapped, so that differences are turns

    @classmethod
    def of(cls, trajectory: Trajectory) -> Walk:
        """Arrays of a trajectory."""
        points = trajectory.points
        heading = np.array([point.heading_deg for point in points], dtype=np.float64)
        return cls(
            trajectory.frames,
            np.array([point.time_s for point in points], dtype=np.float64),
            np.array([point.position[:2] for point in points], dtype=np.float64).reshape(-1, 2),
            np.unwrap(heading, period=360.0),
        )

    @cached_property
    def index_of(self) -> dict[int, int]:
        """Position in the walk of each frame."""
        return {frame: index for index, frame in enumerate(self.frames)}

    @cached_property
    def travelled(self) -> Array:
        """Path length up to each point, (N,)."""
        steps = np.linalg.norm(np.diff(self.xy, axis=0), axis=1)
        return np.concatenate([[0.0], np.cumsum(steps)])[: len(self.frames)]

    def direction(self, index: int, reach: float) -> Array | None:
        """Unit walking direction at a point, from `reach` before it to `reach` after it along the path; (2,) or None.

        None if the walker hardly gets anywhere on that stretch, so has no direction.
        """
        first = int(np.searchsorted(self.travelled, self.travelled[index] - reach))
        last = min(int(np.searchsorted(self.travelled, self.travelled[index] + reach)), len(self.frames) - 1)
        step = self.xy[last] - self.xy[first]
        length = float(np.linalg.norm(step))
        return step / length if length > 0.5 * reach else None

    def chord(self, index: int, reach: float, first: int, last: int) -> Array | None:
        """Unit direction between the nearest points of a stretch that lie at least `reach` from a position, (2,).

        Distances are as the crow flies, so standing and swaying do not count. An end of the stretch stands for a point
        that lies beyond it; None if the two are less than `reach` apart.
        """
        away = np.linalg.norm(self.xy[first : last + 1] - self.xy[index], axis=1) >= reach
        before, after = np.flatnonzero(away[: index - first]), np.flatnonzero(away[index - first + 1 :])
        start = first + int(before[-1]) if len(before) else first
        end = index + 1 + int(after[0]) if len(after) else last
        step = self.xy[end] - self.xy[start]
        length = float(np.linalg.norm(step))
        return step / length if length >= reach else None

    def measure_velocity(self, reach_s: float) -> Array:
        """Velocity at every position, over the positions at most `reach_s` before and after it.

        Where none is so near, the neighbours count; an end of the walk stands for what lies beyond it. (N, 2), in the
        walk's unit per second.
        """
        count = len(self.frames)
        slack_s = 1e-6  # times are sums of fractions of a second
        low = np.searchsorted(self.time_s, self.time_s - reach_s - slack_s, side="left")
        high = np.searchsorted(self.time_s, self.time_s + reach_s + slack_s, side="right") - 1
        low = np.maximum(np.minimum(low, np.arange(count) - 1), 0)
        high = np.minimum(np.maximum(high, np.arange(count) + 1), count - 1)
        seconds = np.maximum(self.time_s[high] - self.time_s[low], slack_s)
        return (self.xy[high] - self.xy[low]) / seconds[:, None]

    def measure_turn_deg(self, first: int, last: int) -> float:
        """Net change of heading between two positions; beyond 180 where the turn goes on."""
        return float(self.heading_deg[last] - self.heading_deg[first])


def find_runs(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last position of each run of true entries in (N,)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(np.int8), [0]]))).tolist()
    return [(first, end - 1) for first, end in zip(edges[::2], edges[1::2], strict=True)]


def average_around(values: Array, time_s: Array, reach_s: float) -> Array:
    """Means of values (N,) at times (N,) over so long to either side, (N,)."""
    low = np.searchsorted(time_s, time_s - reach_s)
    high = np.searchsorted(time_s, time_s + reach_s, side="right")
    total = np.concatenate([[0.0], np.cumsum(values)])
    return np.asarray((total[high] - total[low]) / (high - low))


def measure_turn_back(angles_deg: Array, sign: float) -> float:
    """How far a turn to one side, left for a positive sign, comes back from its extreme: by unwrapped angles (N,)."""
    values = angles_deg * sign
    return float((np.maximum.accumulate(values) - values).max())


@dataclass(frozen=True)
class Swing:
    """Turning to one side without pause, between two positions; left positive."""

    first: int
    last: int
    angle_deg: float


def find_swings(heading_deg: Array, time_s: Array, first: int) -> tuple[Swing, ...]:
    """Runs of turning to one side by headings (N,), unwrapped, at times (N,); a reversal of less than `REVERSAL_DEG`
    ends none, a short pause ends one. `first` is the position of the first entry in the walk.
    """
    out: list[Swing] = []
    for start, end in pairwise(find_turning_points(heading_deg, REVERSAL_DEG)):
        out += [
            Swing(first + a, first + b, float(heading_deg[b] - heading_deg[a]))
            for a, b in _cut_at_pauses(heading_deg, time_s, start, end)
        ]
    return tuple(swing for swing in out if abs(swing.angle_deg) >= LEAST_SWING_DEG)


def _cut_at_pauses(heading_deg: Array, time_s: Array, start: int, end: int) -> list[tuple[int, int]]:
    """Cut a run of turning where the heading rests."""
    rate = np.abs(np.diff(heading_deg)) / np.maximum(np.diff(time_s), 1e-6)
    parts: list[tuple[int, int]] = []
    begin = position = start
    while position < end:
        rest = position
        while rest < end and rate[rest] < PAUSE_RATE_DEG_S:
            rest += 1
        if time_s[rest] - time_s[position] >= PAUSE_S:
            if position > begin:
                parts.append((begin, position))
            begin = position = rest
        else:
            position += 1
    if end > begin:
        parts.append((begin, end))
    return parts


def find_turning_points(values: Array, reversal: float) -> list[int]:
    """First and last position and every extreme that the values come back from by at least `reversal`."""
    points, extreme, direction = [0], 0, 0
    for i in range(1, len(values)):
        change = values[i] - values[extreme]
        if direction == 0:
            if abs(values[i] - values[0]) >= reversal:
                direction, extreme = int(np.sign(values[i] - values[0])), i
        elif change * direction >= 0:
            extreme = i
        elif abs(change) >= reversal:
            points.append(extreme)
            direction, extreme = -direction, i
    if points[-1] != len(values) - 1:
        points.append(len(values) - 1)
    return points


@dataclass(frozen=True, eq=False)
class ThingAlongWalk:
    """A thing seen from a walk; every array has one entry per position of the walk."""

    walk: Walk
    thing: SceneObject
    metre: float
    """Length of one (nominal) metre in the walk's unit."""

    @cached_property
    def away(self) -> Array:
        """Vector on the floor plan from the walker to the centre of the box, (N, 2)."""
        return (floor_center(self.thing.obb) - self.walk.xy) / self.metre

    @cached_property
    def distance(self) -> Array:
        """Distance on the floor plan to the nearest side of the box, 0 inside it: (N,)."""
        return floor_distance(self.thing.obb, self.walk.xy) / self.metre

    @cached_property
    def bearing_deg(self) -> Array:
        """Angle from the optical axis to the centre of the box, in [-180, 180): (N,)."""
        return wrap_deg(np.degrees(np.arctan2(self.away[:, 1], self.away[:, 0])) - self.walk.heading_deg)

    def closest(self, first: int, last: int) -> int:
        """Position from `first` to `last` that is nearest to the centre of the box."""
        return first + int(np.argmin((self.away[first : last + 1] ** 2).sum(axis=1)))

    @cached_property
    def _seen_at_s(self) -> Array:
        """Times at which frames of the walk observed the thing, in order."""
        known = [self.walk.time_s[self.walk.index_of[f]] for f in self.thing.frames if f in self.walk.index_of]
        return np.sort(np.array(known, dtype=np.float64))

    @cached_property
    def seen_since_s(self) -> Array:
        """Time since the last frame that observed the thing, 0 for that frame itself, inf before the first: (N,)."""
        out = np.full(len(self.walk.frames), np.inf)
        count = np.searchsorted(self._seen_at_s, self.walk.time_s + _SAME_S)
        has = count > 0
        out[has] = self.walk.time_s[has] - self._seen_at_s[count[has] - 1]
        return _to_microseconds(out)

    @cached_property
    def seen_until_s(self) -> Array:
        """Time until the next frame that observes the thing, 0 for that frame itself, inf after the last: (N,)."""
        out = np.full(len(self.walk.frames), np.inf)
        before = np.searchsorted(self._seen_at_s, self.walk.time_s - _SAME_S)
        has = before < len(self._seen_at_s)
        out[has] = self._seen_at_s[before[has]] - self.walk.time_s[has]
        return _to_microseconds(out)

    @cached_property
    def unseen_s(self) -> Array:
        """Time to the nearest frame that observed the thing, before or after: (N,)."""
        return np.minimum(self.seen_since_s, self.seen_until_s)

    def count_sightings(self, index: int, within_s: float, until_s: float = 0.0) -> int:
        """How many frames observed the thing at most so long before and after a position, that of it included."""
        age_s = _to_microseconds(self.walk.time_s[index] - self._seen_at_s)
        return int(((age_s >= -until_s) & (age_s <= within_s)).sum())


def _to_microseconds(seconds: Array) -> Array:
    """Times of frames are sums of fractions of a second: rounded, a bar of a whole number of frames holds."""
    return np.asarray(np.round(seconds, 6), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Passing:
    """A thing by the straight line through one position of a walk, along the direction walked there."""

    lateral: float
    """Of the thing's centre from that line; left positive."""
    distance: float
    """From the position to the nearest side of the thing's box on the floor plan."""
    along: Array
    """(M,) how far ahead of each position of the stretch the centre lies, along the line; negative behind it."""

    @property
    def side(self) -> Side:
        """Side that the centre lies on."""
        return "left" if self.lateral > 0 else "right"


def measure_passing(thing: ThingAlongWalk, index: int, direction: Array, stretch: NDArray[np.int64] | slice) -> Passing:
    """How a walk that goes into a unit direction (2,) at a position comes by a thing; on the stretch it is told whether
    the thing is ahead or behind.
    """
    x, y = thing.away[index]
    lateral = float(direction[0] * y - direction[1] * x)
    return Passing(lateral, float(thing.distance[index]), thing.away[stretch] @ direction)


def room_at(rooms: Sequence[RoomSpan], frame: int) -> str | None:
    """Room of a frame; None where nobody knows."""
    return next((span.room for span in rooms if span.first_frame <= frame <= span.last_frame), None)


def find_stays(rooms: Sequence[RoomSpan], frames: Sequence[int]) -> tuple[tuple[str, int, int], ...]:
    """Rooms in the order that frames are in them: room, and first and last place in `frames` of each stay.

    Frames without a known room end no stay.
    """
    out: list[tuple[str, int, int]] = []
    for at, frame in enumerate(frames):
        room = room_at(rooms, frame)
        if room is None:
            continue
        if out and out[-1][0] == room:
            out[-1] = (room, out[-1][1], at)
        else:
            out.append((room, at, at))
    return tuple(out)
