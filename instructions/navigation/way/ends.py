"""What tells where a way starts and ends, and how well each place of a walk could be told as an end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from instructions.facts.walk import find_swings, room_at
from instructions.navigation.moves.legs import Event, Part
from instructions.navigation.way.places import Seen, find_ahead, find_aside
from instructions.navigation.way.way_facts import ProgressionOptions, Telling, WayFacts
from recon.geometry import Array

_UNKNOWN_KIND, _UNKNOWN_ROOM = 0.3, 0.6
"""What a thing that shares its name with others, and a room, leave open of an end, as shares of all."""
_TURNS_DEG_S = 15.0
"""Faster turns that go on after a place are not yet where it stops."""
_UNTOLD_DEG, _BACK_S = 30.0, 1.5
"""So much turning that no text tells is followed by turning back so soon, or nothing is told rightly any more."""


def measure_unknown(facts: WayFacts, options: ProgressionOptions) -> Array:
    """How little tells each place of a walk as an end, (N,): 0 is a thing of its own name, 1 nothing or a turning view.

    Args:
        facts: Of the whole walk.
        options: Thresholds.
    """
    alone, walk = {one.id for one in facts.things if one.is_alone}, facts.motion.walk
    unknown = np.ones(len(walk.frames))
    turns = np.abs(np.diff(walk.heading_deg)) >= _TURNS_DEG_S * np.diff(walk.time_s)
    is_open = ~np.append(turns, False) & ~_find_untold(facts)
    for at in np.flatnonzero(is_open):
        seen = [] if options.only_passes else [one for one in facts.things if _is_known_by(one, int(at))]
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


def _is_known_by(one: Seen, index: int) -> bool:
    """Whether a thing was observed up to a position: no way that ends there tells what is seen only later."""
    at_of = one.along.walk.index_of
    return any(at_of[frame] <= index for frame in one.ranges)


def find_end(facts: WayFacts, things: Sequence[Seen], at: int, options: ProgressionOptions) -> list[Event]:
    """What tells an end: a thing in front and one on a side, or either, else the room; first what is at hand."""
    ahead = find_ahead(things, facts.standing, at, "end", options.places, facts.measure_clear_m(at))
    aside = find_aside(_list_beside(things, ahead), facts.standing, at, "end", options.places)
    is_far = ahead is not None and ahead.kind == "see"  # what is at hand says where to stop
    found = [one for one in ((aside, ahead) if is_far else (ahead, aside)) if one is not None]
    return found or tell_room(facts, at, "end")


def _list_beside(things: Sequence[Seen], ahead: Event | None) -> list[Seen]:
    """What may be told on a side: all, or with something ahead only what has its own name, of another category.

    Of the same category it may be the same, found twice.
    """
    if ahead is None:
        return list(things)
    kind = next(one.along.thing.category for one in things if one.id == ahead.object)
    others = (one for one in things if one.is_alone and one.id != ahead.object)
    return [one for one in others if kind is None or one.along.thing.category != kind]


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
    others = [one for one in facts.things if one.id not in named]
    passed = {one.object for one in told if one.kind == "pass"}
    ahead = find_ahead(others, facts.standing, at, "start", options.places)
    free = [one for one in _list_beside(others, ahead) if one.id not in passed]
    aside = find_aside(free, facts.standing, at, "start", options.places)
    if ahead is None and aside is None:
        aside = find_aside(others, facts.standing, at, "start", options.places)
    places = [one for one in (ahead, aside) if one is not None]
    here = tell_room(facts, at, "start")
    is_told = bool(here) and end.kind == "room" and end.room == here[0].room
    is_both = telling.by_view and told[0].kind != "turn"
    return [*([] if is_told else here), *(places if is_both else places[:1])]
