"""When each kind of statement is true on a way: stretches of positions at which it may be said to happen.

Measured from the raw poses, the boxes of the objects and the frames that saw them. The limits of
`instructions.truth.claims` are these too; here they are a little wider where everyday words are (`towards`, `by`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from instructions.facts.swings import Swing, find_swings, turning_points
from instructions.facts.walk import Walk, floor_center, floor_distance
from instructions.records import RoomSpan, SceneObject, Side
from recon.geometry import Array

Mask = NDArray[np.bool_]

PASS_WITHIN_M = 3.0
STOP_MAX_M, FACE_MAX_M = 3.2, 7.0
SEEN_WITHIN_S = 7.0
LOCAL_S = 8.0
LOCAL_M = 4.0


@dataclass(frozen=True)
class Span:
    """Positions `first` to `last` of the walk, between any two of which a statement may be said to happen."""

    first: int
    last: int


@dataclass(frozen=True, eq=False)
class WayGeometry:
    """A stretch of a walk to look for statements in."""

    walk: Walk
    first: int
    last: int
    metre: float
    """Length of one (nominal) metre in the walk's unit."""
    objects: dict[str, SceneObject]
    rooms: tuple[RoomSpan, ...] = ()

    @property
    def positions(self) -> range:
        """All positions of the way."""
        return range(self.first, self.last + 1)

    @cached_property
    def _headings(self) -> Array:
        return self.walk.heading_deg[self.first : self.last + 1]

    @cached_property
    def times(self) -> Array:
        """Seconds, one per position of the way."""
        return self.walk.time_s[self.first : self.last + 1]

    @cached_property
    def _xy(self) -> Array:
        return self.walk.xy[self.first : self.last + 1]

    @cached_property
    def swings(self) -> tuple[Swing, ...]:
        """The way's turning."""
        return find_swings(self._headings, self.times, self.first)

    @cached_property
    def _seen(self) -> dict[str, Array]:
        """Seconds since each object was last seen, and until it is seen next: (2, N) by object."""
        out: dict[str, Array] = {}
        for name, thing in self.objects.items():
            known = [self.walk.time_s[self.walk.index_of[f]] for f in thing.frames if f in self.walk.index_of]
            seen = np.sort(np.array(known, dtype=np.float64))
            since, until = np.full(len(self.times), np.inf), np.full(len(self.times), np.inf)
            if len(seen):
                after = np.searchsorted(seen, self.times + 1e-6)
                has = after > 0
                since[has] = self.times[has] - seen[after[has] - 1]
                before = np.searchsorted(seen, self.times - 1e-6)
                has = before < len(seen)
                until[has] = seen[before[has]] - self.times[has]
            out[name] = np.stack([since, until])
        return out

    def seen(self, name: str, within_s: float) -> Mask:
        """Where an object was or will be seen within some seconds; bool per position."""
        return self._seen[name].min(axis=0) <= within_s

    def seen_before(self, name: str, within_s: float) -> Mask:
        """Where an object was seen at most so long ago."""
        return self._seen[name][0] <= within_s

    def distance(self, name: str) -> Array:
        """Nominal metres to the nearest side of an object on the floor plan."""
        return floor_distance(self.objects[name].obb, self._xy) / self.metre

    def bearing_deg(self, name: str) -> Array:
        """Angle from the optical axis to the object's centre, left positive, in [-180, 180)."""
        away = floor_center(self.objects[name].obb) - self._xy
        angle = np.degrees(np.arctan2(away[:, 1], away[:, 0])) - self._headings
        return (angle + 180.0) % 360.0 - 180.0

    # ---- statements about things

    def passes(self, name: str) -> list[tuple[Span, Side]]:
        """Each time an object goes from ahead of the walker to behind it near by, with the side it is on."""
        offset = (floor_center(self.objects[name].obb) - self._xy) / self.metre
        ahead = np.einsum("ij,ij->i", offset, self._directions)  # NaN where there is no direction
        box = self.distance(name)
        out: list[tuple[Span, Side]] = []
        for near in np.flatnonzero((ahead[:-1] >= 0.0) & (ahead[1:] < 0.0)).tolist():
            direction = self._directions[near]
            lateral = float(direction[0] * offset[near, 1] - direction[1] * offset[near, 0])
            if abs(lateral) < 0.2 or box[near] > PASS_WITHIN_M or direction @ self._directions[near + 1] < 0.7:
                continue
            local = [i for i in range(len(self.times)) if self._is_local(i, near)]
            along = offset[local] @ direction
            was_ahead = any(a > 0.1 for i, a in zip(local, along, strict=True) if i <= near)
            is_behind = any(a < -0.1 for i, a in zip(local, along, strict=True) if i > near)
            seen = self._seen[name][0][near] <= SEEN_WITHIN_S or self._seen[name][1][near] <= 1.0
            if was_ahead and is_behind and seen:
                out.append((Span(self.first + near, self.first + near), "left" if lateral > 0 else "right"))
        return out

    @cached_property
    def _directions(self) -> Array:
        """Unit walking direction per position, (N, 2); NaN where the walker hardly moves."""
        found = [self.walk.direction(index, 0.35 * self.metre) for index in self.positions]
        return np.array([(np.nan, np.nan) if one is None else one for one in found])

    def _is_local(self, index: int, near: int) -> bool:
        path = abs(float(self.walk.travelled[self.first + index] - self.walk.travelled[self.first + near]))
        return abs(float(self.times[index] - self.times[near])) <= LOCAL_S and path <= LOCAL_M * self.metre

    def approaches(self, name: str) -> list[Span]:
        """Stretches that come nearer by at least 20 % (and half a metre) by walking towards a thing that is in view."""
        away, bearing, seen = self.distance(name), np.abs(self.bearing_deg(name)), self.seen(name, 2.5)
        heading = self._off_course_deg(name)
        out = []
        for start, end in _falling(away, 0.3):
            gained = away[start] - away[start : end + 1]
            good = gained >= max(0.5, 0.2 * away[start])
            good &= (bearing[start : end + 1] <= 40.0) & seen[start : end + 1] & (heading[start : end + 1] <= 50.0)
            where = np.flatnonzero(good)
            if len(where):
                out.append(Span(self.first + start + int(where[0]), self.first + start + int(where[-1])))
        return out

    def _off_course_deg(self, name: str) -> Array:
        """Angle between the walking direction and the way to an object's nearest side; 0 where one stands."""
        away = floor_center(self.objects[name].obb) - self._xy
        out = np.zeros(len(self.times))
        for i, index in enumerate(self.positions):
            direction = self.walk.direction(index, 0.35 * self.metre)
            if direction is not None:
                angle = np.degrees(np.arctan2(*away[i][::-1]) - np.arctan2(*direction[::-1]))
                out[i] = abs((angle + 180.0) % 360.0 - 180.0)
        return out

    def leaves(self, name: str) -> list[Span]:
        """Stretches on which one is a metre further away than before, with the object no longer in view ahead."""
        away, bearing = self.distance(name), np.abs(self.bearing_deg(name))
        seen = self.seen_before(name, 2 * SEEN_WITHIN_S)
        out = []
        for start, end in _falling(-away, 0.3):
            gained = away[start : end + 1] - away[start]
            good = (gained >= 1.0) & (bearing[start : end + 1] >= 80.0) & seen[start : end + 1]
            where = np.flatnonzero(good)
            if len(where):
                out.append(Span(self.first + start + int(where[0]), self.first + end))
        return out

    def faced(self, name: str, within_m: float = FACE_MAX_M, off_deg: float = 28.0) -> list[Span]:
        """Where an object is ahead, near enough, and seen."""
        good = (np.abs(self.bearing_deg(name)) <= off_deg) & (self.distance(name) <= within_m) & self.seen(name, 1.5)
        return self._runs(good)

    def stops_at(self, name: str) -> list[Span]:
        """Where one stands in front of an object."""
        return self.faced(name, STOP_MAX_M + 0.3, 32.0)

    def near(self, name: str) -> list[Span]:
        """Where an object is at hand: near, or somewhat further but in view."""
        away = self.distance(name)
        good = (away <= PASS_WITHIN_M) & self.seen(name, SEEN_WITHIN_S)
        good |= (away <= 5.0) & self.seen(name, 1.5) & (np.abs(self.bearing_deg(name)) <= 50.0)
        return self._runs(good)

    def sees(self, name: str) -> list[Span]:
        """Where an object is in view."""
        return self._runs(self.seen(name, 0.7))

    def on_side(self, name: str, side: Side) -> list[Span]:
        """Where an object is on a side: passed on it, or else seen on it."""
        passed = self.passes(name)
        if passed:
            spans = [self._while_alongside(name, span, side) for span, passed_side in passed if passed_side == side]
            return [span for span in spans if span is not None]
        bearing = self.bearing_deg(name)
        good = np.abs(bearing) <= 12.0 if side == "middle" else bearing > 3.0 if side == "left" else bearing < -3.0
        return [span for span in self._runs(good & self.seen(name, 0.7)) if self._seconds(span) >= 0.6]

    def _while_alongside(self, name: str, span: Span, side: Side) -> Span | None:
        """The stretch around a pass on which the object is on that side of the view."""
        bearing = self.bearing_deg(name) * (1.0 if side == "left" else -1.0)
        at = span.first - self.first
        start, end = at, at
        while start > 0 and bearing[start - 1] > 0.0 and self._is_local(start - 1, at):
            start -= 1
        while end + 1 < len(bearing) and bearing[end + 1] > 0.0 and self._is_local(end + 1, at):
            end += 1
        return Span(self.first + start, self.first + end)

    # ---- statements about the walker

    def moves(self, off_deg: float, within_deg: float = 60.0) -> list[Span]:
        """Where the walker goes in a direction relative to its view (0 forward, 180 backwards, left positive)."""
        good = np.zeros(len(self.times), dtype=bool)
        for i, index in enumerate(self.positions):
            direction = self.walk.direction(index, 0.35 * self.metre)
            if direction is not None:
                angle = np.degrees(np.arctan2(direction[1], direction[0])) - self._headings[i] - off_deg
                good[i] = abs((angle + 180.0) % 360.0 - 180.0) <= within_deg
        return self._runs(good)

    # ---- statements about rooms

    @cached_property
    def room_at(self) -> tuple[str | None, ...]:
        """Room of each position; None where nobody knows."""
        out: list[str | None] = []
        for frame in self.walk.frames[self.first : self.last + 1]:
            found = [span.room for span in self.rooms if span.first_frame <= frame <= span.last_frame]
            out.append(found[0] if found else None)
        return tuple(out)

    @cached_property
    def stays(self) -> tuple[tuple[str, Span], ...]:
        """Rooms in the order they are in, with the positions of each stay."""
        out: list[tuple[str, Span]] = []
        for index, room in zip(self.positions, self.room_at, strict=True):
            if room is None:
                continue
            if out and out[-1][0] == room:
                out[-1] = (room, Span(out[-1][1].first, index))
            else:
                out.append((room, Span(index, index)))
        return tuple(out)

    def in_room(self, room: str) -> list[Span]:
        """Stays in a room."""
        return [span for name, span in self.stays if name == room]

    def enters(self, room: str) -> list[Span]:
        """Where a room begins after another one."""
        return [self._near_edge(span.first) for name, span in self.stays[1:] if name == room]

    def exits(self, room: str) -> list[Span]:
        """Where a room ends because another one begins."""
        return [self._near_edge(span.last) for name, span in self.stays[:-1] if name == room]

    def _near_edge(self, index: int) -> Span:
        """A room change is not a moment: a second to either side."""
        now = self.walk.time_s[index]
        inside = self.first + np.flatnonzero(np.abs(self.times - now) <= 1.0)
        return Span(int(inside[0]), int(inside[-1]))

    # ---- helpers

    def _runs(self, good: Mask) -> list[Span]:
        edges = np.flatnonzero(np.diff(np.concatenate([[0], good.astype(np.int8), [0]])))
        pairs = zip(edges[::2], edges[1::2], strict=True)
        return [Span(self.first + int(start), self.first + int(end) - 1) for start, end in pairs]

    def _seconds(self, span: Span) -> float:
        return float(self.walk.time_s[span.last] - self.walk.time_s[span.first])


def _falling(values: Array, tolerance: float) -> list[tuple[int, int]]:
    """Stretches on which values fall, ignoring rises smaller than `tolerance`."""
    points = turning_points(values, tolerance)
    return [(a, b) for a, b in pairwise(points) if values[b] < values[a]]
