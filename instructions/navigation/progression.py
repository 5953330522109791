"""What happens on a way, from geometry alone: walks, turns, and how things pass, come near and end up in front.

Everything told must be visible: an object counts only where frames of the way truly observed it.

Walks, turns and events are this writer's own choice, by bars narrower than those of the check
(`instructions.truth.bars`). What both use are the measures of `instructions.facts`; the check never sees stretches,
turns or candidates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from instructions.facts.along import ThingAlongWalk
from instructions.facts.passing import measure_passing
from instructions.facts.walk import Walk
from instructions.navigation.legs import Event, find_walks, find_walks_within, join_events, tell_turn
from instructions.navigation.motion import Motion
from instructions.navigation.turns import Turn
from instructions.navigation.ways import Way
from instructions.records import ClaimKind, SceneObject, Side

_DIRECTION_REACH_M = 0.6
"""The walking direction at a pass is that from so far before to so far after: two steps, less than a leg."""
_BESIDE_M = 0.05
"""Nearer than this to its box the walk goes through a thing: its box is wrong, or it is a door."""
_PASS_MARGIN_M = 0.3
"""A passed thing is so far ahead where the leg begins and so far behind where it ends; the check asks for a third."""
_LEAST_SIGHTINGS = 2
"""Frames that saw a thing before it is passed: one may be a glimpse between two others."""
_TOWARDS_DEG, _TOWARDS_END_DEG = 40.0, 30.0
"""What is walked up to is within this angle of the view at the start and halfway, and at the end."""
_TOWARDS_SEEN_S, _END_SEEN_S = 2.0, 1.2
"""And was seen at most so long before the end; what is in front at the end of the way was seen more recently."""


@dataclass(frozen=True, kw_only=True)
class ProgressionOptions:
    """When something is worth mentioning. Lengths in metres (nominal ones where the model has no scale)."""

    pass_within_m: float = 2.5
    """Things further to the side are not passed but seen."""
    pass_clear_m: float = 0.3
    """The centre of a passed thing lies at least this far to the side, so that its side is beyond doubt."""
    pass_facing_deg: float = 50.0
    """Passing is mentioned only while the walker looks roughly where it walks; else left and right confuse."""
    seen_before_s: float = 6.0
    """A passed thing must have been seen at most this long before it was passed."""
    approach_share: float = 0.30
    """An approach makes at least this share of the distance; the check asks for half of it."""
    approach_m: float = 1.0
    """And at least this much of it."""
    approach_end_m: float = 4.0
    """And ends no further away than this."""
    front_deg: float = 20.0
    """`In front` means within this angle of the optical axis; the check allows 5 degrees more."""
    stop_min_m: float = 0.3
    """Nearer than this nobody stands in front of a thing but at it."""
    stop_max_m: float = 3.0
    """Further away than this it is not `in front of` any more."""
    face_max_m: float = 6.0
    """A turn may end facing a thing up to this far away."""
    max_passes_per_leg: int = 2
    """More make a list, not a way."""
    max_objects: int = 4
    """Mentions per text that a reader can follow."""


@dataclass(frozen=True)
class Candidate:
    """An object a text about this way may name, with how much it stands out."""

    thing: SceneObject
    salience: float


@dataclass(frozen=True, eq=False)
class _AlongWay:
    """A candidate as it lies along the walk."""

    along: ThingAlongWalk
    salience: float

    @property
    def id(self) -> str:
        """Of the object."""
        return self.along.thing.id


def find_events(
    motion: Motion,
    way: Way,
    turns: Sequence[Turn],
    looks: Sequence[Turn],
    candidates: Sequence[Candidate],
    options: ProgressionOptions,
) -> list[Event]:
    """Events of one way in the order in which a text mentions them.

    Args:
        motion: The whole walk.
        way: The part to tell.
        turns: Turns of the whole walk.
        looks: Looks of the whole walk that no turn tells.
        candidates: Objects that may be named.
        options: Thresholds.

    Returns:
        Walks and turns in time order; passes and approaches follow the walk they belong to; last `stop_at` or `see` for
        what is in front at the end, if anything is. Each object is in at most one pass or approach (plus the stop).
    """
    walk, metre = motion.walk, motion.metre
    inside = [turn for turn in turns if way.first <= turn.first and turn.last <= way.last]
    seen_aside = [tell_turn(motion, look) for look in looks if way.first <= look.first and look.last <= way.last]
    edges = [way.first, *(index for turn in inside for index in (turn.first, turn.last)), way.last]
    legs = [find_walks(motion, first, last) for first, last in zip(edges[::2], edges[1::2], strict=True)]
    things = [_AlongWay(ThingAlongWalk(walk, one.thing, metre), one.salience) for one in candidates]
    end = _end_event(walk, way, bool(legs[-1]), things, options)
    used = {end.object} if end is not None else set()
    budget = options.max_objects - len(used)

    told: list[Event] = []
    walked: Event | None = None  # since the last turn
    for number, leg in enumerate(legs):
        for part, event in enumerate(leg):
            told.append(event)
            walked = event
            if event.angle_deg != 0.0:
                continue
            first, last = walk.index_of[event.first_frame], walk.index_of[event.last_frame]
            free = [one for one in things if one.id not in used]
            most = max(0, min(budget, options.max_passes_per_leg))
            passes = _passes(walk, first, last, free, most, options)
            used |= {event.object for event in passes}
            budget -= len(passes)
            told += passes
            is_last = number == len(legs) - 1 and part == len(leg) - 1
            goals = [one for one in things if one.id not in used]
            if is_last and end is not None:
                goals = [one for one in things if one.id == end.object]
            elif budget <= 0:
                goals = []
            approach = _approach(walk, first, last, goals, options)
            if approach is not None:
                budget -= approach.object not in used
                used.add(approach.object)
                told.append(approach)
        if number < len(inside):
            turn = inside[number]
            walks = find_walks_within(motion, turn, walked)
            begin = walk.frames[turn.first]
            told += [one for one in walks if one.first_frame == begin]
            told.append(tell_turn(motion, turn))
            walked = None
            for one in walks:
                if one.first_frame > begin:
                    told.append(one)
                    walked = one
    return [*_insert_looks(join_events(motion, told), seen_aside), *([end] if end is not None else [])]


def _insert_looks(events: Sequence[Event], looks: Sequence[Event]) -> list[Event]:
    """Looks between the events, each before the first walk or turn that begins with it or later."""
    told = list(events)
    for look in looks:
        later = (
            at
            for at, event in enumerate(told)
            if event.kind in ("walk", "turn", "look") and event.first_frame >= look.first_frame
        )
        told.insert(next(later, len(told)), look)
    return told


def _passes(
    walk: Walk, first: int, last: int, things: Sequence[_AlongWay], most: int, options: ProgressionOptions
) -> list[Event]:
    """The most salient things walked past on this leg, in the order they are passed."""
    found: list[tuple[float, int, Event]] = []
    for one in things:
        near = one.along.closest(first, last)
        side = _find_passed_side(one.along, first, last, near, options)
        if side is not None:
            found.append((one.salience, near, Event("pass", walk.frames[first], walk.frames[last], one.id, side)))
    found.sort(key=lambda entry: -entry[0])
    return [event for _, _, event in sorted(found[:most], key=lambda entry: entry[1])]


def _find_passed_side(
    thing: ThingAlongWalk, first: int, last: int, near: int, options: ProgressionOptions
) -> Side | None:
    """Side on which a leg passes a thing whose closest point is `near`; None if it does not pass it."""
    walk, leg = thing.walk, slice(first, last + 1)
    direction = walk.direction(near, _DIRECTION_REACH_M * thing.metre)
    if direction is None or thing.distance[leg].min() <= _BESIDE_M:
        return None
    heading = np.radians(walk.heading_deg[near])
    if direction @ np.array([np.cos(heading), np.sin(heading)]) < np.cos(np.radians(options.pass_facing_deg)):
        return None
    by = measure_passing(thing, near, direction, leg)
    if by.distance > options.pass_within_m or abs(by.lateral) < options.pass_clear_m:
        return None
    if by.along[0] < _PASS_MARGIN_M or by.along[-1] > -_PASS_MARGIN_M:
        return None
    return by.side if thing.count_sightings(near, options.seen_before_s) >= _LEAST_SIGHTINGS else None


def _approach(
    walk: Walk, first: int, last: int, things: Sequence[_AlongWay], options: ProgressionOptions
) -> Event | None:
    """The most salient thing that this leg walks up to."""
    best: tuple[float, Event] | None = None
    for one in things:
        thing = one.along
        start, end = thing.distance[[first, last]]
        gain = start - end
        is_gain = gain >= options.approach_m and gain >= options.approach_share * start
        if not is_gain or end > options.approach_end_m or thing.seen_since_s[last] > _TOWARDS_SEEN_S:
            continue
        bearings = np.abs(thing.bearing_deg[[first, (first + last) // 2, last]])
        if bearings[:2].max() > _TOWARDS_DEG or bearings[2] > _TOWARDS_END_DEG:
            continue
        if best is None or one.salience > best[0]:
            best = (one.salience, Event("approach", walk.frames[first], walk.frames[last], one.id))
    return best[1] if best is not None else None


def _end_event(
    walk: Walk,
    way: Way,
    walked: bool,
    things: Sequence[_AlongWay],
    options: ProgressionOptions,
) -> Event | None:
    """What stands in front where the way ends: `stop_at` if it is near, else `see` if it ends with a turn."""
    best: tuple[float, Event] | None = None
    for one in things:
        distance, off = float(one.along.distance[way.last]), abs(float(one.along.bearing_deg[way.last]))
        is_seen = one.along.seen_since_s[way.last] <= _END_SEEN_S
        if off > options.front_deg or not is_seen or distance < options.stop_min_m:
            continue
        if distance <= options.stop_max_m:
            kind: ClaimKind = "stop_at"
        elif not walked and distance <= options.face_max_m:
            kind = "see"
        else:
            continue
        score = one.salience - 0.3 * distance - off / 40.0
        if best is None or score > best[0]:
            best = (score, Event(kind, walk.frames[way.last], walk.frames[way.last], one.id))
    return best[1] if best is not None else None


_STRIKING = {"red", "orange", "yellow", "green", "blue", "turquoise", "purple", "pink"}
_SIZES: Mapping[str | None, float] = {"tall": 1.0, "large": 0.9, "wide": 0.8, "low": 0.3, None: 0.2, "small": -0.4}


def salience(thing: SceneObject, image_share: float) -> float:
    """How well a thing serves as a landmark: colour, size word, and the largest share of an image it fills (0 to 1)."""
    base = (thing.color or "").split(" ")[-1]
    color = 1.0 if base in _STRIKING else 0.6 if base in ("white", "black") else 0.4
    return color + _SIZES.get(thing.size_word, 0.2) + min(4.0 * image_share, 0.8)
