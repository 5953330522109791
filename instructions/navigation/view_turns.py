"""Turns of the view that one who follows makes with the whole body, among the events of a way.

A head may look aside while the feet go on; but a view that is not taken back is where the walk goes on from, and a
listener has turned there. So a look is told as a turn unless the view comes back, or the feet go on sideways or
backwards against a view that holds still. Words for going sideways and backwards mean a view that holds still, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from instructions.navigation.legs import Event, turn_claim
from instructions.navigation.motion import Motion
from instructions.navigation.turns import MOST_TOLD_DEG
from instructions.records import Side

_HOLDS_DEG = 45.0
"""A view that turns by more than this while the feet go sideways or backwards says nothing of where they go."""
_LEAST_DEG = 30.0
"""What is left of a look after a glance to the other side is told from here on, as any turn."""
_GLANCE_S, _GLANCE_DEG = 5.0, 60.0
"""A look by at most this much that is taken back within this time is a glance, though the next one goes on beyond."""
_PAUSE_S, _SWAY_DEG = 0.7, 15.0
"""A turn goes on through a shorter rest, and through turning back by less."""


def tell_view_turns(motion: Motion, events: Sequence[Event]) -> list[Event]:
    """Tell looks that are not taken back as turns, and one turn of view and feet as one.

    Args:
        motion: Of the whole walk.
        events: Walks, turns and looks in the order of the text, with what is passed and where walks end.

    Returns:
        The same without glances, and without walks whose words mean a view that holds still where it does not.
    """
    told = [event for event in events if not _is_aside(event) or _holds_view(motion, event)]
    told = _drop_glances(motion, told)
    told = [
        _turn_with_view(motion, event) if _is_kept(motion, told, at) else event for at, event in enumerate(told)
    ]
    return _join(motion, told)


def _is_aside(event: Event) -> bool:
    return event.kind == "walk" and event.angle_deg != 0.0


def _holds_view(motion: Motion, event: Event) -> bool:
    return abs(_measure_view_deg(motion, event)) <= _HOLDS_DEG


def _measure_view_deg(motion: Motion, event: Event) -> float:
    """How far the view turns in all, left positive."""
    at = motion.walk.index_of
    return motion.walk.measure_turn_deg(at[event.first_frame], at[event.last_frame])


def _drop_glances(motion: Motion, events: Sequence[Event]) -> list[Event]:
    """Of two looks to opposite sides, one soon after the other, what the second turns beyond where the first began."""
    told = list(events)
    at = 0
    while at < len(told):
        other = _find_next_look(told, at)
        rest = None if other is None else _find_rest(motion, told[at], told[other])
        if other is None or rest is None:
            at += 1
            continue
        told[other] = rest
        if abs(rest.angle_deg or 0.0) < _LEAST_DEG:
            del told[other]
        del told[at]
        at = 0
    return told


def _find_next_look(events: Sequence[Event], at: int) -> int | None:
    """The look after one, with nothing between them but walks sideways or backwards."""
    if events[at].kind != "look":
        return None
    for later in range(at + 1, len(events)):
        if events[later].kind == "look":
            return later
        if not _is_aside(events[later]):
            return None
    return None


def _find_rest(motion: Motion, one: Event, other: Event) -> Event | None:
    """What a look turns beyond where one before it began; None if that one is no glance."""
    walk = motion.walk
    first, last = walk.index_of[one.first_frame], walk.index_of[other.last_frame]
    there, back = _measure_view_deg(motion, one), _measure_view_deg(motion, other)
    if there * back >= 0.0 or abs(there) > min(abs(back), _GLANCE_DEG):
        return None
    turned_deg = (walk.heading_deg[first : last + 1] - walk.heading_deg[first]) * np.sign(back)
    begin = walk.index_of[other.first_frame]
    crossed = begin + int(np.argmax(turned_deg[begin - first :] >= 0.0))
    if walk.time_s[crossed] - walk.time_s[first] > _GLANCE_S:
        return None
    return replace(other, first_frame=walk.frames[crossed], angle_deg=walk.measure_turn_deg(crossed, last))


def _is_kept(motion: Motion, events: Sequence[Event], at: int) -> bool:
    """Whether a look is where the walk goes on from: not taken back, nor held aside while the feet go on."""
    if events[at].kind != "look" or abs(_measure_view_deg(motion, events[at])) < _LEAST_DEG:
        return False
    following = next((one for one in events[at + 1 :] if one.kind in ("walk", "turn")), None)
    return following is None or not _is_aside(following)


def _turn_with_view(motion: Motion, event: Event) -> Event:
    """A turn by as much as the view turns; one around says which way, for the feet may go another."""
    turned_deg = _measure_view_deg(motion, event)
    side: Side = "left" if turned_deg > 0.0 else "right"
    around, angle_deg = turn_claim(turned_deg)
    return replace(event, kind="turn", side=side, angle_deg=angle_deg * np.sign(turned_deg) if around is None else angle_deg)


def _join(motion: Motion, events: Sequence[Event]) -> list[Event]:
    """Turns to one side that the view makes as one: feet and view begin and end them at different times."""
    told: list[Event] = []
    for event in events:
        before = told[-1] if told else None
        if before is not None and before.kind == event.kind == "turn" and _is_one_turn(motion, before, event):
            told[-1] = _turn_with_view(motion, replace(before, last_frame=event.last_frame))
        else:
            told.append(event)
    return told


def _is_one_turn(motion: Motion, one: Event, other: Event) -> bool:
    walk = motion.walk
    first, last = walk.index_of[one.first_frame], walk.index_of[other.last_frame]
    rest_s = walk.time_s[walk.index_of[other.first_frame]] - walk.time_s[walk.index_of[one.last_frame]]
    turned_deg = walk.heading_deg[first : last + 1] - walk.heading_deg[first]
    sign = float(np.sign(turned_deg[-1]))
    back_deg = float((np.maximum.accumulate(sign * turned_deg) - sign * turned_deg).max())
    sides = {(two.angle_deg or 0.0) > 0.0 for two in (one, other)}
    return sides == {sign > 0.0} and rest_s <= _PAUSE_S and back_deg <= _SWAY_DEG and abs(turned_deg[-1]) <= MOST_TOLD_DEG
