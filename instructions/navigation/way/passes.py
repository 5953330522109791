"""What a leg of a way walks past, and on which side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from instructions.facts.walk import ThingAlongWalk, Walk, measure_passing
from instructions.navigation.moves.legs import Event
from instructions.navigation.way.places import Seen
from instructions.navigation.way.way_facts import ProgressionOptions
from instructions.records import Side

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
    heading = np.radians(walk.heading_deg[near])
    if direction @ np.array([np.cos(heading), np.sin(heading)]) < np.cos(np.radians(options.pass_facing_deg)):
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
