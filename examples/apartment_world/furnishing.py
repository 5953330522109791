"""What stands where in the apartment."""

from __future__ import annotations

import numpy as np

from . import fittings as fit
from . import furniture as furn
from .geometry import Part, WorldObject, place
from .rooms import HEIGHT_M, door_leaf
from .textures import Rgb

BLACK: Rgb = (0.12, 0.11, 0.11)
GOLD: Rgb = (0.62, 0.48, 0.22)


def furnish(rng: np.random.Generator) -> list[WorldObject]:
    """Every piece of furniture, at its place."""
    things: list[WorldObject] = []
    counts: dict[str, int] = {}

    def put(room: str, category: str, color: str, parts: list[Part], at: tuple, yaw_deg: float = 0.0) -> None:
        counts[category] = counts.get(category, 0) + 1
        name = f"{category.replace(' ', '_')}_{counts[category]}"
        things.append(place(name, category, color, room, parts, at if len(at) == 3 else (*at, 0.0), yaw_deg))

    _living_room(put, rng)
    _kitchen(put, rng)
    _hall(put, rng)
    _bedroom(put, rng)
    _study(put, rng)
    _bathroom(put, rng)
    lamps = [
        ("living_room", 2.4, 2.4),
        ("kitchen", 8.9, 2.4),
        ("hall", 2.6, 5.5),
        ("hall", 7.6, 5.5),
        ("bedroom", 2.3, 8.2),
        ("study", 5.9, 8.3),
        ("bathroom", 8.7, 8.2),
    ]
    shades: list[Rgb] = [
        (0.9, 0.85, 0.7),
        (0.75, 0.35, 0.2),
        (0.9, 0.88, 0.8),
        (0.9, 0.88, 0.8),
        (0.85, 0.7, 0.6),
        (0.4, 0.55, 0.45),
        (0.9, 0.9, 0.86),
    ]
    colors = ["white", "orange", "white", "white", "pink", "green", "white"]
    for (room, x, y), shade, color in zip(lamps, shades, colors, strict=True):
        put(room, "ceiling lamp", color, fit.pendant(shade), (x, y, HEIGHT_M))
    return things


def _living_room(put, rng: np.random.Generator) -> None:
    room = "living_room"
    red: Rgb = (0.5, 0.1, 0.11)
    put(
        room, "sofa", "red", furn.sofa(red, [(0.85, 0.72, 0.35), (0.3, 0.42, 0.5), (0.86, 0.82, 0.72)]), (0.58, 2.2), 90
    )
    put(
        room,
        "rug",
        "red",
        fit.carpet(1.9, 2.5, (0.45, 0.16, 0.14), [(0.16, 0.2, 0.36), (0.72, 0.55, 0.32), (0.3, 0.35, 0.3)]),
        (2.05, 2.2),
    )
    put(room, "coffee table", "brown", furn.coffee_table(furn.OAK), (1.75, 2.2), 90)
    put(room, "armchair", "blue", furn.armchair((0.16, 0.29, 0.52), (0.88, 0.8, 0.6)), (2.9, 0.72), 165)
    put(room, "bookshelf", "brown", furn.bookshelf(furn.WALNUT, rng, 2.0), (1.75, 4.36), 0)
    put(room, "floor lamp", "yellow", fit.floor_lamp((0.92, 0.8, 0.5)), (0.4, 4.1))
    put(room, "plant", "green", fit.plant(rng, 1.5, (0.72, 0.4, 0.26)), (0.5, 0.55))
    put(room, "cabinet", "yellow", furn.cabinet((0.83, 0.64, 0.17), 1.15, 0.42, 0.85, 2, 2), (5.3, 0.72), -90)
    put(room, "table lamp", "white", fit.table_lamp((0.25, 0.42, 0.45), (0.93, 0.88, 0.75)), (5.3, 0.4, 0.87))
    put(room, "vase", "blue", fit.vase((0.22, 0.35, 0.6), rng), (5.3, 1.0, 0.87))
    put(room, "tv stand", "brown", furn.cabinet(furn.WALNUT, 1.5, 0.4, 0.48, 1, 3, wooden=True), (5.32, 3.6), -90)
    put(room, "tv", "black", furn.monitor(1.25, 0), (5.36, 3.6, 0.505), -90)
    put(room, "picture", "gold", fit.picture(1.15, 0.8, 0, GOLD), (0.06, 2.2, 1.62), 90)
    put(room, "picture", "black", fit.picture(0.55, 0.7, 1, BLACK), (0.06, 3.45, 1.6), 90)
    put(room, "picture", "brown", fit.picture(0.5, 0.65, 2, furn.WALNUT), (0.06, 0.95, 1.65), 90)
    put(room, "picture", "black", fit.picture(0.6, 0.85, 1, BLACK), (2.92, 0.06, 1.6), 180)
    put(room, "picture", "gold", fit.picture(0.6, 0.5, 2, GOLD), (5.02, 4.54, 1.6), 0)
    put(room, "picture", "brown", fit.picture(0.5, 0.6, 0, furn.OAK), (3.2, 4.54, 1.6), 0)
    put(room, "picture", "white", fit.picture(0.8, 0.6, 0, (0.85, 0.83, 0.78)), (5.54, 0.72, 1.75), -90)
    for x in (1.7, 4.1):
        put(
            room,
            "curtain",
            "green",
            fit.curtains(1.5, 2.2, (0.42, 0.5, 0.36), [(0.62, 0.66, 0.5), (0.3, 0.36, 0.26)]),
            (x, 0.06, 2.36),
            180,
        )
    put(room, "side table", "white", furn.coffee_table((0.85, 0.82, 0.76), 0.5, 0.4, 0.5), (3.75, 0.5), 0)


