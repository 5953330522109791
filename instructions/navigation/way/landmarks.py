"""What a leg of a way walks past and up to, and what tells where a way starts and ends."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from instructions.facts.walk import ThingAlongWalk, Walk, find_swings, measure_passing, room_at
from instructions.navigation.moves.legs import Event, Part
from instructions.navigation.way.names import is_part_of
from instructions.navigation.way.places import (
    Seen,
    find_ahead,
    find_aside,
)
from instructions.navigation.way.way_facts import ProgressionOptions, Telling, WayFacts
from instructions.records import Side
from recon.geometry import Array

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


def find_passes(
    walk: Walk, first: int, last: int, things: Sequence[Seen], most: int, options: ProgressionOptions
) -> list[Event]:
    """The most salient things walked past on this leg, in the order they are passed.

    Those that share their name with others only where no other is passed, and if nothing can stand between: a chair
    says little beside the table it stands at.
    """
    found: list[tuple[float, int, Event]] = []
    by_id = {thing.id: thing for thing in things}
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
    found = sorted(sure or close, key=lambda entry: -entry[0])
    chosen = sorted(found[:most], key=lambda entry: entry[1])
    return [event for _, _, event in chosen]


def _find_passed_side(
    thing: ThingAlongWalk, first: int, last: int, near: int, options: ProgressionOptions
) -> Side | None:
    """Side on which a leg passes a thing whose closest point is `near`; None if it does not pass it."""
    walk, leg = thing.walk, slice(first, last + 1)
    direction = walk.direction(near, _DIRECTION_REACH_M * thing.metre)
    if direction is None or thing.distance[leg].min() <= _BESIDE_M:
        return None
    by = measure_passing(thing, near, direction, leg)
    if by.distance > options.pass_within_m or abs(by.lateral) < options.pass_clear_m:
        return None
    if by.along[0] < _PASS_MARGIN_M or by.along[-1] > -_PASS_MARGIN_M:
        return None
    since_s = float(walk.time_s[near] - walk.time_s[first]) + _BEFORE_LEG_S
    until_s = options.seen_before_s if options.only_passes else 0.0
    sightings = thing.count_sightings(near, min(options.seen_before_s, since_s), until_s)
    return by.side if sightings >= _LEAST_SIGHTINGS else None


_TOWARDS_DEG, _TOWARDS_END_DEG = 40.0, 20.0
"""What is walked up to is within this angle of the view at the start and halfway, and at the end."""
_TOWARDS_SEEN_S = 1.0
"""And is in view at the end, to so long, ..."""
_TOWARDS_SEEN_SHARE = 0.6
"""... and for so much of the leg: who does not see it does not know where to walk."""
_GOAL_M = 1.0
"""The goal of a leg lies so far beyond its end, where its last such piece leads ..."""
_SHOWN_DEG = 6.0
"""... and the pictures show the thing there, or beside it by at most this: its box in the world may hold others."""
_CLEARLY_M = 1.0
"""Of several things of one name in view, the one that is nearer by this is meant."""
_PER_SHARE = 2.0
"""What filling the image at the end adds to how well a goal stands out."""


def find_approach(
    walk: Walk,
    first: int,
    last: int,
    things: Sequence[Seen],
    standing: Sequence[ThingAlongWalk],
    options: ProgressionOptions,
    known: Collection[str],
) -> Event | None:
    """The most salient thing that this leg walks up to: it is where the feet go, in view, and nothing is before it.

    Where several of one name stand there, all of them are walked up to; each has to be one of `known`, by its id.
    """
    best: tuple[float, Event] | None = None
    for one in things:
        thing = one.along
        start, end = thing.distance[[first, last]]
        gain = start - end
        is_gain = gain >= options.approach_m and gain >= options.approach_share * start
        if not is_gain or end > options.approach_end_m or not _is_kept_in_view(thing, first, last):
            continue
        bearings = np.abs(thing.bearing_deg[[first, (first + last) // 2, last]])
        if bearings[:2].max() > _TOWARDS_DEG or min(bearings[2], one.measure_shown_off_deg(last)) > _TOWARDS_END_DEG:
            continue
        if not _is_shown_at_goal(one, first, last):
            continue
        rivals = [] if one.is_alone else [other for other in standing if _is_rather_meant(other, thing, last)]
        if any(other.thing.id not in known or not _is_walked_up_to(other, first, last, options) for other in rivals):
            continue
        score = one.salience + _PER_SHARE * one.measure_share(last)
        if best is None or score > best[0]:
            best = (score, Event("approach", walk.frames[first], walk.frames[last], one.id, is_many=bool(rivals)))
    return best[1] if best is not None else None


def _is_rather_meant(other: ThingAlongWalk, thing: ThingAlongWalk, last: int) -> bool:
    """Whether another thing of the same category is in view at the end, and not clearly further away."""
    is_alike = other.thing.id != thing.thing.id and other.thing.category == thing.thing.category
    is_alike = is_alike and not is_part_of(other.thing, thing.thing)
    in_view = other.unseen_s[last] <= _TOWARDS_SEEN_S and abs(other.bearing_deg[last]) <= _TOWARDS_DEG
    return bool(is_alike and in_view and other.distance[last] < thing.distance[last] + _CLEARLY_M)


def _is_walked_up_to(thing: ThingAlongWalk, first: int, last: int, options: ProgressionOptions) -> bool:
    """Whether a leg comes nearer to a thing that is in view: of several such things nobody has to know which one."""
    start, end = thing.distance[[first, last]]
    is_nearer = start - end >= max(options.approach_m, options.approach_share * start)
    return bool(is_nearer) and end <= options.approach_end_m and _is_kept_in_view(thing, first, last)


def _is_kept_in_view(thing: ThingAlongWalk, first: int, last: int) -> bool:
    """In view when the leg ends, and for most of it."""
    share = float(np.mean(thing.unseen_s[first : last + 1] <= _TOWARDS_SEEN_S))
    return bool(thing.unseen_s[last] <= _TOWARDS_SEEN_S) and share >= _TOWARDS_SEEN_SHARE


def _is_shown_at_goal(seen: Seen, first: int, last: int) -> bool:
    """Whether the pictures of the second half of a leg show the thing where the leg leads, by their median."""
    walk, reach = seen.along.walk, _GOAL_M * seen.along.metre
    direction = walk.chord(last, reach, first, last)
    if direction is None:
        return True
    goal = walk.xy[last] + reach * direction
    off_deg: list[float] = []
    for index in range((first + last) // 2, last + 1):
        shown = seen.shown.get(walk.frames[index])
        if shown is not None:
            away = goal - walk.xy[index]
            off_deg.append(shown.measure_off_deg(float(np.degrees(np.arctan2(away[1], away[0])))))
    return not off_deg or float(np.median(off_deg)) <= _SHOWN_DEG


_UNKNOWN_KIND, _UNKNOWN_ROOM = 0.3, 0.6
"""What a thing that shares its name with others, and a room, leave open of an end, as shares of all."""
_TURNS_DEG_S = 15.0
"""Faster turns that go on after a place are not yet where it stops."""
_UNTOLD_DEG, _BACK_S = 30.0, 1.5
"""So much turning that no text tells is followed by turning back so soon, or nothing is told rightly any more."""


def measure_unknown(facts: WayFacts, options: ProgressionOptions) -> Array:
    """How little tells each place of a walk as an end, (N,): 0 is a thing of its own name, 1 nothing or turning."""
    alone, walk = {thing.id for thing in facts.things if thing.is_alone}, facts.motion.walk
    unknown = np.ones(len(walk.frames))
    turns = np.abs(np.diff(walk.heading_deg)) >= _TURNS_DEG_S * np.diff(walk.time_s)
    is_open = ~np.append(turns, False) & ~_find_untold(facts)
    for at in np.flatnonzero(is_open):
        seen = [] if options.only_passes else [thing for thing in facts.things if _is_known_by(thing, int(at))]
        found = find_end(facts, seen, int(at), options)
        named = {one.object for one in found if one.object is not None and one.range != "further"}
        if found:
            is_thing = any(one.object is not None for one in found)
            unknown[at] = 0.0 if named & alone else _UNKNOWN_KIND if is_thing else _UNKNOWN_ROOM
    return unknown


def _find_untold(facts: WayFacts) -> NDArray[np.bool_]:
    """Where an end would leave turning out, (N,): in what no turn or look tells, and while it may be taken back."""
    walk, turned = facts.motion.walk, [*facts.turns, *facts.looks]
    untold = np.zeros(len(walk.frames), dtype=bool)
    for swing in find_swings(walk.heading_deg, walk.time_s, 0):
        is_told = any(one.first < swing.last and swing.first < one.last for one in turned)
        if abs(swing.angle_deg) >= _UNTOLD_DEG and not is_told:
            begin, end = walk.time_s[[swing.first, swing.last]]
            untold |= (walk.time_s > begin) & (walk.time_s <= end + _BACK_S)
    return untold


def _is_known_by(seen: Seen, index: int) -> bool:
    """Whether a thing was observed up to a position: no way that ends there tells what is seen only later."""
    at_of = seen.along.walk.index_of
    return any(at_of[frame] <= index for frame in seen.ranges)


def find_end(facts: WayFacts, things: Sequence[Seen], at: int, options: ProgressionOptions) -> list[Event]:
    """What tells an end: a thing in front and one on a side, or either, else the room; first what is at hand."""
    ahead = find_ahead(things, facts.standing, at, "end", options.places, facts.measure_clear_m(at))
    aside = find_aside(_list_beside(things, ahead), at, "end", options.places)
    is_far = ahead is not None and ahead.kind == "see"  # what is at hand says where to stop
    found = [one for one in ((aside, ahead) if is_far else (ahead, aside)) if one is not None]
    return found or tell_room(facts, at, "end")


def _list_beside(things: Sequence[Seen], ahead: Event | None) -> list[Seen]:
    """What may be told on a side: all, or with something ahead only what has its own name, of another category.

    Of the same category it may be the same, found twice.
    """
    if ahead is None:
        return list(things)
    kind = next(thing.along.thing.category for thing in things if thing.id == ahead.object)
    others = (thing for thing in things if thing.is_alone and thing.id != ahead.object)
    return [other for other in others if kind is None or other.along.thing.category != kind]


def tell_room(facts: WayFacts, at: int, part: Part) -> list[Event]:
    """The room at a position, where it is known."""
    frame = facts.motion.walk.frames[at]
    room = room_at(facts.rooms, frame)
    return [Event("room", frame, frame, room=room, part=part)] if room is not None else []


def find_start(facts: WayFacts, told: Sequence[Event], options: ProgressionOptions, telling: Telling) -> list[Event]:
    """What tells the start: the room where it is known, and a thing ahead or on a side.

    What is ahead first, by the view with what is on a side, if nothing else has its name and no turn follows, after
    which it would be elsewhere. Rather a thing that nothing else tells; on a side, none that is passed.
    """
    at, end = facts.way.first, told[-1]
    named = {one.object for one in told if one.part in ("leg", "end")}
    others = [thing for thing in facts.things if thing.id not in named]
    passed = {one.object for one in told if one.kind == "pass"}
    ahead = find_ahead(others, facts.standing, at, "start", options.places)
    free = [one for one in _list_beside(others, ahead) if one.id not in passed]
    aside = find_aside(free, at, "start", options.places)
    if ahead is None and aside is None:
        aside = find_aside(others, at, "start", options.places)
    places = [one for one in (ahead, aside) if one is not None]
    here = tell_room(facts, at, "start")
    is_told = bool(here) and end.kind == "room" and end.room == here[0].room
    is_both = telling.by_view and told[0].kind != "turn"
    return [*([] if is_told else here), *(places if is_both else places[:1])]
