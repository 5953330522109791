"""What happens on a way, from geometry alone: walks, turns, and how things pass, come near and end up in front.

Everything told must be visible: an object counts only where frames of the way truly observed it.

Walks, turns and events are this writer's own choice, by bars narrower than those of the check (`claims.walk_bars`).
What both use are the measures of `instructions.facts`; the check never sees stretches, turns or candidates.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from instructions.facts.walk import Walk, find_stays
from instructions.navigation.moves.legs import (
    Event,
    add_extents,
    find_walks,
    find_walks_within,
    is_bend,
    join_events,
    tell_turn,
)
from instructions.navigation.moves.view_turns import tell_view_turns
from instructions.navigation.way.landmarks import find_approach, find_end, find_passes, find_start, tell_room
from instructions.navigation.way.places import Seen, find_ahead, find_aside
from instructions.navigation.way.way_facts import ProgressionOptions, Telling, WayFacts

_SMALL_TURN_DEG = 60.0
"""Where a smaller turn is made is enough; after a larger one a listener has to know towards what."""


def find_events(facts: WayFacts, options: ProgressionOptions, telling: Telling = Telling()) -> list[Event]:
    """Events of one way in the order in which a text mentions them.

    Returns:
        First what tells the start, if anything does; walks, turns and looks in time order; passes and approaches follow
        the walk they belong to, and what a turn or look leads to follows it; last what tells the end. No thing is in
        more than one pass or approach.
    """
    motion, way = facts.motion, facts.way
    if options.only_passes:
        told = _find_moves(facts, (), options, telling)
        told = _insert_rooms(facts, told)
        start, end = tell_room(facts, way.first, "start"), tell_room(facts, way.last, "end")
        entered = [one.room for one in told if one.kind == "enter"][-1:]
        end = [one for one in end if one.room not in entered]
        return [*start, *add_extents(motion, [*told, *end], facts.model.scale)] if told else []
    moves = any(going != "stand" for going in motion.going[way.first : way.last + 1])
    end = find_end(facts, facts.things, way.last, options) if moves else []
    told = _find_moves(facts, end, options, telling)
    if not told:
        return []
    start = find_start(facts, [*told, *end], options, telling)
    told = _add_targets(facts, told, end, options, telling)
    return [*start, *add_extents(motion, [*_insert_rooms(facts, told), *end], facts.model.scale)]


def _find_moves(facts: WayFacts, end: Sequence[Event], options: ProgressionOptions, telling: Telling) -> list[Event]:
    """Walks, turns and looks, with what is passed and walked up to."""
    motion, way, things = facts.motion, facts.way, facts.things
    walk = motion.walk
    inside = [turn for turn in facts.turns if way.first <= turn.first and turn.last <= way.last]
    aside = [tell_turn(motion, look) for look in facts.looks if way.first <= look.first and look.last <= way.last]
    edges = [way.first, *(index for turn in inside for index in (turn.first, turn.last)), way.last]
    legs = [find_walks(motion, first, last) for first, last in zip(edges[::2], edges[1::2], strict=True)]
    goal = next((one.object for one in end if one.kind in ("stop_at", "see")), None)
    used = {one.object for one in end}
    budget = options.max_objects - len(used)

    told: list[Event] = []

    def tell(event: Event, *, is_last: bool) -> None:
        nonlocal budget, used
        told.append(event)
        if event.angle_deg != 0.0:
            return
        first, last = walk.index_of[event.first_frame], walk.index_of[event.last_frame]
        passes = _find_fresh_passes(facts, first, last, used, budget, options, telling)
        used |= {event.object for event in passes}
        budget -= len(passes)
        told.extend(passes)
        if options.only_passes:
            return
        goals = [thing for thing in things if thing.id not in used]
        if is_last and goal is not None:
            goals = [thing for thing in things if thing.id == goal]
        elif budget <= 0:
            goals = []
        place = find_approach(walk, first, last, goals, facts.standing, options, facts.names)
        if place is None and not passes and budget > 0:
            at = min((look.first for look in facts.looks if first < look.first <= last), default=last)
            place = _find_leg_end(facts, goals, first, at, options) if at < last or not (is_last and end) else None
        if place is not None:
            budget -= place.object not in used
            used.add(place.object)
            told.append(place)

    for number, leg in enumerate(legs):
        for part, event in enumerate(leg):
            tell(event, is_last=number == len(legs) - 1 and part == len(leg) - 1)
        if number < len(inside):
            turn = inside[number]
            walks = find_walks_within(motion, turn, leg[-1] if leg else None)
            begin = walk.frames[turn.first]
            for one in walks:
                if one.first_frame == begin and is_bend(motion, turn):
                    tell(one, is_last=False)
                elif one.first_frame == begin:
                    told.append(one)
            told.append(tell_turn(motion, turn))
            told += [one for one in walks if one.first_frame != begin]
    return tell_view_turns(motion, _insert_looks(walk, join_events(motion, told), aside))


def _find_fresh_passes(
    facts: WayFacts,
    first: int,
    last: int,
    used: Collection[str | None],
    budget: int,
    options: ProgressionOptions,
    telling: Telling,
) -> list[Event]:
    """What is passed on a leg; what another wording passes only where else it would be one of many."""
    free = [thing for thing in facts.things if thing.id not in used]
    fresh = [one for one in free if one.id not in telling.avoid]
    most = max(0, min(budget, options.max_passes_per_leg))
    found = [find_passes(facts.motion.walk, first, last, things, most, options) for things in (fresh, free)]
    alone = {one.id for one in free if one.is_alone}
    return found[0] if not found[0] or any(one.object in alone for one in found[0]) else found[1]


def _find_leg_end(
    facts: WayFacts, things: Sequence[Seen], first: int, at: int, options: ProgressionOptions
) -> Event | None:
    """What tells that one has come far enough: a thing of its own name on a side, else near ahead.

    What is on that side from the beginning of the leg on tells nothing.
    """
    alone = [thing for thing in things if thing.is_alone]
    fresh = [one for one in alone if not _is_aside_at_both(one, first, at, options)]
    beside = find_aside(fresh, at, "leg", options.places)
    if beside is not None:
        return beside
    ahead = find_ahead(alone, facts.standing, at, "leg", options.places, facts.measure_clear_m(at))
    return ahead if ahead is not None and ahead.kind == "stop_at" else None


def _is_aside_at_both(seen: Seen, first: int, last: int, options: ProgressionOptions) -> bool:
    """Whether a thing is in view on one side where a leg begins, and on the same side where it ends."""
    begins, ends = float(seen.along.bearing_deg[first]), float(seen.along.bearing_deg[last])
    is_there = options.places.side_min_deg <= abs(begins) <= 90.0 and seen.is_in_view(first)
    return begins * ends > 0.0 and is_there and float(seen.along.distance[first]) <= options.places.side_max_m


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


def _add_targets(
    facts: WayFacts, events: Sequence[Event], end: Sequence[Event], options: ProgressionOptions, telling: Telling
) -> list[Event]:
    """After each look, after each large turn, and after each that nothing tells where to make, what one faces then.

    After a turn that nothing leads on from else what it brings from one side to the other. By the view after all turns.
    Unless what follows begins before, or something near names it.
    """
    index_of = facts.motion.walk.index_of
    told: list[Event] = []
    faced: set[str | None] = set()
    for at, event in enumerate(events):
        told.append(event)
        if event.kind not in ("turn", "look"):
            continue
        is_small = event.kind == "turn" and abs(event.angle_deg or 180.0) <= _SMALL_TURN_DEG
        following = events[at + 1 :]
        around = (*events[max(at - 3, 0) : at], *following[:4])
        named = faced | {one.object for one in around if one.kind in ("pass", "approach")}
        if not any(one.kind == "walk" for one in following):
            named |= {one.object for one in end}
        open_things = [thing for thing in facts.things if thing.id not in named]
        alone = [thing for thing in open_things if thing.is_alone]
        last = index_of[event.last_frame]
        target = _find_target(facts, open_things if event.kind == "look" else alone, event, following, options)
        if target is None and event.kind == "turn" and not is_small:
            target = find_ahead(open_things, facts.standing, last, "turn", options.places)
        if target is None:
            continue
        told.append(replace(target, range=None))
        faced.add(target.object)
    return told


def _find_target(
    facts: WayFacts, free: Sequence[Seen], event: Event, following: Sequence[Event], options: ProgressionOptions
) -> Event | None:
    """What one faces after a turn or look; after a turn that nothing leads on from else what it brings to a side."""
    first, last = (facts.motion.walk.index_of[frame] for frame in (event.first_frame, event.last_frame))
    target = find_ahead(free, facts.standing, last, "turn", options.places)
    if target is not None or event.kind == "look" or _is_led(following):
        return target
    sign = 1.0 if event.side == "left" else -1.0
    crossing = [one for one in free if sign * one.along.bearing_deg[first] > options.places.side_min_deg]
    aside = find_aside(crossing, last, "turn", options.places)
    return aside if aside is not None and aside.side != event.side else None


def _is_led(following: Sequence[Event]) -> bool:
    """Whether the walk after a turn goes towards something, which tells how far to turn."""
    turns = (at for at, one in enumerate(following) if one.kind in ("turn", "look"))
    return any(one.kind == "approach" for one in following[: next(turns, len(following))])


def _insert_rooms(facts: WayFacts, events: Sequence[Event]) -> list[Event]:
    """Rooms that are entered, each before the first event that begins then or later."""
    frames, at_of = facts.motion.walk.frames[facts.way.first : facts.way.last + 1], facts.motion.walk.index_of
    told = list(events)
    for room, first, _ in find_stays(facts.rooms, frames)[1:]:
        entered = Event("enter", frames[first], frames[first], room=room)
        begin = at_of[entered.first_frame]
        later = (at for at, one in enumerate(told) if one.part is None and at_of[one.first_frame] >= begin)
        at = next(later, len(told))
        if at and told[at - 1].part == "turn" and at_of[told[at - 1].first_frame] > begin:
            at -= 1
            del told[at]  # one enters before that turn ends
        told.insert(at, entered)
    return told
