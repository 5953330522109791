"""What stands where at one moment of a way, ahead or to a side, near enough and in view: a place is known by it.

Used for where a way starts and ends, and for where a turn or a look ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from instructions.facts.placing import ShownSpan
from instructions.facts.walk import ThingAlongWalk
from instructions.navigation.moves.legs import Event, Part
from instructions.records import Range, Side
from recon.conventions import wrap_deg
from recon.ranges import HalfTurn, NotNegative, Share

_SEEN_S = 0.7
"""What stands there is in view at that moment: two sampled frames at 3 per second."""
LEAST_TRACKED = 10
"""A frame that follows so many points of a thing sees it, though no network named it there, ..."""
_FOLLOWED_S = 2.0
"""... if one did at most so long before or after."""
_BEHIND_M = 0.4
"""A thing further away than another by this stands behind it: about the depth of a narrow cupboard."""
_FLAT_M = 0.15
"""A thing less high than this is no hindrance: a rug, a mat."""
_FRONT_M = 0.1
"""What begins further behind the front of another thing stands behind it, or hangs over it."""
_PARALLEL = 1e-9
_AT_M = 1.2
"""What the view meets so near ahead is in front: of a counter one sees no end then."""
_PER_M, _PER_DEG = 0.15, 1.0 / 60.0
"""What a metre and a degree off the middle of the view take off how well a thing stands out."""
_PER_SHARE, _MOST_BY_SHARE = 4.0, 1.2
"""What filling the image then adds, at most: of two things a person names the one that fills the view."""


@dataclass(frozen=True, kw_only=True)
class PlaceOptions:
    """When a thing marks a place. Lengths in (nominal) metres."""

    front_deg: HalfTurn = 20.0
    """`Facing` means within this angle of the optical axis; the check allows 5 degrees more ..."""
    middle_deg: HalfTurn = 12.0
    """... and that the axis meets the thing, or is at most so far from its centre."""
    stop_min_m: NotNegative = 0.15
    """Nearer than this nobody stands in front of a thing but at it."""
    stop_max_m: NotNegative = 3.0
    """Further away than this it is not `in front of` any more."""
    face_max_m: NotNegative = 6.0
    """One faces things up to this far away."""
    side_min_deg: HalfTurn = 12.0
    """On a side of the view means at least so far off the axis; the check asks for a quarter of it."""
    side_max_m: NotNegative = 4.0
    """What is on a side marks a place only up to this far away; what one faces beyond it is in the distance ..."""
    side_min_share: Share = 0.02
    """... and if its box fills so much of the image."""


@dataclass(frozen=True)
class Seen:
    """A thing that may be named, as it lies along the walk."""

    along: ThingAlongWalk
    salience: float
    is_alone: bool
    """Nothing else on the way has its name."""
    ranges: Mapping[int, tuple[Range, ...]]
    """By frame that observed it."""
    shares: Mapping[int, float]
    """Share of the image that its box fills, by frame that observed it; 0 where that is a strip at the image's edge."""
    shown: Mapping[int, ShownSpan] = field(default_factory=dict)
    """Directions between which a frame shows it, by frame that observed it or follows its points."""
    followed: frozenset[int] = frozenset()
    """Frames that follow enough of its points."""

    @property
    def id(self) -> str:
        """Of the object."""
        return self.along.thing.id

    def measure_share(self, index: int) -> float:
        """Share of the image that it fills at a position of the walk: by the frame nearest in time that observed it."""
        walk = self.along.walk
        at = (walk.index_of[frame] for frame in self.shares if frame in walk.index_of)
        nearest = min(at, key=lambda one: (abs(walk.time_s[one] - walk.time_s[index]), one), default=None)
        return 0.0 if nearest is None else self.shares[walk.frames[nearest]]

    def is_in_view(self, index: int) -> bool:
        """Whether it is to be seen at a position: named at that moment, or followed and named soon before or after."""
        unseen_s = float(self.along.unseen_s[index])
        return unseen_s <= _SEEN_S or (unseen_s <= _FOLLOWED_S and self.along.walk.frames[index] in self.followed)

    def measure_off_deg(self, index: int) -> float:
        """How far off the view it is: its middle in the world, or in the picture where the view meets it there.

        Not at all where one stands right before it: the middle of a long counter may then be anywhere.
        """
        walk, off = self.along.walk, abs(float(self.along.bearing_deg[index]))
        if measure_ahead_m(self.along, index) <= _AT_M:
            return 0.0
        shown, heading_deg = self.shown.get(walk.frames[index]), float(walk.heading_deg[index])
        if shown is None or shown.measure_off_deg(heading_deg) > 0.0:
            return off
        return min(off, abs(shown.measure_turn_deg(heading_deg)))

    def measure_aside_deg(self, index: int) -> float:
        """How far to a side of the view it is, left positive: by the picture where that shows it, else by its middle.

        Of what is long and near a picture shows one end, and the middle may be behind.
        """
        walk = self.along.walk
        shown = self.shown.get(walk.frames[index])
        if shown is None:
            return float(self.along.bearing_deg[index])
        return shown.measure_turn_deg(float(walk.heading_deg[index]))

    def measure_shown_off_deg(self, index: int) -> float:
        """How far off the middle of the view the picture at a position shows its middle; inf if it does not."""
        shown = self.shown.get(self.along.walk.frames[index])
        heading_deg = float(self.along.walk.heading_deg[index])
        return float("inf") if shown is None else abs(shown.measure_turn_deg(heading_deg))

    def is_beside_view(self, index: int) -> bool:
        """Whether the frame at a position shows it beside the middle of the view; False if that did not observe it."""
        walk = self.along.walk
        shown = self.shown.get(walk.frames[index])
        return shown is not None and shown.measure_off_deg(float(walk.heading_deg[index])) > 0.0


