"""Turns of the view that one who follows makes with the whole body, among the events of a way.

A head may look aside while the feet go on; but a view that is not taken back is where the walk goes on from, and a
listener has turned there. So a look is told as a turn unless the view comes back, or the feet go on sideways or
backwards against a view that holds still. Words for going sideways and backwards mean a view that holds still, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import pairwise

import numpy as np

from instructions.facts.walk import measure_turn_back
from instructions.navigation.moves.facing import drop_steps
from instructions.navigation.moves.legs import LEAST_M, Event, tell_turn
from instructions.navigation.moves.motion import Motion
from instructions.navigation.moves.turns import MOST_TOLD_DEG, Turn, is_taken_back

_HOLDS_DEG = 45.0
"""A view that turns by more than this while the feet go sideways or backwards says nothing of where they go."""
_LEAST_DEG = 30.0
"""What is left of a look after a glance to the other side is told from here on, as any turn."""
_GLANCE_DEG = 60.0
"""A look by at most this much that is taken back soon is a glance, though the next one goes on beyond."""
_PAUSE_S, _SWAY_DEG = 0.7, 15.0
"""A turn goes on through a shorter rest, and through turning back by less."""


_BACK_DEG = 45.0
"""A look by less leaves half of the picture in it."""
_SPOT_M = 1.5
"""Who gets further than this (nominal metres) while the view turns has walked, and a listener must be told of it."""
_LEG_M = 0.7
"""A walk straight on of at least so much (nominal metres) between two turns is told."""
_LEAVES_DEG = 15.0
"""Feet that have turned by so much have left their course."""
_NECK_DEG = 100.0
"""Heads turn by a right angle at most: a look clearly beyond that which is not taken back has turned the body, too."""


def settle_looks(motion: Motion, turns: Sequence[Turn], looks: Sequence[Turn]) -> tuple[list[Turn], list[Turn]]:
    """Take the looks after which the walk goes on ahead for turns, and leave glances out.

    Returns:
        Turns and looks, each in time order.
    """
    left = _drop_glances(motion, looks)
    kept = [look for look in left if _goes_ahead_after(motion, look)]
    led = [turn for turn in turns if not turn.is_look or abs(turn.angle_deg) > _GLANCE_DEG]
    settled = sorted([*led, *(replace(look, is_look=False, is_seen=True) for look in kept)], key=lambda one: one.first)
    seen = {(look.first, look.last) for look in kept}
    open_looks = [part for look in left if look not in kept for part in _split_where_back(motion, look)]
    return _join_turns(motion, settled, seen), open_looks


def _join_turns(motion: Motion, turns: Sequence[Turn], seen: AbstractSet[tuple[int, int]]) -> list[Turn]:
    """Turns of which one is by the view, `seen`, and that the view makes as one."""
    told: list[Turn] = []
    for turn in turns:
        before = told[-1] if told else None
        is_seen = before is not None and not seen.isdisjoint({(before.first, before.last), (turn.first, turn.last)})
        if before is None or not is_seen or before.is_look or turn.is_look:
            told.append(turn)
            continue
        if not _is_one(motion, before.first, before.last, turn.first, turn.last):
            told.append(turn)
            continue
        later = _begin_with_feet(motion, turn)
        is_walked = motion.measure_path(before.last, later.first) >= _LEG_M
        if is_walked and not _is_on_spot(motion, before.first, turn.last):
            told.append(later)
            continue
        angle_deg = motion.walk.measure_turn_deg(before.first, turn.last)
        told[-1] = Turn(before.first, turn.last, angle_deg, is_seen=True)
    return told


def _is_on_spot(motion: Motion, first: int, last: int) -> bool:
    """Whether one ends so near to where one began that a listener may turn there on the spot."""
    gone = np.linalg.norm(motion.walk.xy[last] - motion.walk.xy[first])
    return bool(gone <= _SPOT_M * motion.metre)


def _begin_with_feet(motion: Motion, turn: Turn) -> Turn:
    """A turn from where the feet leave the course that they came on; as it is if too little of it is left."""
    turned_deg = np.sign(turn.angle_deg) * (motion.feet_deg[turn.first : turn.last + 1] - motion.feet_deg[turn.first])
    on_course = np.flatnonzero(turned_deg < _LEAVES_DEG)
    begin = turn.first + int(on_course[-1])
    angle_deg = motion.measure_turn_deg(begin, turn.last) if begin < turn.last else 0.0
    is_left = angle_deg * turn.angle_deg > 0.0 and abs(angle_deg) >= _LEAST_DEG
    return replace(turn, first=begin, angle_deg=angle_deg) if is_left else turn


def _split_where_back(motion: Motion, look: Turn) -> list[Turn]:
    """A look on which one gets far, before and after the feet begin to go backwards: that is to be told between."""
    backs = [at for at in range(look.first + 1, look.last) if motion.going[at] == "back"]
    if not backs or _is_on_spot(motion, look.first, look.last):
        return [look]
    turn_deg = motion.walk.measure_turn_deg
    cut = backs[0]
    parts = [
        replace(look, last=cut, angle_deg=turn_deg(look.first, cut)),
        replace(look, first=cut + 1, angle_deg=turn_deg(cut + 1, look.last)),
    ]
    return parts if all(part.angle_deg * np.sign(look.angle_deg) >= _LEAST_DEG for part in parts) else [look]


def _is_one(motion: Motion, first: int, last: int, next_first: int, next_last: int) -> bool:
    """Whether the view turns on from one turn to the next, to one side and by no more than can be told."""
    walk = motion.walk
    turned_deg = walk.heading_deg[first : next_last + 1] - walk.heading_deg[first]
    sign = float(np.sign(turned_deg[-1]))
    goes = (walk.measure_turn_deg(first, last) * sign, walk.measure_turn_deg(next_first, next_last) * sign)
    rest_s = walk.time_s[next_first] - walk.time_s[last]
    is_steady = min(goes) > 0.0 and measure_turn_back(turned_deg, sign) <= _SWAY_DEG
    return is_steady and rest_s <= _PAUSE_S and abs(float(turned_deg[-1])) <= MOST_TOLD_DEG


def _goes_ahead_after(motion: Motion, look: Turn) -> bool:
    """Whether the next that the feet do, a pause after a look, is to walk ahead."""
    time_s, at = motion.walk.time_s, look.last + 1
    while at < len(time_s) and (motion.going[at] == "stand" or time_s[at] - time_s[look.last] <= _PAUSE_S):
        at += 1
    return at < len(time_s) and motion.going[at] == "forward"


def _drop_glances(motion: Motion, looks: Sequence[Turn]) -> list[Turn]:
    """Of two looks to opposite sides, one soon after the other, what the second turns beyond where the first began."""
    left = list(looks)
    at = 0
    while at + 1 < len(left):
        rest = _find_rest(motion, left[at], left[at + 1])
        if rest is None:
            at += 1
            continue
        left[at : at + 2] = [rest] if abs(rest.angle_deg) >= _LEAST_DEG else []
        at = 0
    return left


def _find_rest(motion: Motion, before: Turn, after: Turn) -> Turn | None:
    """What a look turns beyond where one before it began; None if that one is no glance."""
    if not is_taken_back(motion, before, after) or abs(before.angle_deg) > min(abs(after.angle_deg), _GLANCE_DEG):
        return None
    walk = motion.walk
    beyond_deg = (walk.heading_deg[after.first : after.last + 1] - walk.heading_deg[before.first]) * np.sign(
        after.angle_deg
    )
    crossed = after.first + int(np.argmax(beyond_deg >= 0.0))
    if beyond_deg[-1] < 0.0:
        return None
    return replace(after, first=crossed, angle_deg=walk.measure_turn_deg(crossed, after.last))


def tell_view_turns(motion: Motion, events: Sequence[Event]) -> list[Event]:
    """Tell looks that are not taken back on a way as turns.

    Returns:
        The same without walks whose words mean a view that holds still where it does not.
    """
    held = [_hold_view(motion, event, events) if _is_aside(event) else event for event in events]
    told = [event for event in held if event is not None]
    told = [_turn_with_view(motion, event) if _is_kept(motion, told, at) else event for at, event in enumerate(told)]
    return _tell_looks_between(motion, told)


def _tell_looks_between(motion: Motion, events: Sequence[Event]) -> list[Event]:
    """Between two turns to one side that nothing parts, the look back to the other side that the view makes.

    Without it they would be told as one turn that goes on, which is further than one has turned in between.
    """
    walk, told = motion.walk, list(events[:1])
    for before, event in pairwise(events):
        if before.kind == event.kind == "turn" and before.side == event.side and event.side is not None:
            first, last = walk.index_of[before.last_frame], walk.index_of[event.first_frame]
            sign = 1.0 if event.side == "left" else -1.0
            gone_deg = sign * walk.heading_deg[first : last + 1] if last > first else np.zeros(1)
            end = int(np.argmax(np.maximum.accumulate(gone_deg) - gone_deg))
            begin = int(np.argmax(gone_deg[: end + 1]))
            back_deg = float(gone_deg[begin] - gone_deg[end])
            if back_deg >= _BACK_DEG:
                look = Turn(first + begin, first + end, -sign * back_deg, is_look=True)
                told.append(tell_turn(motion, look))
                event = _turn_with_view(motion, replace(event, first_frame=walk.frames[look.last]))
        told.append(event)
    return told


def _is_aside(event: Event) -> bool:
    return event.kind == "walk" and event.angle_deg != 0.0


def _hold_view(motion: Motion, event: Event, events: Sequence[Event]) -> Event | None:
    """A walk as far as the view holds still, but for turns and looks told within it; None if that is not far."""
    walk, at = motion.walk, motion.walk.index_of
    first, last = at[event.first_frame], at[event.last_frame]
    is_told = np.zeros(len(motion.going), dtype=bool)
    for one in events:
        if one.kind in ("turn", "look") and first < at[one.first_frame] < last:
            is_told[at[one.first_frame] : at[one.last_frame]] = True
    view_deg = drop_steps(walk.heading_deg[first : last + 1], is_told[first : last + 1])
    spread_deg = np.maximum.accumulate(view_deg) - np.minimum.accumulate(view_deg)
    end = first + int(np.flatnonzero(spread_deg <= _HOLDS_DEG)[-1])
    if end < last and motion.measure_path(first, end) < LEAST_M[motion.going[end]]:
        return None
    return replace(event, last_frame=walk.frames[end])


def _measure_view_deg(motion: Motion, event: Event) -> float:
    """How far the view turns in all, left positive."""
    at = motion.walk.index_of
    return motion.walk.measure_turn_deg(at[event.first_frame], at[event.last_frame])


def _is_kept(motion: Motion, events: Sequence[Event], at: int) -> bool:
    """Whether a look is where the walk goes on from: not taken back, nor held aside while the feet go on."""
    view_deg = abs(_measure_view_deg(motion, events[at]))
    if events[at].kind != "look" or view_deg < _LEAST_DEG:
        return False
    if view_deg >= _NECK_DEG:
        return True
    following = next((event for event in events[at + 1 :] if event.kind in ("walk", "turn")), None)
    return following is None or not _is_aside(following)


def _turn_with_view(motion: Motion, event: Event) -> Event:
    """A turn by as much as the view turns; one around says which way, for the feet may go another."""
    at = motion.walk.index_of
    first, last = at[event.first_frame], at[event.last_frame]
    turn = Turn(first, last, motion.walk.measure_turn_deg(first, last), is_seen=True)
    return tell_turn(motion, turn)
