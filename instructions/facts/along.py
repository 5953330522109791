"""One thing as it lies to a walker at every position of a walk: distance, bearing, when it was in view, and how a walk
comes by it.

Lengths are in nominal meters (`SceneModel.nominal_metre`), bearings in degrees from the optical axis with left
positive, times in seconds. The source is the raw poses, the thing's box, and the frames that observed it. Whether a
thing counts as passed is not said here: writer and judge have bars of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from instructions.facts.bodies import floor_center, floor_distance
from instructions.facts.walk import Walk
from instructions.records import SceneObject, Side
from recon.conventions import wrap_deg
from recon.geometry import Array


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


_SAME_S = 1e-6


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
    """Measure how a walk comes by a thing.

    Args:
        thing: Along the whole walk.
        index: Position at which the thing may be passed.
        direction: (2,) unit walking direction there.
        stretch: Positions at which to tell whether it is ahead or behind.
    """
    x, y = thing.away[index]
    lateral = float(direction[0] * y - direction[1] * x)
    return Passing(lateral, float(thing.distance[index]), thing.away[stretch] @ direction)
