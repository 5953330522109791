"""The judge's own look at how a walker moves: from moment to moment, by bars of its own.

Nothing here chooses what to tell. Every position of the walk gets its speed, its direction of travel against the view
of that moment, and the way the walk faces; statements are held against these one position at a time, so that opposite
turns cannot cancel and a mean view cannot make a curve a side step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from instructions.claims.walk_bars import MotionBars
from instructions.facts.walk import Swing, Walk, average_around, find_runs, find_swings, measure_turn_back
from recon.conventions import wrap_deg
from recon.geometry import Array

Mask = NDArray[np.bool_]
_MOSTLY = 0.5


@dataclass(frozen=True, eq=False)
class WalkMotion:
    """A walk as it moves at every position."""

    walk: Walk
    metre: float
    """Length of one (nominal) metre in the walk's unit."""
    bars: MotionBars = MotionBars()

    @cached_property
    def velocity(self) -> Array:
        """(N, 2) nominal metres per second."""
        return self.walk.measure_velocity(self.bars.step_s) / self.metre

    @cached_property
    def moves(self) -> Mask:
        """(N,) whether it walks at all."""
        return np.linalg.norm(self.velocity, axis=1) >= self.bars.moves_m_s

    @cached_property
    def course_deg(self) -> Array:
        """(N,) direction of travel; without meaning where it stands."""
        return np.degrees(np.arctan2(self.velocity[:, 1], self.velocity[:, 0]))

    @cached_property
    def off_view_deg(self) -> Array:
        """(N,) direction of travel against the view of that moment, in [-180, 180); NaN where it stands."""
        return np.where(self.moves, wrap_deg(self.course_deg - self.walk.heading_deg), np.nan)

    @cached_property
    def _goes_ahead(self) -> Mask:
        """(N,) whether it goes about forward, at a walker's pace and for more than a moment."""
        heads = np.linalg.norm(self.velocity, axis=1) >= self.bars.heads_m_s
        off_deg = self.off_view_deg
        change_deg = np.abs(wrap_deg(np.diff(off_deg, prepend=off_deg[:1], append=off_deg[-1:])))  # (N + 1,)
        is_steady = np.fmax(change_deg[:-1], change_deg[1:]) <= self.bars.steady_deg
        return heads & is_steady & (np.abs(off_deg) <= self.bars.ahead_deg)  # NaN, where it stands, compares false

    @cached_property
    def _glances(self) -> Mask:
        """(N,) where it looks aside and goes straight on, between two positions that go ahead."""
        out = np.zeros(len(self.walk.frames), dtype=bool)
        heads = np.linalg.norm(self.velocity, axis=1) >= self.bars.heads_m_s
        for before, after in pairwise(np.flatnonzero(self._goes_ahead).tolist()):
            spread_deg = np.abs(wrap_deg(self.course_deg[before : after + 1] - self.course_deg[before])).max()
            is_short = self.walk.time_s[after] - self.walk.time_s[before] <= self.bars.look_s
            if is_short and heads[before : after + 1].all() and spread_deg <= self.bars.straight_deg:
                out[before + 1 : after] = True
        return out

    @cached_property
    def off_way_deg(self) -> Array:
        """(N,) as `off_view_deg`, and 0 where it only looks aside."""
        return np.where(self._glances, 0.0, self.off_view_deg)

    @cached_property
    def facing_deg(self) -> Array:
        """(N,) unwrapped: the direction of travel where it goes about forward, else the view."""
        ahead = np.flatnonzero(self._goes_ahead | self._glances)
        if not len(ahead):
            return self.walk.heading_deg
        at_s = self.walk.time_s
        facing_deg = self.walk.heading_deg + self._find_lead(ahead)
        for run in np.split(ahead, np.flatnonzero(np.diff(ahead) > 1) + 1):
            facing_deg[run] = average_around(facing_deg[run], at_s[run], self.bars.sway_s)
        return facing_deg

    def _find_lead(self, ahead: NDArray[np.int64]) -> Array:
        """(N,) how far the walk faces off the view: by the feet where they go ahead, evenly between two such places.

        Where it stands, and where the feet go another way for longer than they lag behind a view, it faces along the
        view.
        """
        at_s, lag_s = self.walk.time_s, self.bars.view_lag_s
        known_s, lead_deg = at_s[ahead], np.unwrap(self.off_view_deg[ahead], period=360.0)
        long = np.flatnonzero(np.diff(known_s) > 2.0 * lag_s)
        free_s = np.concatenate([known_s[long] + lag_s, known_s[long + 1] - lag_s, self._find_rests_s()])
        free_s = np.concatenate([free_s, [known_s[0] - lag_s, known_s[-1] + lag_s]])
        all_s = np.concatenate([known_s, free_s])
        all_deg = np.concatenate([lead_deg, np.zeros(len(free_s))])
        order = np.argsort(all_s)
        return np.interp(at_s, all_s[order], all_deg[order])

    def _find_rests_s(self) -> Array:
        """Times of the positions at which it stands for more than a moment."""
        rests = [self.walk.time_s[first : last + 1] for first, last in find_runs(~self.moves)]
        return np.concatenate([np.zeros(0), *(at_s for at_s in rests if at_s[-1] - at_s[0] >= self.bars.rest_s)])

    @cached_property
    def steps(self) -> Array:
        """(N,) nominal metres walked around each position: half of the step into it and half of the one out of it."""
        length = np.diff(self.walk.travelled) / self.metre
        return 0.5 * (np.append(length, 0.0) + np.append(0.0, length))[: len(self.walk.frames)]

    def measure_way_gone(self, first: int, last: int, off_deg: float, within_deg: float) -> tuple[float, float]:
        """Length walked between two positions in a direction against the view, and in all, in nominal metres."""
        part = slice(first, last + 1)
        agrees = np.abs(wrap_deg(self.off_way_deg[part] - off_deg)) <= within_deg
        return float(self.steps[part][agrees].sum()), float(self.steps[part].sum())

    def measure_share_standing(self, first: int, last: int) -> float:
        """Share of the positions between two that stand."""
        return float(1.0 - self.moves[first : last + 1].mean())

    def measure_share_ahead(self, first: int, last: int) -> float:
        """Share of the positions between two that go about forward."""
        return float((np.abs(self.off_view_deg[first : last + 1]) <= self.bars.ahead_deg).mean())

    def measure_told_by_view_deg(self, first: int, last: int) -> float | None:
        """How far the view turns between two positions where that is how far one has turned, else None.

        It is where the walk mostly does not go ahead, or turns with the view and follows it then.
        """
        of_view = self.walk.measure_turn_deg(first, last)
        if self.measure_share_ahead(first, last) < self.bars.turn_ahead_share:
            return of_view
        of_walk = float(self.facing_deg[last] - self.facing_deg[first])
        if last == len(self.walk.frames) - 1 and self.moves[first] and self.moves[last]:
            of_feet = of_view + float(wrap_deg(self.off_view_deg[last] - self.off_view_deg[first]))
            of_walk = max(of_walk, of_feet, key=lambda one: one * np.sign(of_view))  # no sway to be evened out
        turns = of_walk * np.sign(of_view) >= self.bars.feet_share * abs(of_view)
        return of_view if turns and self._goes_with_view(last) else None

    def _goes_with_view(self, last: int) -> bool:
        """Whether, from a position on for as long as feet lag behind a view, they go where it looks, or rest."""
        end = int(np.searchsorted(self.walk.time_s, self.walk.time_s[last] + self.bars.view_lag_s, side="right"))
        off_deg = self.off_view_deg[last:end]
        follows = np.isnan(off_deg) | (np.abs(off_deg) <= self.bars.follow_deg)
        return bool(follows.mean() >= self.bars.follow_share)

    def find_swings(self, first: int, last: int) -> tuple[Swing, ...]:
        """The turning of the walk between two positions."""
        part = slice(first, last + 1)
        return find_swings(self.facing_deg[part], self.walk.time_s[part], first)

    def drop_looks(self, swings: Sequence[Swing], told: Mask | None = None) -> tuple[Swing, ...]:
        """Without what the view does not turn, and what is taken back soon after: looks about lead nobody elsewhere.

        Of a swing that takes one back and goes on to its own side, what it goes on by. A turn that a text tells (most
        of its positions are told) is no look to be dropped.
        """
        kept: list[Swing] = []
        for swing in swings:
            before = kept[-1] if kept else None
            if before is not None and told is not None and told[before.first : before.last + 1].mean() > _MOSTLY:
                before = None
            if before is not None and self._is_look(before, swing):
                kept.pop()
            elif before is not None and (left := self._find_rest(before, swing)) is not None:
                kept[-1] = left
            else:
                kept.append(swing)
        return tuple(one for one in kept if self._sees(one))

    def _find_rest(self, one: Swing, other: Swing) -> Swing | None:
        """What the larger of two opposite swings turns beyond the smaller one, if that is a look; else None.

        The look is over, or begins, where walk and view are where they were before it, or will be after it.
        """
        if one.angle_deg * other.angle_deg >= 0.0:
            return None
        if min(abs(one.angle_deg), abs(other.angle_deg)) > self.bars.look_most_deg:
            return None
        is_first = abs(other.angle_deg) >= abs(one.angle_deg)  # the look comes first, and the other goes on from it
        longer, home = (other, one.first) if is_first else (one, other.last)
        part, sign = slice(longer.first, longer.last + 1), float(np.sign(longer.angle_deg))
        is_own = np.ones(longer.last + 1 - longer.first, dtype=bool)
        for angles_deg in (self.facing_deg, self.walk.heading_deg):
            beyond_deg = sign * (angles_deg[part] - angles_deg[home])
            is_own &= beyond_deg >= 0.0 if is_first else beyond_deg <= 0.0
        own = np.flatnonzero(is_own)
        if not len(own):
            return None
        edge = longer.first + int(own[0] if is_first else own[-1])
        first, last = (edge, longer.last) if is_first else (longer.first, edge)
        if not self._is_brief(*((one.first, edge) if is_first else (edge, other.last))):
            return None
        return Swing(first, last, float(self.facing_deg[last] - self.facing_deg[first]))

    def _sees(self, swing: Swing) -> bool:
        return self.count_seen(swing.first, swing.last, float(np.sign(swing.angle_deg))) >= self.bars.swing_deg

    def count_seen(self, first: int, last: int, sign: float, told: Mask | None = None) -> float:
        """Degrees that the view turns to one side between two positions, or a little before or after.

        Positions that are told otherwise end the search: their turning is that of another statement.
        """
        at_s = self.walk.time_s
        low = int(np.searchsorted(at_s, at_s[first] - self.bars.view_lag_s))
        high = int(np.searchsorted(at_s, at_s[last] + self.bars.view_lag_s, side="right")) - 1
        if told is not None:
            low = max([low, *(np.flatnonzero(told[low:first]) + low).tolist()])
            high = min([high, *(np.flatnonzero(told[last + 1 : high + 1]) + last + 1).tolist()])
        return measure_turn_back(self.walk.heading_deg[low : high + 1], -sign)

    def takes_back(self, before: Swing, after: Swing) -> bool:
        """Whether a swing goes back against the one before it, soon, and on one spot or while nothing goes ahead."""
        return before.angle_deg * after.angle_deg < 0.0 and self._is_brief(before.first, after.last)

    def _is_brief(self, first: int, last: int) -> bool:
        """Whether so little is walked between two positions, in so short a time, that turning is looking about."""
        away = np.linalg.norm(self.walk.xy[first : last + 1] - self.walk.xy[first], axis=1).max()
        path = self.walk.travelled[last] - self.walk.travelled[first]
        is_here = away <= self.bars.look_m * self.metre and path <= 2.0 * self.bars.look_m * self.metre
        is_here |= self.measure_share_ahead(first, last) <= self.bars.look_ahead_share
        return bool(is_here and self.walk.time_s[last] - self.walk.time_s[first] <= self.bars.look_s)

    def _is_look(self, before: Swing, after: Swing) -> bool:
        return self.takes_back(before, after) and abs(before.angle_deg + after.angle_deg) <= self.bars.look_back_deg


def measure_untold_deg(swings: Sequence[Swing], motion: WalkMotion, told: Mask, least_deg: float) -> float:
    """Sum of the turning outside told positions, swing by swing, whatever its sense, as far as the view turns too.

    A part of a swing that turns by less than `least_deg` is nothing one had to tell.
    """
    untold = 0.0
    for swing in swings:
        is_open = ~(told[swing.first : swing.last] & told[swing.first + 1 : swing.last + 1])
        left_out = 0.0
        for begin, end in find_runs(is_open):
            first, last = swing.first + begin, swing.first + end + 1
            turned = float(motion.facing_deg[last] - motion.facing_deg[first])
            left_out += min(abs(turned), motion.count_seen(first, last, float(np.sign(turned)), told))
        untold += left_out if left_out >= least_deg else 0.0
    return untold
