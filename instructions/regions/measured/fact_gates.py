"""How well a thing must be known for facts about it to be told: bars stricter than those that texts are judged by."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

import numpy as np

from instructions.claims.view_claims import ViewBars
from instructions.claims.view_judge import is_disputed
from instructions.describing.lines import SURFACES
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
LEAST_KIND_SHARE = 2 / 3
"""Of the evidence for its category: twice as much as for all other words together, or its name is in doubt."""
ON_FLOORS = frozenset(
    {"bed", "sofa", "couch", "armchair", "chair", "table", "dining table", "desk", "door", "wardrobe", "refrigerator"}
)
"""Kinds that stand on no other thing than a rug; where one seems to, it is that thing under another name."""
UNDERFOOT = frozenset({"rug", "carpet", "mat", "doormat"})
HEIGHTS_M: dict[str, tuple[float, float]] = {
    "door": (1.8, 2.7),
    "refrigerator": (0.7, 2.2),
    "wardrobe": (1.4, 2.8),
    "bed": (0.25, 2.2),
    "sofa": (0.5, 1.3),
    "couch": (0.5, 1.3),
    "armchair": (0.5, 1.4),
    "chair": (0.6, 1.4),
    "table": (0.3, 1.2),
    "dining table": (0.6, 1.2),
    "desk": (0.6, 1.4),
    "toilet": (0.3, 1.3),
}
"""What such things measure in homes; a height beyond that is one of a part, or of a wrong scale."""
LEAST_SIDE_SHARE = 0.03
"""Short side of its box as a share of the picture's height."""
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
    """Whether a thing is of its category beyond doubt: frames agree, and no other name fills the same place."""
    if thing.category is None or thing.kind_share < LEAST_KIND_SHARE or is_disputed(view, thing):
        return False
    return not any(_are_one_place(view, thing, other) for other in view.things if other.id != thing.id)


def _are_one_place(view: View, thing: SeenThing, other: SeenThing) -> bool:
    """Whether two things of unlike names take up a good part of the same space, or one seems to stand on the other."""
    if other.category == thing.category:
        return False
    for upper, lower in ((thing, other), (other, thing)):
        if upper.category in ON_FLOORS and upper.rests_on == lower.id and lower.category not in UNDERFOOT:
            return True
    return view.has_pose and min(view.pair(thing, other).inside) >= MOST_SHARED


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


def is_askable(view: View, thing: SeenThing) -> bool:
    """Whether a thing is seen well enough to be asked about."""
    return thing.visible_fraction >= LEAST_VISIBLE and is_seen_in_part(view, thing)


def is_seen_in_part(view: View, thing: SeenThing) -> bool:
    """Whether what is seen of a thing is large enough for its place in the picture to be asked."""
    x0, y0, x1, y1 = thing.box
    is_small = min(x1 - x0, y1 - y0) < LEAST_SIDE_SHARE * view.size[1]
    if is_person(thing.category) or SURFACES.search(thing.alias):
        return False
    return thing.visible_fraction >= ViewBars().visible and not is_small


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
