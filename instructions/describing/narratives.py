"""A view told in five orders (left to right, near to far, large to small, by kind, from the middle outwards), and as a
whole: places, things and ideas it may be called by, each in one fixed sentence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from instructions.describing.lines import ThingLine, describe_things, name_thing
from instructions.view import View
from instructions.wording.english import join_list, with_article

PLACES, THINGS, CONCEPTS = 2, 3, 3
IDEAS = {
    "sitting": ("sofa", "armchair", "chair", "bench", "stool", "couch", "ottoman"),
    "sleeping": ("bed", "pillow", "nightstand", "wardrobe"),
    "cooking": ("stove", "oven", "refrigerator", "fridge", "microwave", "sink", "worktop", "kettle"),
    "eating": ("dining table", "bowl", "cup", "plate"),
    "reading": ("book", "bookshelf", "lamp", "bookcase", "shelf"),
    "working at a desk": ("desk", "monitor", "keyboard", "computer", "laptop", "office chair", "printer"),
    "washing": ("bathtub", "shower", "toilet", "washing machine", "basin", "mirror", "towel"),
    "storing things": ("cabinet", "drawer", "shelf", "cupboard", "wardrobe", "dresser", "box", "chest of drawers"),
    "decoration": ("picture", "painting", "vase", "plant", "rug", "curtain", "flowers", "potted plant"),
}
"""Ideas by things that speak for them."""
_MOST = 6


def tell_places(view: View) -> tuple[str, ...]:
    """At most two places: the room of the view, then the one that most of its things are in."""
    rooms: dict[str, float] = defaultdict(float)
    if view.room is not None:
        rooms[view.room] += 1.0 + view.room_probability
    for thing in view.things:
        if thing.room is not None:
            rooms[thing.room] += thing.visible_fraction / max(len(view.things), 1)
    return tuple(say_place(room) for room in _rank(rooms)[:PLACES])


def tell_things(view: View) -> tuple[str, ...]:
    """At most three kinds of things, by the area that they cover."""
    area: dict[str, float] = defaultdict(float)
    for thing in view.things:
        area[thing.category or thing.alias] += view.measure_share(thing)
    return tuple(say_thing(noun) for noun in _rank(area)[:THINGS])


def tell_concepts(view: View) -> tuple[str, ...]:
    """At most three ideas that the kinds of things speak for."""
    votes: dict[str, float] = defaultdict(float)
    for idea, words in IDEAS.items():
        for thing in view.things:
            if thing.category in words:
                votes[idea] += thing.visible_fraction
    return tuple(say_concept(idea) for idea in _rank(votes)[:CONCEPTS])


def _rank(weights: Mapping[str, float]) -> list[str]:
    """The heaviest first, of equal ones in alphabetical order; without those of no weight."""
    return sorted((name for name in weights if weights[name] > 0), key=lambda name: (-weights[name], name))


def say_place(label: str) -> str:
    """The fixed sentence of a place."""
    return f"This place is {with_article(label)}."


def say_thing(label: str) -> str:
    """The fixed sentence of a kind of thing."""
    return f"One sees {with_article(label)} here."


def say_concept(idea: str) -> str:
    """The fixed sentence of an idea."""
    return f"There might also be something for {idea} here."


def narrate(view: View) -> tuple[str, ...]:
    """Five narratives of a view with numbered things; in words where things have names, else by `[n]`.

    Orders that cannot be told (distances that nobody knows) are left out.
    """
    lines = describe_things(view)
    if not lines:
        return ()
    told = (_tell_across, _tell_away, _tell_sizes, _tell_kinds, _tell_middle)
    return tuple(text for tell in told if (text := tell(view, lines)))


def call(view: View, line: ThingLine) -> str:
    """A thing by its name where that fits it alone, else by its number."""
    thing = view.find_thing(line.thing)
    name = name_thing(view, thing) if thing is not None else None
    return f"the {name}" if name else f"[{line.number}]"


def _across(line: ThingLine) -> float:
    return (line.corners[0] + line.corners[2]) / 2


def _area(line: ThingLine) -> float:
    return (line.corners[2] - line.corners[0]) * (line.corners[3] - line.corners[1])


def _tell_across(view: View, lines: Sequence[ThingLine]) -> str:
    order = sorted(lines, key=_across)[:_MOST]
    return f"From left to right one sees {join_list([call(view, line) for line in order])}."


def _tell_away(view: View, lines: Sequence[ThingLine]) -> str:
    known = [(line.distance_m, line) for line in lines if line.distance_m is not None]
    order = sorted(known, key=lambda one: one[0])[:_MOST]
    if len(order) < 2:
        return ""
    (near, first), *_, (far, last) = order
    middle = [call(view, line) for _, line in order[1:-1]]
    between = f" Then come {join_list(middle)}." if len(middle) > 1 else (f" Then comes {middle[0]}." if middle else "")
    return (
        f"Nearest is {call(view, first)}, about {near:.1f} m away.{between} "
        f"Furthest is {call(view, last)}, about {far:.1f} m away."
    )


def _tell_sizes(view: View, lines: Sequence[ThingLine]) -> str:
    order = sorted(lines, key=_area, reverse=True)[:_MOST]
    first, rest = call(view, order[0]), [call(view, line) for line in order[1:]]
    smaller = f", and {join_list(rest)} take less" if rest else ""
    return f"Most room is taken by {first}{smaller}."


def _tell_kinds(view: View, lines: Sequence[ThingLine]) -> str:
    groups: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        groups[line.noun].append(f"[{line.number}]")
    parts = [
        f"{with_article(noun)} ({marks[0]})" if len(marks) == 1 else f"{noun} as {join_list(marks)}"
        for noun, marks in sorted(groups.items(), key=lambda one: (-len(one[1]), one[0]))
    ]
    place = f"In the {view.room}" if view.room and view.room_probability >= 0.8 else "Here"
    return f"{place} one finds {join_list(parts[:_MOST])}."


def _tell_middle(view: View, lines: Sequence[ThingLine]) -> str:
    order = sorted(lines, key=lambda line: abs(_across(line) - 0.5))
    middle = [call(view, line) for line in order if line.side == "in the middle"][:3]
    sides = [f"{call(view, line)} {line.side}" for line in order if line.side and line.side != "in the middle"][:4]
    if not middle and not sides:
        return ""
    first = f"In the middle one sees {join_list(middle)}" if middle else "Nothing stands out in the middle"
    return f"{first}; around it are {join_list(sides)}." if sides else f"{first}."
