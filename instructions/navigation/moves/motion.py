"""How the walker moves from moment to moment: walks or stands, which way against its view, and where the walk faces.

The walk and the view are two things. A head looks aside while the feet go on, so the direction of travel is measured
over about one step and held against the heading of that moment, never against the mean of a long stretch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from instructions.facts.walk import Walk, find_runs
from instructions.navigation.moves.facing import drop_steps, find_facing
from recon.conventions import wrap_deg
from recon.geometry import Array
from recon.ranges import HalfTurn, NotNegative, Seconds

Mask = NDArray[np.bool_]
Going = Literal["stand", "forward", "left", "back", "right"]
"""What the feet do, relative to the view."""
_ASIDE = ("left", "right", "back")
_DIRECTIONS: tuple[Going, ...] = ("forward", "left", "back", "right")
_SECTOR_DEG = 90.0
_NO_QUARTER = -1
_VIEW_LAG_S = 1.5
"""Heads turn up to so long before or after feet."""
_PACE_PERCENTILE, _PACE_M_S, _LEAST_PACE = 75.0, 0.7, 0.5
"""Who moves more slowly than this most of the time, or in a scale that is assumed too small, walks and stands at speeds
that are smaller by as much, down to half: people film homes at 0.6 to 1.3 m/s. Set by hand; with it statements about
motion on seven labelled tours stay true, 137 of 137."""
_ARM_M = 0.15
"""A camera is held at least so far out from the axis about which a body turns; set on two walks, where with 0.2 a side
step along a counter is lost."""


@dataclass(frozen=True, kw_only=True)
class MotionOptions:
    """When a walker walks, and when it goes another way than it looks. Lengths in (nominal) metres."""

    step_s: Seconds = 0.4
    """The velocity at a position is that from so long before to so long after: about one step."""
    walk_m_s: NotNegative = 0.35
    """Faster than this one walks; indoor tours go at 0.6 to 1.3."""
    stand_m_s: NotNegative = 0.2
    """Slower than this one stands and sways; in between one goes on with what one did."""
    min_stand_s: NotNegative = 0.8
    """A shorter rest is a slow step."""
    hold_deg: HalfTurn = 12.0
    """Forward, back and to the sides are quarters of the circle; one leaves a quarter so far beyond its edge."""
    min_stretch_m: NotNegative = 0.6
    """A shorter change of the way one goes is a single step, and part of what is around it."""
    glance_deg: HalfTurn = 40.0
    """Who looks aside and walks on keeps its course within this angle; otherwise it is a side step."""
    glance_s: Seconds = 6.0
    """And is back on it before so long; who looks aside for longer walks sideways to one who follows."""


@dataclass(frozen=True)
class Stretch:
    """Positions `first` to `last` of a walk, on which the feet do one thing."""

    first: int
    last: int
    going: Going


@dataclass(frozen=True, eq=False)
class Motion:
    """A walk with its motion at every position."""

    walk: Walk
    metre: float
    """Length of one (nominal) metre in the walk's unit."""
    going: tuple[Going, ...]
    facing_deg: Array
    """(N,) unwrapped: which way the walk faces (`navigation.facing`). Only differences have a meaning."""
    feet_deg: Array
    """(N,) the same with the direction of travel alone where it goes forward."""
    view_deg: Array
    """(N,) unwrapped: the view, as if it stood still while the walk goes sideways or backwards."""

    def find_stretches(self, first: int, last: int) -> list[Stretch]:
        """What the feet do from one position to another, in time order; stretches share the position between them."""
        edges = [i for i in range(first + 1, last + 1) if self.going[i] != self.going[i - 1]]
        return [Stretch(a, min(b, last), self.going[a]) for a, b in pairwise([first, *edges, last + 1])]

    def measure_turn_deg(self, first: int, last: int) -> float:
        """Turn of the walk between two positions, left positive: that of the feet, as far as the view follows.

        The way it faces lags behind both, so it says where a turn is and to which side, but may make it too small.
        """
        faced = float(self.facing_deg[last] - self.facing_deg[first])
        sign = float(np.sign(faced))
        time_s = self.walk.time_s
        begin = int(np.searchsorted(time_s, time_s[first] - _VIEW_LAG_S))
        end = int(np.searchsorted(time_s, time_s[last] + _VIEW_LAG_S, side="right"))
        seen_deg = sign * self.view_deg[begin:end]
        seen = float((seen_deg - np.minimum.accumulate(seen_deg)).max())
        both = min(sign * float(self.feet_deg[last] - self.feet_deg[first]), seen)
        return sign * max(abs(faced), both)

    def goes_aside(self, first: int, last: int) -> bool:
        """Whether the walk goes sideways or backwards anywhere from one position to another."""
        return any(going in _ASIDE for going in self.going[first : last + 1])

    def measure_path(self, first: int, last: int) -> float:
        """Length walked between two positions in nominal metres."""
        return float(self.walk.travelled[last] - self.walk.travelled[first]) / self.metre


