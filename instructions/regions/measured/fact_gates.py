"""How well a thing must be known for facts about it to be told: bars stricter than those that texts are judged by."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

import numpy as np

from instructions.claims.view_claims import ViewBars
from instructions.claims.view_judge import is_disputed
from instructions.describing.lines import SURFACES, measure_distance_m
from instructions.facts import sizes
from instructions.regions.choose import is_person
from instructions.view import SeenThing, View

STRICT = ViewBars(border_share=0.07, room_probability=0.90)
LEAST_VISIBLE = 0.35
"""Share of a thing that the view must show of it to be asked about."""
LEAST_VISIBLE_SIZE = 0.60
"""The same where its size or its nearest surface is told."""
LEAST_VISIBLE_KIND = 0.25
"""The same in a view with few facts, where it is asked what kind of thing that is."""
LEAST_SCORE_ALONE = 0.5
"""Of a detection that no other picture of the same thing confirms, to be told of what kind it is."""
SEEN_THROUGH = frozenset({"plant", "chair", "stool", "flowers", "bicycle", "ladder", "rack", "shelf", "bookshelf"})
"""Kinds whose boxes show as much of what is behind them: without a mask their colour is not sure."""
SEEN_IN_PART = frozenset(
    {"counter", "kitchen counter", "rug", "carpet", "mat", "doormat", "curtain", "curtains", "blinds", "railing"}
)
"""Kinds of which a picture mostly shows a part: where their boxes are measured, neither their nearest surface nor their
height is sure."""
HANGING = frozenset(
    {"picture", "painting", "poster", "mirror", "clock", "wall cabinet", "wall shelf", "shelf", "radiator", "window"}
    | {"lamp", "ceiling lamp", "wall lamp", "tv", "television", "monitor", "whiteboard", "air conditioner", "sign"}
)
"""Kinds that need neither floor nor thing beneath them."""
MOST_LIFT_M = 0.15
"""Anything else that ends so far above the floor and rests on nothing is hidden below, so its height is not known."""
MOST_RELATIVE_SIGMA = 0.15
MOST_SHARED = 0.15
"""Share of each of two boxes that lies in the other, from which on their names contradict each other."""


def say_length(metres: float) -> str:
    """`1.2 m`, or `35 cm` under a metre."""
    told = round_length(metres)
    return f"{told:.1f} m" if metres >= 0.975 else f"{100 * told:.0f} cm"


def round_length(metres: float) -> float:
    """The length that is said."""
    return round(metres, 1) if metres >= 0.975 else max(round(metres * 20), 1) / 20


def has_sure_name(view: View, thing: SeenThing) -> bool:
    """Whether a thing is of its category beyond doubt: no other name takes up a good part of the same space."""
    if thing.category is None or is_disputed(view, thing):
        return False
    others = (other for other in view.things if other.category != thing.category) if view.has_pose else ()
    return all(min(view.pair(thing, other).inside) < MOST_SHARED for other in others)


def are_unlike(kind: str, other: str) -> bool:
    """Whether two kinds are known well enough to say that nobody takes one for the other."""
    groups = [[place for place, group in enumerate(_load_alike()) if one in group] for one in (kind, other)]
    return all(groups) and not set(groups[0]) & set(groups[1])


@cache
def _load_alike() -> tuple[frozenset[str], ...]:
    data = tomllib.loads(files("instructions.regions").joinpath("alike.toml").read_text(encoding="utf-8"))
    return tuple(frozenset(kinds) for kinds in data.values())


def margin_over(value: float, bar: float) -> float:
    """How far a value is beyond a bar, 0 (on it) to 1 (twice as far or more)."""
    return float(np.clip(value / bar - 1.0, 0.0, 1.0)) if bar > 0 else 1.0


def has_metres(view: View) -> bool:
    """Whether lengths of a view may be told in metres."""
    return view.has_scale and view.model.scale.sigma <= 0.2


def is_askable(thing: SeenThing) -> bool:
    """Whether a thing is seen well enough to be asked about."""
    return thing.visible_fraction >= LEAST_VISIBLE and is_seen_in_part(thing)


def is_seen_in_part(thing: SeenThing) -> bool:
    """Whether so much is seen of a thing that its place in the picture may be asked."""
    is_no_thing = is_person(thing.category) or SURFACES.search(thing.alias)
    return thing.visible_fraction >= ViewBars().visible and not is_no_thing


def may_come_nearer(view: View, thing: SeenThing) -> bool:
    """Whether what the picture's border cuts off of a measured thing may be nearer than what was ever seen of it."""
    return thing.sigma > 0.0 and (thing.category in SEEN_IN_PART or bool(view.find_cut_sides(thing)))


def is_whole_in_height(view: View, thing: SeenThing) -> bool:
    """Whether top and bottom of a thing were seen, as far as one can tell."""
    if view.find_cut_sides(thing) or not view.has_pose or view.model.floor_z is None:
        return False
    if thing.sigma == 0.0 or thing.rests_on is not None:
        return True
    if thing.category in SEEN_IN_PART:
        return False
    lift = sizes.elevation(thing.body, view.model.floor_z) / view.metre
    return thing.category in HANGING or lift <= MOST_LIFT_M


def measure_nearest_m(view: View, thing: SeenThing) -> float | None:
    """Metres to its nearest surface, where that is well known."""
    away = measure_distance_m(view, thing)
    is_whole = thing.visible_fraction >= LEAST_VISIBLE_SIZE and not may_come_nearer(view, thing)
    if away is None or not has_metres(view) or not is_whole:
        return None
    return away if thing.sigma <= MOST_RELATIVE_SIGMA * away * view.metre and away >= 0.4 else None
