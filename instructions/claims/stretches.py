"""On which stretches of a way a statement of one kind is true, by the measures of the way and bars on them.

The judge's own choice of stretches: it starts from every position of the way and shares none with a writer, who picks
walks and turns first (`navigation.legs`). What both use are the measures of `instructions.facts`.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from instructions.claims.walk_bars import StatementBars
from instructions.claims.walk_motion import Mask
from instructions.facts.along import measure_passing
from instructions.facts.walk import find_turning_points
from instructions.facts.way import Span, WayGeometry
from instructions.records import Side
from recon.conventions import wrap_deg
from recon.geometry import Array

_BARS = StatementBars()


# ---- statements about things


def find_passes(way: WayGeometry, name: str, bars: StatementBars = _BARS) -> list[tuple[Span, Side]]:
    """Each time an object goes from ahead of the walker to behind it near by, with the side it is on."""
    thing = way.things[name]
    ahead = np.einsum("ij,ij->i", thing.away[way.inside], way.directions)  # NaN where there is no direction
    out: list[tuple[Span, Side]] = []
    for near in np.flatnonzero((ahead[:-1] >= 0.0) & (ahead[1:] < 0.0)).tolist():
        index, direction = way.first + near, way.directions[near]
        local = np.array([i for i in way.positions if _is_local(way, i, index, bars)])
        by = measure_passing(thing, index, direction, local)
        is_straight = direction @ way.directions[near + 1] >= bars.pass_straight
        if abs(by.lateral) < bars.pass_clear_m or by.distance > bars.pass_within_m or not is_straight:
            continue
        was_ahead = (by.along[local <= index] > bars.pass_margin_m).any()
        is_behind = (by.along[local > index] < -bars.pass_margin_m).any()
        seen = thing.seen_since_s[index] <= bars.pass_seen_before_s
        seen |= thing.seen_until_s[index] <= bars.pass_seen_after_s
        if was_ahead and is_behind and seen:
            out.append((Span(index, index), by.side))
    return out


def _is_local(way: WayGeometry, index: int, near: int, bars: StatementBars) -> bool:
    walk = way.walk
    path = abs(float(walk.travelled[index] - walk.travelled[near]))
    return abs(float(walk.time_s[index] - walk.time_s[near])) <= bars.local_s and path <= bars.local_m * way.metre


def find_approaches(way: WayGeometry, name: str, bars: StatementBars = _BARS) -> list[Span]:
    """Stretches that come nearer by walking towards a thing that is in view."""
    thing = way.things[name]
    away, bearing = thing.distance[way.inside], np.abs(thing.bearing_deg[way.inside])
    seen = thing.unseen_s[way.inside] <= bars.approach_seen_s
    course = way.off_course_deg(name)
    out = []
    for start, end in _find_falling(away, bars.reversal_m):
        part = slice(start, end + 1)
        good = away[start] - away[part] >= max(bars.approach_m, bars.approach_share * away[start])
        good &= (bearing[part] <= bars.approach_view_deg) & seen[part] & (course[part] <= bars.approach_course_deg)
        where = np.flatnonzero(good)
        if len(where):
            out.append(Span(way.first + start + int(where[0]), way.first + start + int(where[-1])))
    return out


def find_facing(way: WayGeometry, name: str, bars: StatementBars = _BARS) -> list[Span]:
    """Where an object is ahead, near enough, and seen."""
    return _ahead(way, name, bars.face_m, bars.face_deg, bars)


def find_stops(way: WayGeometry, name: str, bars: StatementBars = _BARS) -> list[Span]:
    """Where one stands in front of an object."""
    return _ahead(way, name, bars.stop_m, bars.stop_deg, bars)


def _ahead(way: WayGeometry, name: str, within_m: float, off_deg: float, bars: StatementBars) -> list[Span]:
    thing = way.things[name]
    good = (np.abs(thing.bearing_deg) <= off_deg) & (thing.distance <= within_m)
    return _runs(way, (good & (thing.unseen_s <= bars.front_seen_s))[way.inside])


def find_in_view(way: WayGeometry, name: str, bars: StatementBars = _BARS) -> list[Span]:
    """Where an object is in view."""
    return _runs(way, (way.things[name].unseen_s <= bars.in_view_s)[way.inside])


def find_on_side(way: WayGeometry, name: str, side: Side, bars: StatementBars = _BARS) -> list[Span]:
    """Where an object is on a side: passed on it, or seen on it unless it is passed on another in that view."""
    passed = find_passes(way, name, bars)
    alongside = [_while_alongside(way, name, span.first, side, bars) for span, passed_on in passed if passed_on == side]
    thing = way.things[name]
    turned = np.ones(len(thing.bearing_deg), dtype=bool)
    if not alongside:  # on the other side it is until one has turned
        for span, _ in passed:
            course = way.directions[span.first - way.first]
            off_deg = wrap_deg(way.walk.heading_deg - np.degrees(np.arctan2(course[1], course[0])))
            turned &= np.abs(off_deg) >= bars.turned_deg
    bearing = thing.bearing_deg
    if side == "middle":
        good = np.abs(bearing) <= bars.middle_deg
    else:
        good = bearing > bars.aside_deg if side == "left" else bearing < -bars.aside_deg
    spans = _runs(way, (good & turned & (thing.unseen_s <= bars.in_view_s))[way.inside])
    is_cut = [span.first == way.first or span.last == way.last for span in spans]  # it may be there for longer
    seen = [span for span, cut in zip(spans, is_cut, strict=True) if cut or _seconds(way, span) >= bars.aside_s]
    return sorted([*alongside, *seen], key=lambda span: (span.first, span.last))


def _while_alongside(way: WayGeometry, name: str, at: int, side: Side, bars: StatementBars) -> Span:
    """The stretch around a pass on which the object is on that side of the view."""
    bearing = way.things[name].bearing_deg * (1.0 if side == "left" else -1.0)
    start, end = at, at
    while start > way.first and bearing[start - 1] > 0.0 and _is_local(way, start - 1, at, bars):
        start -= 1
    while end < way.last and bearing[end + 1] > 0.0 and _is_local(way, end + 1, at, bars):
        end += 1
    return Span(start, end)


# ---- statements about the walker


# ---- statements about rooms


def find_stays_in(way: WayGeometry, room: str) -> list[Span]:
    """Stays in a room."""
    return [span for name, span in way.stays if name == room]


def find_entries(way: WayGeometry, room: str, bars: StatementBars = _BARS) -> list[Span]:
    """Where a room begins after another one."""
    return [_near_edge(way, span.first, bars) for name, span in way.stays[1:] if name == room]


def find_exits(way: WayGeometry, room: str, bars: StatementBars = _BARS) -> list[Span]:
    """Where a room ends because another one begins."""
    return [_near_edge(way, span.last, bars) for name, span in way.stays[:-1] if name == room]


def _near_edge(way: WayGeometry, index: int, bars: StatementBars) -> Span:
    inside = way.first + np.flatnonzero(np.abs(way.times - way.walk.time_s[index]) <= bars.edge_s)
    return Span(int(inside[0]), int(inside[-1]))


# ---- helpers


def _runs(way: WayGeometry, good: Mask) -> list[Span]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], good.astype(np.int8), [0]])))
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return [Span(way.first + int(start), way.first + int(end) - 1) for start, end in pairs]


def _seconds(way: WayGeometry, span: Span) -> float:
    return float(way.walk.time_s[span.last] - way.walk.time_s[span.first])


def _find_falling(values: Array, tolerance: float) -> list[tuple[int, int]]:
    """Stretches on which values fall, ignoring rises smaller than `tolerance`."""
    points = find_turning_points(values, tolerance)
    return [(a, b) for a, b in pairwise(points) if values[b] < values[a]]
