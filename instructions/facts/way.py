"""A stretch of a walk with the things and rooms along it, as measures: one value per position of the stretch.

Lengths are in nominal metres, angles in degrees with left positive, times in seconds; all from the raw poses, the
boxes of the things and the frames that saw them. When a statement is true of these measures is judged in
`instructions.claims.stretches`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from instructions.facts.along import ThingAlongWalk
from instructions.facts.walk import Walk
from instructions.records import RoomSpan, SceneObject
from recon.conventions import wrap_deg
from recon.geometry import Array


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


REACH_M = 0.35
"""A walker's direction at a position is that from so far before to so far after it: a step of an adult in all."""


@dataclass(frozen=True)
class Span:
    """Positions `first` to `last` of the walk, both of them in it."""

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

    @property
    def inside(self) -> slice:
        """Cuts the way out of an array over the whole walk."""
        return slice(self.first, self.last + 1)

    @cached_property
    def times(self) -> Array:
        """Seconds, one per position of the way."""
        return self.walk.time_s[self.inside]

    @cached_property
    def things(self) -> dict[str, ThingAlongWalk]:
        """Each object along the whole walk, by id."""
        return {name: ThingAlongWalk(self.walk, thing, self.metre) for name, thing in self.objects.items()}

    @cached_property
    def directions(self) -> Array:
        """Unit walking direction per position, (N, 2); NaN where the walker hardly moves."""
        found = [self.walk.direction(index, REACH_M * self.metre) for index in self.positions]
        return np.array([(np.nan, np.nan) if one is None else one for one in found])

    def off_course_deg(self, name: str) -> Array:
        """Angle between the walking direction and the way to an object's centre, (N,); 0 where one hardly moves."""
        away = self.things[name].away[self.inside]
        course = np.arctan2(self.directions[:, 1], self.directions[:, 0])
        return np.nan_to_num(np.abs(wrap_deg(np.degrees(np.arctan2(away[:, 1], away[:, 0]) - course))))

    @cached_property
    def stays(self) -> tuple[tuple[str, Span], ...]:
        """Rooms in the order they are in, with the positions of each stay."""
        found = find_stays(self.rooms, self.walk.frames[self.inside])
        return tuple((room, Span(self.first + start, self.first + end)) for room, start, end in found)