def _kitchen(put, rng: np.random.Generator) -> None:
    room = "kitchen"
    mint: Rgb = (0.5, 0.66, 0.58)
    put(room, "fridge", "white", fit.fridge((0.9, 0.91, 0.91)), (6.02, 0.4), 180)
    put(room, "kitchen counter", "green", fit.counter(mint, 1.95, -0.4, 4, rng), (7.36, 0.39), 180)
    put(room, "stove", "gray", fit.stove((0.62, 0.63, 0.64)), (8.68, 0.38), 180)
    put(room, "kitchen counter", "green", fit.counter(mint, 0.9, 3.0, 2, rng), (9.46, 0.39), 180)
    put(room, "microwave", "gray", fit.microwave(), (9.6, 0.36, 0.9), 180)
    put(room, "wall cabinet", "green", fit.wall_units(mint, 0.62, 1), (6.7, 0.23), 180)
    put(room, "wall cabinet", "green", fit.wall_units(mint, 1.2, 3), (9.28, 0.23), 180)
    put(room, "dining table", "brown", furn.dining_table((0.7, 0.52, 0.33)), (8.95, 2.55), 90)
    tones: list[Rgb] = [(0.75, 0.3, 0.2), (0.25, 0.42, 0.5), (0.8, 0.62, 0.2), (0.35, 0.5, 0.3)]
    names = ["red", "blue", "yellow", "green"]
    spots = [((8.25, 2.2), 86), ((8.28, 2.95), 97), ((9.6, 2.2), -90), ((9.58, 2.9), -95)]
    for name, tone, (at, yaw) in zip(names, tones, spots, strict=True):
        put(room, "chair", name, furn.chair((0.55, 0.38, 0.22), tone), at, yaw)
    put(room, "sideboard", "orange", furn.cabinet((0.82, 0.42, 0.16), 1.25, 0.42, 0.9, 3, 2), (5.9, 3.75), 90)
    put(room, "plant", "green", fit.plant(rng, 0.6, (0.85, 0.83, 0.78), 18), (5.88, 4.1, 0.92))
    put(room, "vase", "yellow", fit.vase((0.85, 0.7, 0.3), rng), (5.9, 3.4, 0.92))
    put(room, "picture", "black", fit.picture(0.75, 0.55, 2, BLACK), (5.66, 3.7, 1.75), 90)
    put(room, "picture", "brown", fit.picture(0.5, 0.62, 1, furn.OAK), (5.66, 0.98, 1.7), 90)
    put(room, "picture", "gold", fit.picture(0.9, 0.62, 0, GOLD), (8.5, 4.54, 1.65), 0)
    put(room, "clock", "white", fit.clock(), (6.2, 4.54, 1.95), 0)
    put(room, "picture", "white", fit.picture(0.42, 0.55, 2, (0.88, 0.86, 0.82)), (6.2, 4.54, 1.4), 0)
    put(room, "cabinet", "white", furn.cabinet((0.87, 0.86, 0.82), 1.1, 0.38, 0.82, 2, 3), (8.8, 4.33), 0)
    put(room, "plant", "green", fit.plant(rng, 1.25, (0.3, 0.34, 0.4)), (9.6, 4.15))
    put(room, "table lamp", "red", fit.table_lamp((0.3, 0.3, 0.32), (0.75, 0.28, 0.2)), (8.45, 4.33, 0.84))
    put(
        room, "rug", "blue", fit.carpet(1.6, 0.7, (0.26, 0.36, 0.46), [(0.8, 0.76, 0.64), (0.6, 0.3, 0.22)]), (7.5, 1.1)
    )