def find_ahead(
    things: Sequence[Seen],
    standing: Sequence[ThingAlongWalk],
    index: int,
    part: Part,
    options: PlaceOptions,
    clear_m: float = float("inf"),
) -> Event | None:
    """What one faces at a position of the walk, by what stands out most; where a leg or way ends, `stop_at` if near.

    What something else hides, named or not, is not told; in front of what lies behind something else nobody stops, be
    that a thing or the first points ahead, `clear_m` (nominal metres) away.
    """
    best: tuple[float, Event] | None = None
    for thing in things:
        distance, off = float(thing.along.distance[index]), thing.measure_off_deg(index)
        if off > options.front_deg or not thing.is_in_view(index) or distance < options.stop_min_m:
            continue
        is_middle = off <= measure_half_width_deg(thing.along, index) and not thing.is_beside_view(index)
        if off > options.middle_deg and not is_middle:
            continue
        if distance > options.face_max_m:
            continue
        if any(_is_met(other, thing.along, index) for other in standing):
            continue
        before = [other for other in standing if is_between(other, thing.along, index)]
        is_free = not before and clear_m >= distance - _BEHIND_M
        is_near = part in ("leg", "end") and distance <= options.stop_max_m and is_free
        if not is_near and thing.measure_share(index) == 0.0:
            continue
        frame = thing.along.walk.frames[index]
        is_far = distance > options.side_max_m and thing.ranges.get(frame) == ("further",)
        range_: Range | None = "further" if is_far and not is_near else None
        event = Event("stop_at" if is_near else "see", frame, frame, thing.id, part=part, range=range_)
        score = thing.salience - _PER_M * distance - _PER_DEG * off + is_near + _stand_out(thing, index)
        if best is None or score > best[0]:
            best = (score, event)
    return best[1] if best is not None else None


def find_aside(things: Sequence[Seen], index: int, part: Part, options: PlaceOptions) -> Event | None:
    """What is on a side of the view at a position of the walk: the thing that stands out most.

    What the view meets is ahead, however much of it lies to one side.
    """
    best: tuple[float, Event] | None = None
    for thing in things:
        distance, off = float(thing.along.distance[index]), thing.measure_aside_deg(index)
        if abs(off) < options.side_min_deg or abs(off) > 90.0 or not thing.is_in_view(index):
            continue
        if distance > options.side_max_m or thing.measure_share(index) < options.side_min_share:
            continue
        side: Side = "left" if off > 0.0 else "right"
        frame = thing.along.walk.frames[index]
        score = thing.salience - _PER_M * distance + _stand_out(thing, index)
        if best is None or score > best[0]:
            best = (score, Event("side", frame, frame, thing.id, side, part=part))
    return best[1] if best is not None else None


def _stand_out(seen: Seen, index: int) -> float:
    return min(_PER_SHARE * seen.measure_share(index), _MOST_BY_SHARE)


def is_between(nearer: ThingAlongWalk, farther: ThingAlongWalk, index: int) -> bool:
    """Whether a thing stands across the line from a position of the walk to the middle of a farther one.

    What lies flat on the floor is walked over.
    """
    if 2.0 * nearer.thing.obb.half_extents[2] < _FLAT_M * nearer.metre:
        return False
    apart_m = float(farther.distance[index] - nearer.distance[index])
    apart_deg = abs(float(wrap_deg(farther.bearing_deg[index] - nearer.bearing_deg[index])))
    return apart_m > _BEHIND_M and apart_deg < measure_half_width_deg(nearer, index)


def _is_met(nearer: ThingAlongWalk, farther: ThingAlongWalk, index: int) -> bool:
    """Whether the view meets a thing right ahead, and the farther one behind its front."""
    met_m, own_m = measure_ahead_m(nearer, index), measure_ahead_m(farther, index)
    return 0.0 < met_m <= _AT_M and met_m + _FRONT_M < own_m < float("inf")


def measure_ahead_m(along: ThingAlongWalk, index: int) -> float:
    """How far ahead the view meets the box of a thing on the floor plan, in nominal metres; inf where it does not."""
    box, heading = along.thing.obb, np.radians(along.walk.heading_deg[index])
    axes, half = np.array(box.rotation)[:2, :2], np.array(box.half_extents[:2]) / along.metre
    start = -along.away[index] @ axes
    step = np.array([np.cos(heading), np.sin(heading)]) @ axes
    step = np.where(np.abs(step) < _PARALLEL, _PARALLEL, step)
    reached = np.sort(np.stack([(-half - start) / step, (half - start) / step]), axis=0)
    enters, leaves = float(reached[0].max()), float(reached[1].min())
    return max(enters, 0.0) if leaves >= max(enters, 0.0) else float("inf")


def measure_half_width_deg(along: ThingAlongWalk, index: int) -> float:
    """Angle from the centre of a thing to its edge, as seen from a position of the walk."""
    away = along.away[index]
    reach = float(np.linalg.norm(away))
    across = np.array([-away[1], away[0]]) / max(reach, 1e-6)
    sides = np.abs(across @ np.array(along.thing.obb.rotation)[:2, :2])
    half = float(sides @ np.array(along.thing.obb.half_extents[:2])) / along.metre
    return float(np.degrees(np.arctan2(half, reach)))
