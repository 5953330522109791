"""What a leg of a way walks up to."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from instructions.facts.walk import ThingAlongWalk, Walk
from instructions.navigation.moves.legs import Event
from instructions.navigation.way.names import is_part_of
from instructions.navigation.way.places import Seen, find_hiding, is_between, measure_half_width_deg
from instructions.navigation.way.way_facts import ProgressionOptions
from recon.conventions import wrap_deg

_TOWARDS_DEG, _TOWARDS_END_DEG = 40.0, 20.0
"""What is walked up to is within this angle of the view at the start and halfway, and at the end."""
_TOWARDS_SEEN_S = 1.0
"""And is in view at the end, to so long, ..."""
_TOWARDS_SEEN_SHARE = 0.6
"""... and for so much of the leg: who does not see it does not know where to walk."""
_TOWARDS_COURSE_DEG = 15.0
"""And the way as a whole leads there, or past its edge by at most this: one comes nearer to much that one walks by."""
_GOAL_M = 1.0
"""The goal of a leg lies so far beyond its end, where its last such piece leads ..."""
_SHOWN_DEG = 6.0
"""... and the pictures show the thing there, or beside it by at most this: its box in the world may hold others."""
_CLEARLY_M = 1.0
"""Of several things of one name in view, the one that is nearer by this is meant."""
_HANGS = {"window", "picture", "mirror"}
"""One walks towards these though a table stands below them: nobody means to touch them."""
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
        if not _leads_to(thing, first, last) or _find_hindering(thing, standing, last):
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


def _find_hindering(thing: ThingAlongWalk, standing: Sequence[ThingAlongWalk], last: int) -> list[ThingAlongWalk]:
    """What stands before a thing where the leg ends; before what hangs on a wall, only what hides it."""
    before = [other for other in standing if is_between(other, thing, last)]
    return find_hiding(thing, before) if thing.thing.category in _HANGS else before


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


def _leads_to(thing: ThingAlongWalk, first: int, last: int) -> bool:
    """Whether the straight line from the leg's first position through its last goes to the thing."""
    gone = thing.walk.xy[last] - thing.walk.xy[first]
    away = thing.away[first]
    off_deg = np.degrees(np.arctan2(away[1], away[0]) - np.arctan2(gone[1], gone[0]))
    return abs(float(wrap_deg(off_deg))) <= _TOWARDS_COURSE_DEG + measure_half_width_deg(thing, first)


def _is_shown_at_goal(one: Seen, first: int, last: int) -> bool:
    """Whether the pictures of the second half of a leg show the thing where the leg leads, by their median."""
    walk, reach = one.along.walk, _GOAL_M * one.along.metre
    direction = walk.chord(last, reach, first, last)
    if direction is None:
        return True
    goal = walk.xy[last] + reach * direction
    off_deg: list[float] = []
    for index in range((first + last) // 2, last + 1):
        shown = one.shown.get(walk.frames[index])
        if shown is not None:
            away = goal - walk.xy[index]
            off_deg.append(shown.measure_off_deg(float(np.degrees(np.arctan2(away[1], away[0])))))
    return not off_deg or float(np.median(off_deg)) <= _SHOWN_DEG
