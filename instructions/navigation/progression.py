"""What happens on a way, from geometry alone: walks, turns, and how things pass, come near and end up in front.

Everything told must be visible: an object counts only where frames of the way truly observed it.

Walks, turns and events are this writer's own choice, by bars narrower than those of the check
(`instructions.truth.bars`). What both use are the measures of `instructions.facts`; the check never sees stretches,
turns or candidates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from instructions.facts.along import ThingAlongWalk
from instructions.facts.passing import measure_passing
from instructions.facts.rooms import find_stays, room_at
from instructions.facts.walk import Walk
from instructions.navigation.legs import Event, find_walks, find_walks_within, join_events, tell_turn
from instructions.navigation.motion import Motion
from instructions.navigation.places import (
    PlaceOptions,
    Seen,
    find_ahead,
    find_aside,
    is_between,
    measure_half_width_deg,
)
from instructions.navigation.turns import Turn
from instructions.navigation.ways import Way
from instructions.records import Observation, Range, RoomSpan, SceneObject, Side
from recon.conventions import wrap_deg
from recon.ranges import Count, HalfTurn, NotNegative, Share

_DIRECTION_REACH_M = 0.6
"""The walking direction at a pass is that from so far before to so far after: two steps, less than a leg."""
_BESIDE_M = 0.05
"""Nearer than this to its box the walk goes through a thing: its box is wrong, or it is a door."""
_PASS_MARGIN_M = 0.3
"""A passed thing is so far ahead where the leg begins and so far behind where it ends; the check asks for a third."""
_CLOSE_M = 1.5
"""A thing of many is passed so near: of those behind them nobody knows which one is meant."""
_PASS_PER_M = 0.3
"""What a metre to the side takes off how well a passed thing stands out."""
_BEFORE_LEG_S = 1.0
"""What is passed is in view on the leg, or so shortly before it that a listener still sees it there."""
_LEAST_SIGHTINGS = 2
"""Frames that saw a thing before it is passed: one may be a glimpse between two others."""
_TOWARDS_DEG, _TOWARDS_END_DEG = 40.0, 20.0
"""What is walked up to is within this angle of the view at the start and halfway, and at the end."""
_TOWARDS_SEEN_S = 1.0
"""And is in view at the end, to so long, ..."""
_TOWARDS_SEEN_SHARE = 0.6
"""... and for so much of the leg: who does not see it does not know where to walk."""
_TOWARDS_COURSE_DEG = 15.0
"""And the way as a whole leads there, or past its edge by at most this: one comes nearer to much that one walks by."""
_CLEARLY_M = 1.0
"""Of several things of one name in view, the one that is nearer by this is meant."""
_PER_SHARE = 2.0
"""What filling the image at the end adds to how well a goal stands out."""


@dataclass(frozen=True, kw_only=True)
class ProgressionOptions:
    """When something is worth mentioning. Lengths in metres (nominal ones where the model has no scale)."""

    pass_within_m: NotNegative = 2.5
    """Things further to the side are not passed but seen."""
    pass_clear_m: NotNegative = 0.3
    """The centre of a passed thing lies at least this far to the side, so that its side is beyond doubt."""
    pass_facing_deg: HalfTurn = 50.0
    """Passing is mentioned only while the walker looks roughly where it walks; else left and right confuse."""
    seen_before_s: NotNegative = 6.0
    """A passed thing must have been seen at most this long before it was passed."""
    approach_share: Share = 0.30
    """An approach makes at least this share of the distance; the check asks for half of it."""
    approach_m: NotNegative = 0.7
    """And at least this much of it."""
    approach_end_m: NotNegative = 4.0
    """And ends no further away than this."""
    max_passes_per_leg: Count = 2
    """More make a list, not a way."""
    max_objects: Count = 4
    """Mentions per text that a reader can follow, without those at its start, its turns and its end."""
    places: PlaceOptions = PlaceOptions()
    """What marks a place."""


@dataclass(frozen=True)
class Candidate:
    """An object a text about this way may name, with how much it stands out."""

    thing: SceneObject
    salience: float
    is_alone: bool = True
    """Nothing else on the way has its name."""


@dataclass(frozen=True)
class Telling:
    """What one wording tells of a way beyond its walks and turns."""

    by_view: bool = False
    """Starts with what is on a side, and says what turns and looks lead to; else starts with what is ahead."""
    ends_aside: bool = False
    """Ends with what is on a side, if anything is, else with what is in front."""
    avoid: frozenset[str] = frozenset()
    """Things that another wording passes: not passed again."""


@dataclass(frozen=True, eq=False)
class WayFacts:
    """What the events of a way are found in."""

    motion: Motion
    """Of the whole walk."""
    way: Way
    """The part to tell."""
    turns: Sequence[Turn]
    """Of the whole walk."""
    looks: Sequence[Turn]
    """Of the whole walk, those that no turn tells."""
    things: Sequence[Seen]
    """What may be named."""
    standing: Sequence[ThingAlongWalk]
    """All that stands in the model and has a category, named or not: one walks up to it, not to what is behind."""
    rooms: Sequence[RoomSpan] = ()

    @classmethod
    def of(
        cls,
        motion: Motion,
        way: Way,
        turns: Sequence[Turn],
        looks: Sequence[Turn],
        candidates: Sequence[Candidate],
        observations: Sequence[Observation],
        area: float,
        others: Sequence[SceneObject] = (),
        rooms: Sequence[RoomSpan] = (),
    ) -> WayFacts:
        """Lay the candidates along the walk; observations of other things are left out.

        Args:
            motion: Of the whole walk.
            way: The part to tell.
            turns: Of the whole walk.
            looks: Of the whole walk.
            candidates: What may be named.
            observations: Of the way.
            area: Of an image, in pixels.
            others: All things of the model: what stands before another need not be named. Those without a category are
                left out, for they may be a piece of wall.
            rooms: Stays in rooms.
        """
        ranges: dict[str, dict[int, tuple[Range, ...]]] = {one.thing.id: {} for one in candidates}
        shares: dict[str, dict[int, float]] = {one.thing.id: {} for one in candidates}
        for seen in observations:
            if seen.object in ranges:
                x0, y0, x1, y1 = seen.box_xyxy
                ranges[seen.object][seen.frame] = seen.ranges
                shares[seen.object][seen.frame] = (x1 - x0) * (y1 - y0) / area
        lain = {one.id: ThingAlongWalk(motion.walk, one, motion.metre) for one in others if one.category is not None}
        things = [
            Seen(
                lain.get(one.thing.id) or ThingAlongWalk(motion.walk, one.thing, motion.metre),
                one.salience,
                one.is_alone,
                ranges[one.thing.id],
                shares[one.thing.id],
            )
            for one in candidates
        ]
        return cls(motion, way, turns, looks, things, tuple(lain.values()), rooms)


def find_events(facts: WayFacts, options: ProgressionOptions, telling: Telling = Telling()) -> list[Event]:
    """Events of one way in the order in which a text mentions them.

    Args:
        facts: Of the way.
        options: Thresholds.
        telling: What to tell beyond walks and turns.

    Returns:
        First what tells the start, if anything does; walks, turns and looks in time order; passes and approaches follow
        the walk they belong to, and what a turn or look leads to follows it; last what tells the end. No thing is in
        more than one pass or approach.
    """
    motion, way = facts.motion, facts.way
    moves = any(going != "stand" for going in motion.going[way.first : way.last + 1])
    end = _find_end(facts, options, telling) if moves else None
    told = _find_moves(facts, end, options, telling)
    if not told:
        return []
    start = _find_start(facts, [*told, *([end] if end is not None else [])], options, telling)
    if telling.by_view:
        told = _add_targets(facts, told, end, options)
    told = _insert_rooms(facts, told)
    return [*start, *told, *([end] if end is not None else [])]


def _find_moves(facts: WayFacts, end: Event | None, options: ProgressionOptions, telling: Telling) -> list[Event]:
    """Walks, turns and looks, with what is passed and walked up to."""
    motion, way, things = facts.motion, facts.way, facts.things
    walk = motion.walk
    inside = [turn for turn in facts.turns if way.first <= turn.first and turn.last <= way.last]
    aside = [tell_turn(motion, look) for look in facts.looks if way.first <= look.first and look.last <= way.last]
    edges = [way.first, *(index for turn in inside for index in (turn.first, turn.last)), way.last]
    legs = [find_walks(motion, first, last) for first, last in zip(edges[::2], edges[1::2], strict=True)]
    goal = end.object if end is not None and end.kind in ("stop_at", "see") else None
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
            free = [one for one in things if one.id not in used and one.id not in telling.avoid]
            most = max(0, min(budget, options.max_passes_per_leg))
            passes = _passes(walk, first, last, free, most, options)
            used |= {event.object for event in passes}
            budget -= len(passes)
            told += passes
            is_last = number == len(legs) - 1 and part == len(leg) - 1
            goals = [one for one in things if one.id not in used]
            if is_last and goal is not None:
                goals = [one for one in things if one.id == goal]
            elif budget <= 0:
                goals = []
            approach = _approach(walk, first, last, goals, facts.standing, options)
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
                if one.first_frame != begin:
                    told.append(one)
                    walked = one
    return _insert_looks(walk, join_events(motion, told), aside)


def _insert_looks(walk: Walk, events: Sequence[Event], looks: Sequence[Event]) -> list[Event]:
    """Looks between the events, each before the first walk or turn that begins with it or later.

    Places on the walk are compared, for on a way back the frame numbers fall.
    """
    at_of = walk.index_of
    told = list(events)
    for look in looks:
        later = (
            at
            for at, event in enumerate(told)
            if event.kind in ("walk", "turn", "look") and at_of[event.first_frame] >= at_of[look.first_frame]
        )
        told.insert(next(later, len(told)), look)
    return told


def _find_end(facts: WayFacts, options: ProgressionOptions, telling: Telling) -> Event | None:
    """What tells the end: a thing in front or on a side, else the room."""
    at, things = facts.way.last, facts.things
    ahead = find_ahead(things, facts.standing, at, "end", options.places)
    aside = find_aside(things, at, "end", options.places)
    found = (aside or ahead) if telling.ends_aside else (ahead or aside)
    if found is not None:
        return found
    frame = facts.motion.walk.frames[at]
    room = room_at(facts.rooms, frame)
    return Event("room", frame, frame, room=room, part="end") if room is not None else None


def _find_start(facts: WayFacts, told: Sequence[Event], options: ProgressionOptions, telling: Telling) -> list[Event]:
    """What tells the start: the room where it is known, and a thing ahead or on a side.

    Rather a thing that nothing else tells; on a side, none that is passed.
    """
    at, end = facts.way.first, told[-1]
    others = [one for one in facts.things if end.part != "end" or one.id != end.object]
    passed = {one.object for one in told if one.kind == "pass"}
    ahead = find_ahead(others, facts.standing, at, "start", options.places)
    free = [one for one in others if one.id not in passed]
    aside = find_aside(free, at, "start", options.places)
    if ahead is None and aside is None:
        aside = find_aside(others, at, "start", options.places)
    thing = (aside or ahead) if telling.by_view else (ahead or aside)
    frame = facts.motion.walk.frames[at]
    room = room_at(facts.rooms, frame)
    is_told = end.kind == "room" and end.room == room
    found = [Event("room", frame, frame, room=room, part="start")] if room is not None and not is_told else []
    return [*found, *([thing] if thing is not None else [])]


def _add_targets(
    facts: WayFacts, events: Sequence[Event], end: Event | None, options: ProgressionOptions
) -> list[Event]:
    """After each turn and look what one faces then, unless what follows begins before, or something near names it."""
    index_of = facts.motion.walk.index_of
    told: list[Event] = []
    faced: set[str | None] = set()
    for at, event in enumerate(events):
        told.append(event)
        if event.kind not in ("turn", "look"):
            continue
        following = events[at + 1 :]
        if any(index_of[one.first_frame] < index_of[event.last_frame] for one in following):
            continue
        around = (*events[max(at - 3, 0) : at], *following[:4])
        named = faced | {one.object for one in around if one.kind in ("pass", "approach")}
        if end is not None and not any(one.kind == "walk" for one in following):
            named.add(end.object)
        free = [one for one in facts.things if one.id not in named and one.is_alone]
        target = find_ahead(free, facts.standing, index_of[event.last_frame], "turn", options.places)
        if target is not None:
            told.append(replace(target, range=None))
            faced.add(target.object)
    return told


def _insert_rooms(facts: WayFacts, events: Sequence[Event]) -> list[Event]:
    """Rooms that are entered, each before the first event that begins then or later."""
    frames, at_of = facts.motion.walk.frames[facts.way.first : facts.way.last + 1], facts.motion.walk.index_of
    told = list(events)
    for room, first, _ in find_stays(facts.rooms, frames)[1:]:
        entered = Event("enter", frames[first], frames[first], room=room)
        begin = at_of[entered.first_frame]
        later = (at for at, one in enumerate(told) if one.part is None and at_of[one.first_frame] >= begin)
        told.insert(next(later, len(told)), entered)
    return told


def _passes(
    walk: Walk, first: int, last: int, things: Sequence[Seen], most: int, options: ProgressionOptions
) -> list[Event]:
    """The most salient things walked past on this leg, in the order they are passed.

    Those that share their name with others come last, and only if nothing can stand between.
    """
    found: list[tuple[float, int, Event]] = []
    by_id = {one.id: one for one in things}
    for one in things:
        near = one.along.closest(first, last)
        side = _find_passed_side(one.along, first, last, near, options)
        if side is not None:
            score = one.salience - _PASS_PER_M * float(one.along.distance[near])
            found.append((score, near, Event("pass", walk.frames[first], walk.frames[last], one.id, side)))
    sure = [entry for entry in found if by_id[entry[2].object or ""].is_alone]
    close = [
        entry
        for entry in found
        if entry not in sure and by_id[entry[2].object or ""].along.distance[entry[1]] <= _CLOSE_M
    ]
    found = sorted(sure, key=lambda entry: -entry[0]) + sorted(close, key=lambda entry: -entry[0])
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
    since_s = float(walk.time_s[near] - walk.time_s[first]) + _BEFORE_LEG_S
    return by.side if thing.count_sightings(near, min(options.seen_before_s, since_s)) >= _LEAST_SIGHTINGS else None


def _approach(
    walk: Walk,
    first: int,
    last: int,
    things: Sequence[Seen],
    standing: Sequence[ThingAlongWalk],
    options: ProgressionOptions,
) -> Event | None:
    """The most salient thing that this leg walks up to: it is where the feet go, in view, and nothing is before it."""
    best: tuple[float, Event] | None = None
    for one in things:
        thing = one.along
        start, end = thing.distance[[first, last]]
        gain = start - end
        is_gain = gain >= options.approach_m and gain >= options.approach_share * start
        if not is_gain or end > options.approach_end_m or not _is_kept_in_view(thing, first, last):
            continue
        bearings = np.abs(thing.bearing_deg[[first, (first + last) // 2, last]])
        if bearings[:2].max() > _TOWARDS_DEG or bearings[2] > _TOWARDS_END_DEG:
            continue
        if not _leads_to(thing, first, last) or any(is_between(other, thing, last) for other in standing):
            continue
        if not one.is_alone and any(_is_rather_meant(other, thing, last) for other in standing):
            continue
        score = one.salience + _PER_SHARE * one.measure_share(last)
        if best is None or score > best[0]:
            best = (score, Event("approach", walk.frames[first], walk.frames[last], one.id))
    return best[1] if best is not None else None


def _is_rather_meant(other: ThingAlongWalk, thing: ThingAlongWalk, last: int) -> bool:
    """Whether another thing of the same category is in view at the end, and not clearly further away."""
    is_alike = other.thing.id != thing.thing.id and other.thing.category == thing.thing.category
    in_view = other.unseen_s[last] <= _TOWARDS_SEEN_S and abs(other.bearing_deg[last]) <= _TOWARDS_DEG
    return bool(is_alike and in_view and other.distance[last] < thing.distance[last] + _CLEARLY_M)


def _is_kept_in_view(thing: ThingAlongWalk, first: int, last: int) -> bool:
    """In view when the leg ends, and for most of it."""
    share = float(np.mean(thing.unseen_s[first : last + 1] <= _TOWARDS_SEEN_S))
    return bool(thing.unseen_s[last] <= _TOWARDS_SEEN_S) and share >= _TOWARDS_SEEN_SHARE


def _leads_to(thing: ThingAlongWalk, first: int, last: int) -> bool:
    """Whether the straight line from the leg's first position through its last goes to the thing."""
    gone = thing.walk.xy[last] - thing.walk.xy[first]
    away = thing.away[first]
    off_deg = np.degrees(np.arctan2(away[1], away[0]) - np.arctan2(gone[1], gone[0]))
    return abs(float(wrap_deg(off_deg))) <= _TOWARDS_COURSE_DEG + measure_half_width_deg(thing, first)


_STRIKING = {"red", "orange", "yellow", "green", "blue", "turquoise", "purple", "pink"}
_SIZES: Mapping[str | None, float] = {"tall": 1.0, "large": 0.9, "wide": 0.8, "low": 0.3, None: 0.2, "small": -0.4}
_ALONE = 0.6
"""What the only thing of its name on a way is worth more: nobody has to ask which one."""


def salience(thing: SceneObject, image_share: float, is_alone: bool = True) -> float:
    """How well a thing serves as a landmark.

    Its size word and the largest share of an image it fills (0 to 1); its colour where that is all that names it; and
    whether it is the only one of its name.
    """
    base = (thing.color or "").split(" ")[-1]
    color = 1.0 if base in _STRIKING else 0.6 if base in ("white", "black") else 0.4
    named = color if thing.category is None else 0.6
    return named + _SIZES.get(thing.size_word, 0.2) + min(4.0 * image_share, 0.8) + (_ALONE if is_alone else 0.0)