def _hall(put, rng: np.random.Generator) -> None:
    room = "hall"
    put(
        room,
        "rug",
        "green",
        fit.carpet(4.4, 0.75, (0.24, 0.36, 0.3), [(0.6, 0.22, 0.18), (0.78, 0.66, 0.4), (0.2, 0.24, 0.36)]),
        (3.3, 5.5),
    )
    put(room, "coat rack", "brown", furn.coat_rack(rng), (0.72, 4.66), 180)
    put(
        room, "console table", "brown", furn.cabinet((0.5, 0.3, 0.2), 1.1, 0.3, 0.82, 1, 3, wooden=True), (3.9, 6.17), 0
    )
    put(room, "table lamp", "blue", fit.table_lamp((0.2, 0.3, 0.5), (0.9, 0.85, 0.7)), (3.55, 6.17, 0.84))
    put(room, "vase", "red", fit.vase((0.7, 0.25, 0.2), rng), (4.25, 6.17, 0.84))
    put(room, "picture", "gold", fit.picture(0.7, 0.55, 0, GOLD), (3.9, 6.34, 1.65), 0)
    put(room, "picture", "black", fit.picture(0.45, 0.6, 1, BLACK), (2.7, 6.34, 1.6), 0)
    put(room, "picture", "brown", fit.picture(0.5, 0.65, 2, furn.WALNUT), (4.95, 6.34, 1.6), 0)
    put(room, "picture", "white", fit.picture(0.9, 0.6, 1, (0.85, 0.83, 0.78)), (7.4, 6.34, 1.6), 0)
    put(room, "picture", "black", fit.picture(0.7, 0.5, 0, BLACK), (2.3, 4.66, 1.6), 180)
    put(room, "picture", "gold", fit.picture(0.5, 0.6, 2, GOLD), (3.05, 4.66, 1.6), 180)
    put(room, "picture", "brown", fit.picture(0.8, 0.6, 0, furn.OAK), (5.4, 4.66, 1.6), 180)
    put(room, "picture", "white", fit.picture(0.5, 0.7, 1, (0.85, 0.83, 0.78)), (6.3, 4.66, 1.6), 180)
    put(room, "bench", "orange", furn.cabinet((0.75, 0.42, 0.18), 0.95, 0.32, 0.46, 1, 2), (5.5, 4.83), 180)
    put(room, "bookshelf", "white", furn.bookshelf((0.82, 0.8, 0.75), rng, 1.2, 1.3, 0.28), (8.7, 4.81), 180)
    put(room, "plant", "green", fit.plant(rng, 1.2, (0.55, 0.5, 0.44)), (9.62, 5.95))
    put(room, "picture", "gold", fit.picture(0.5, 0.6, 2, GOLD), (0.06, 6.1, 1.7), 90)
    put(room, "front door", "brown", fit.front_door(), (0.06, 5.4), 90)
    put(room, "picture", "black", fit.picture(0.55, 0.75, 1, BLACK), (8.7, 4.66, 1.75), 180)


def _bedroom(put, rng: np.random.Generator) -> None:
    room = "bedroom"
    put(room, "bed", "purple", furn.bed((0.5, 0.34, 0.2), (0.42, 0.3, 0.52)), (3.27, 8.5), -90)
    for y, lamp in ((7.42, 1), (9.6, 2)):
        put(room, "nightstand", "white", furn.cabinet((0.85, 0.83, 0.78), 0.45, 0.38, 0.52, 2, 1), (4.1, y), -90)
        put(
            room,
            "table lamp",
            ("orange", "yellow")[lamp - 1],
            fit.table_lamp(((0.7, 0.35, 0.2), (0.5, 0.45, 0.2))[lamp - 1], (0.93, 0.86, 0.7)),
            (4.12, y, 0.54),
        )
    put(
        room, "wardrobe", "brown", furn.cabinet((0.66, 0.5, 0.32), 1.7, 0.58, 2.1, 1, 3, wooden=True), (3.35, 6.77), 180
    )
    put(room, "dresser", "green", furn.cabinet((0.36, 0.5, 0.4), 1.0, 0.42, 0.95, 3, 2), (0.85, 9.7), 0)
    put(room, "vase", "white", fit.vase((0.9, 0.88, 0.84), rng), (0.6, 9.7, 0.97))
    put(room, "picture", "brown", fit.picture(0.5, 0.65, 2, furn.WALNUT), (0.85, 9.94, 1.75), 0)
    put(
        room,
        "rug",
        "blue",
        fit.carpet(1.5, 2.3, (0.3, 0.38, 0.5), [(0.85, 0.8, 0.7), (0.6, 0.42, 0.3), (0.45, 0.3, 0.45)]),
        (1.75, 8.6),
    )
    put(room, "armchair", "green", furn.armchair((0.3, 0.42, 0.24), (0.85, 0.75, 0.5)), (0.62, 7.15), 125)
    put(
        room,
        "curtain",
        "purple",
        fit.curtains(1.5, 2.2, (0.5, 0.4, 0.55), [(0.7, 0.6, 0.72), (0.36, 0.28, 0.42)]),
        (0.06, 8.4, 2.36),
        90,
    )
    put(
        room,
        "curtain",
        "purple",
        fit.curtains(1.2, 2.2, (0.5, 0.4, 0.55), [(0.7, 0.6, 0.72), (0.36, 0.28, 0.42)]),
        (2.2, 9.94, 2.36),
        0,
    )
    put(room, "picture", "gold", fit.picture(1.1, 0.7, 0, GOLD), (4.34, 8.5, 1.7), -90)
    put(room, "picture", "black", fit.picture(0.5, 0.65, 1, BLACK), (3.55, 9.94, 1.65), 0)
    put(room, "picture", "white", fit.picture(0.45, 0.55, 1, (0.88, 0.86, 0.82)), (0.62, 6.46, 1.65), 180)
    put(room, "picture", "brown", fit.picture(0.5, 0.5, 2, furn.OAK), (0.06, 7.1, 1.7), 90)
    put(room, "plant", "green", fit.plant(rng, 1.3, (0.8, 0.75, 0.65)), (3.3, 9.68))


