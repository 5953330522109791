"""A view as a whole: places, things and ideas it may be called by, each in one fixed sentence."""

from __future__ import annotations

from collections import defaultdict

from instructions.view import View

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


def tell_places(view: View) -> tuple[str, ...]:
    """At most two places: the room of the view, then the one that most of its things are in."""
    rooms: dict[str, float] = defaultdict(float)
    if view.room is not None:
        rooms[view.room] += 1.0 + view.room_probability
    for thing in view.things:
        if thing.room is not None:
            rooms[thing.room] += thing.visible_fraction / max(len(view.things), 1)
    order = sorted(rooms, key=lambda room: (-rooms[room], room))
    return tuple(say_place(room) for room in order[:PLACES])


def tell_things(view: View) -> tuple[str, ...]:
    """At most three kinds of things, by the area that they cover."""
    area: dict[str, float] = defaultdict(float)
    for thing in view.things:
        area[thing.category or thing.alias] += view.measure_share(thing)
    order = sorted(area, key=lambda noun: (-area[noun], noun))
    return tuple(say_thing(noun) for noun in order[:THINGS])


def tell_concepts(view: View) -> tuple[str, ...]:
    """At most three ideas that the kinds of things speak for."""
    votes = {
        idea: sum(thing.visible_fraction for thing in view.things if thing.category in words)
        for idea, words in IDEAS.items()
    }
    order = sorted((idea for idea in votes if votes[idea] > 0), key=lambda idea: (-votes[idea], idea))
    return tuple(say_concept(idea) for idea in order[:CONCEPTS])


def say_place(label: str) -> str:
    """The fixed sentence of a place."""
    return f"This place is {_a(label)}."


def say_thing(label: str) -> str:
    """The fixed sentence of a kind of thing."""
    return f"One sees {_a(label)} here."


def say_concept(idea: str) -> str:
    """The fixed sentence of an idea."""
    return f"There might also be something for {idea} here."


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