def find_motion(walk: Walk, metre: float, options: MotionOptions = MotionOptions()) -> Motion:
    """Measure the motion of a walk.

    Args:
        walk: In time order.
        metre: Length of one (nominal) metre in the walk's unit.
        options: Speeds and angles.
    """
    velocity = walk.measure_velocity(options.step_s) / metre
    speed = np.linalg.norm(velocity, axis=1)
    course_deg = np.degrees(np.arctan2(velocity[:, 1], velocity[:, 0]))
    off_deg = wrap_deg(course_deg - walk.heading_deg)
    usual_m_s = np.percentile(speed, _PACE_PERCENTILE) if speed.size else _PACE_M_S
    pace = float(np.clip(usual_m_s / _PACE_M_S, _LEAST_PACE, 1.0))
    options = replace(options, walk_m_s=pace * options.walk_m_s, stand_m_s=pace * options.stand_m_s)
    is_walking = _find_walking(walk, speed, options)
    steps = _find_directions(is_walking, off_deg, options)
    steps = _forgive_glances(walk, steps, course_deg, off_deg, options)
    going = _absorb_single_steps(walk, metre, steps, options)
    is_aside = np.array([one in _ASIDE for one in going], dtype=bool)
    view_deg = drop_steps(walk.heading_deg, is_aside)
    stands = np.array([one == "stand" for one in going], dtype=bool)
    leads = _find_leads(walk, speed, steps, going, options)
    facing_deg, feet_deg = find_facing(walk, is_aside, stands, off_deg, leads)
    return Motion(walk, metre, tuple(going), facing_deg, feet_deg, view_deg)


def _find_leads(
    walk: Walk, speed: Array, steps: Sequence[Going], going: Sequence[Going], options: MotionOptions
) -> Mask:
    """Where the walk goes forward beyond doubt: at a walker's pace, and by a step of its own or glancing aside.

    Not within a step of going sideways or backwards, where the velocity is that of both.
    """
    leads = np.array([one == now == "forward" for one, now in zip(steps, going, strict=True)], dtype=bool)
    leads &= speed >= options.walk_m_s
    for one in _stretches(going):
        if one.going in _ASIDE:
            low, high = walk.time_s[one.first] - options.step_s, walk.time_s[one.last] + options.step_s
            leads &= (walk.time_s < low) | (walk.time_s > high)
    return leads


def _find_walking(walk: Walk, speed: Array, options: MotionOptions) -> Mask:
    """Walking where some moment of an unbroken motion is fast enough; short rests belong to it."""
    is_walking = np.zeros(len(speed), dtype=bool)
    for first, last in find_runs(speed >= options.stand_m_s):
        is_walking[first : last + 1] = speed[first : last + 1].max() >= options.walk_m_s
    for first, last in find_runs(~is_walking):
        is_inside = first > 0 and last < len(speed) - 1
        if is_inside and walk.time_s[last] - walk.time_s[first] < options.min_stand_s:
            is_walking[first : last + 1] = True
    return is_walking


def _find_directions(is_walking: Mask, off_deg: Array, options: MotionOptions) -> list[Going]:
    """The quarter one goes in against the view of the moment, left only when clearly left; in doubt it is forward."""
    going: list[Going] = []
    quarter = _NO_QUARTER
    for moves, off in zip(is_walking.tolist(), off_deg.tolist(), strict=True):
        if not moves:
            quarter = _NO_QUARTER
            going.append("stand")
            continue
        if quarter == _NO_QUARTER or abs(wrap_deg(off - _SECTOR_DEG * quarter)) > _SECTOR_DEG / 2 + options.hold_deg:
            is_ahead = abs(off) <= _SECTOR_DEG / 2 + options.hold_deg
            quarter = 0 if is_ahead else round(off / _SECTOR_DEG) % 4
        going.append(_DIRECTIONS[quarter])
    return going


