"""How far a text says that a thing is: `in the near distance`, `in closer distance`, `in a further distance`.

Where frames know the ranges of what they see (RoomTour3D's rule: nearest 30 %, next 40 %, furthest 30 % of a frame's
depths), they decide; a range is then true on the frames that put the thing into it. Where no frame does, the distance
on the floor plan decides, by bars for the everyday words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from instructions.facts.way import Span, WayGeometry
from instructions.records import Observation, Range

RANGE_ADJECTIVES: Mapping[str, Range] = {
    "nearby": "near",
    "close-by": "near",
    "distant": "further",
    "faraway": "further",
    "far-off": "further",
}
"""Adjectives that say a range: `the distant bookcase`."""


@dataclass(frozen=True, kw_only=True)
class RangeBars:
    """The everyday words in nominal metres, for things whose range no frame knows; set by hand, not measured."""

    near_m: float = 2.8
    """Two or three steps: what stands further away is not near in any home."""
    closer_least_m: float = 1.2
    """Less is at hand ..."""
    closer_most_m: float = 5.0
    """... and more is across the room."""
    further_m: float = 3.2
    """Somewhat more than `near_m`: between the two, both words are sayable by nobody's fault."""
    apart_m: float = 0.3
    """Nearer or further by less is not told apart."""
    in_view_s: float = 0.7
    """Ranges are told of what is in view: two sampled frames at 3 per second."""


def ranges_by_thing(observations: Iterable[Observation]) -> dict[str, dict[int, tuple[Range, ...]]]:
    """The ranges that frames put things into, by thing and frame; without frames that know none."""
    found: dict[str, dict[int, tuple[Range, ...]]] = {}
    for one in observations:
        if one.ranges:
            found.setdefault(one.object, {})[one.frame] = one.ranges
    return found


def find_in_range(way: WayGeometry, name: str, told: Range, bars: RangeBars = RangeBars()) -> list[Span]:
    """Stretches of the way on which a thing is in view and so far away, in time order."""
    known = way.ranges.get(name, {})
    frames = way.walk.frames
    if known:
        good = [told in known.get(frames[index], ()) for index in way.positions]
    else:
        thing = way.things[name]
        in_view = thing.unseen_s[way.inside] <= bars.in_view_s
        within = _bounds(told, bars)
        away = thing.distance[way.inside]
        good = [bool(seen) and within[0] <= far <= within[1] for seen, far in zip(in_view, away, strict=True)]
    return _spans(way, good)


def find_compared(way: WayGeometry, name: str, than: str, told: Range, bars: RangeBars = RangeBars()) -> list[Span]:
    """Stretches on which one thing is nearer (`near`) or further than another, both of them in view."""
    one, other = way.things[name], way.things[than]
    in_view = (one.unseen_s <= bars.in_view_s) & (other.unseen_s <= bars.in_view_s)
    apart = (other.distance - one.distance) * (1.0 if told == "near" else -1.0)
    return _spans(way, ((apart > bars.apart_m) & in_view)[way.inside])


def _spans(way: WayGeometry, good: Iterable[object]) -> list[Span]:
    spans: list[Span] = []
    for is_good, group in groupby(zip(way.positions, good, strict=True), key=lambda pair: bool(pair[1])):
        if is_good:
            positions = [index for index, _ in group]
            spans.append(Span(positions[0], positions[-1]))
    return spans


def _bounds(told: Range, bars: RangeBars) -> tuple[float, float]:
    if told == "near":
        return 0.0, bars.near_m
    return (bars.closer_least_m, bars.closer_most_m) if told == "closer" else (bars.further_m, float("inf"))