def _study(put, rng: np.random.Generator) -> None:
    room = "study"
    put(room, "desk", "brown", furn.desk((0.6, 0.42, 0.26)), (5.8, 9.55), 0)
    put(room, "monitor", "black", furn.monitor(0.62, 1), (5.8, 9.68, 0.74), 0)
    put(room, "table lamp", "green", fit.table_lamp((0.2, 0.42, 0.3), (0.5, 0.62, 0.4)), (5.25, 9.7, 0.74))
    put(room, "office chair", "gray", furn.office_chair((0.3, 0.31, 0.34)), (5.85, 8.85), 205)
    put(room, "bookshelf", "brown", furn.bookshelf((0.62, 0.45, 0.28), rng, 2.0), (4.64, 8.4), 90)
    put(room, "armchair", "orange", furn.armchair((0.75, 0.38, 0.14), (0.3, 0.4, 0.45)), (6.85, 9.0), -60)
    put(room, "cabinet", "blue", furn.cabinet((0.2, 0.36, 0.55), 1.0, 0.4, 1.05, 3, 1), (7.12, 7.45), -90)
    put(room, "books", "red", fit.book_pile(rng, 7), (7.1, 7.2, 1.07), -80)
    put(room, "plant", "green", fit.plant(rng, 0.55, (0.75, 0.45, 0.3), 16), (7.12, 7.72, 1.07))
    put(room, "picture", "white", fit.picture(0.9, 0.65, 0, (0.86, 0.84, 0.8)), (7.34, 8.75, 1.65), -90)
    put(room, "picture", "gold", fit.picture(0.5, 0.65, 2, GOLD), (7.34, 7.45, 1.75), -90)
    put(room, "picture", "black", fit.picture(0.45, 0.6, 1, BLACK), (4.87, 9.94, 1.7), 0)
    put(room, "picture", "brown", fit.picture(0.45, 0.6, 0, furn.OAK), (6.98, 9.94, 1.7), 0)
    put(room, "picture", "black", fit.picture(0.5, 0.6, 1, BLACK), (5.0, 6.46, 1.65), 180)
    put(
        room,
        "rug",
        "yellow",
        fit.carpet(1.5, 1.9, (0.68, 0.54, 0.28), [(0.32, 0.22, 0.2), (0.8, 0.74, 0.6), (0.3, 0.4, 0.42)]),
        (5.95, 8.0),
    )
    put(room, "plant", "green", fit.plant(rng, 1.3, (0.3, 0.35, 0.42)), (4.85, 6.9))


def _bathroom(put, rng: np.random.Generator) -> None:
    room = "bathroom"
    put(room, "bathtub", "white", fit.bathtub(), (8.6, 9.52), 0)
    put(room, "washbasin", "white", fit.washbasin(), (7.7, 8.1), 90)
    put(room, "mirror", "gray", fit.picture(0.6, 0.8, 0, (0.6, 0.6, 0.6), mat=False), (7.46, 8.1, 1.5), 90)
    put(room, "toilet", "white", fit.toilet(), (9.6, 7.5), -90)
    put(room, "plant", "green", fit.plant(rng, 0.7, (0.9, 0.88, 0.84), 18), (9.65, 9.0 - 0.2))
    put(room, "rug", "blue", fit.carpet(1.0, 0.6, (0.2, 0.42, 0.5), [(0.88, 0.86, 0.8), (0.3, 0.55, 0.6)]), (8.6, 8.75))
    put(room, "door", "brown", door_leaf(0.82), (9.44, 6.5), 82)