def _absorb_single_steps(walk: Walk, metre: float, going: Sequence[Going], options: MotionOptions) -> list[Going]:
    """Stretches too short to tell become part of a neighbour that walks, else standing.

    The neighbour that goes the more similar way, or the longer one.
    """
    out = list(going)
    while True:
        stretches = _stretches(out)
        lengths = [_length(walk, stretch, metre) / metre for stretch in stretches]
        short = [
            (length, number)
            for number, (one, length) in enumerate(zip(stretches, lengths, strict=True))
            if one.going != "stand" and length < options.min_stretch_m
        ]
        if not short:
            return out
        _, number = min(short)
        one = stretches[number]
        beside = [n for n in (number - 1, number + 1) if 0 <= n < len(stretches) and stretches[n].going != "stand"]
        into: Going = "stand"
        if beside:
            ranked = [(_are_opposite(stretches[n].going, one.going), -lengths[n], n) for n in beside]
            into = stretches[min(ranked)[2]].going
        out[one.first : one.last + 1] = _repeat(into, one)


def _forgive_glances(
    walk: Walk, going: Sequence[Going], course_deg: Array, off_deg: Array, options: MotionOptions
) -> list[Going]:
    """Where the walk goes straight on and the view is back on its course before long, it goes forward all the time.

    The view may turn to one side or to both; what counts is from where it leaves the course to where it is back on it.
    """
    out = list(going)
    is_forward = np.array([one == "forward" for one in going], dtype=bool)
    ahead = np.flatnonzero(is_forward & (np.abs(off_deg) <= _SECTOR_DEG / 2))
    for before, after in pairwise(ahead.tolist()):
        if after == before + 1 or walk.time_s[after] - walk.time_s[before] > options.glance_s:
            continue
        between = going[before + 1 : after]
        if "stand" in between or "back" in between:
            continue
        spread_deg = np.abs(wrap_deg(course_deg[before : after + 1] - course_deg[before]))
        if spread_deg.max() <= options.glance_deg:
            out[before + 1 : after] = _repeat("forward", Stretch(before + 1, after - 1, "forward"))
    return out


def _repeat(going: Going, stretch: Stretch) -> list[Going]:
    return [going] * (stretch.last - stretch.first + 1)


def _are_opposite(first: Going, second: Going) -> bool:
    return abs(_DIRECTIONS.index(first) - _DIRECTIONS.index(second)) == 2


def _stretches(going: Sequence[Going]) -> list[Stretch]:
    edges = [0, *(i for i in range(1, len(going)) if going[i] != going[i - 1]), len(going)]
    return [Stretch(a, b - 1, going[a]) for a, b in pairwise(edges) if b > a]


def _path(walk: Walk, stretch: Stretch) -> float:
    """Length of a stretch, with half of the steps into it and out of it."""
    low, high = max(stretch.first - 1, 0), min(stretch.last + 1, len(walk.frames) - 1)
    inner = walk.travelled[stretch.last] - walk.travelled[stretch.first]
    outer = walk.travelled[high] - walk.travelled[low]
    return float(0.5 * (inner + outer))


def _length(walk: Walk, stretch: Stretch, metre: float) -> float:
    """How far a stretch goes: sideways and backwards no further than it gets, for who turns about sways to and fro.

    And without the arc on which a camera goes that is held out while the body turns.
    """
    if stretch.going not in _ASIDE:
        return _path(walk, stretch)
    low, high = max(stretch.first - 1, 0), min(stretch.last + 1, len(walk.frames) - 1)
    gone = float(np.linalg.norm(walk.xy[high] - walk.xy[low]))
    arc = 2.0 * _ARM_M * metre * np.sin(np.radians(min(abs(walk.measure_turn_deg(low, high)), 180.0)) / 2.0)
    return min(_path(walk, stretch), gone - float(arc))
