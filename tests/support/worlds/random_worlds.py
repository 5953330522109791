"""Random rooms as programs see them, and questions with a clear answer."""

import math
from itertools import permutations

import numpy as np

from instructions.questions.core.world import Given, ProgramCamera, ProgramScene, ProgramThing, Value
from instructions.questions.sets.judging import SET_TYPES, analyse
from instructions.records import Obb

CATEGORIES = ("chair", "table", "lamp", "shelf", "plant")


def make_world(seed: int, count: int = 10) -> ProgramScene:
    """Things of a room of 8 x 6 m, turned about z, and one camera that looks into it."""
    random = np.random.default_rng(seed)
    things = {}
    for number in range(count):
        turn = random.uniform(0, math.pi)
        c, s = math.cos(turn), math.sin(turn)
        half = random.uniform(0.1, 0.7, 3)
        center = (random.uniform(0, 8), random.uniform(0, 6), random.uniform(half[2], 2.4 - half[2]))
        box = Obb(
            (float(center[0]), float(center[1]), float(center[2])),
            (float(half[0]), float(half[1]), float(half[2])),
            ((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)),
        )
        first = int(random.integers(1, 40)) * 10 + number
        name = f"the {CATEGORIES[number % len(CATEGORIES)]} {number}"
        shown = tuple(sorted({first, *(int(one) for one in random.integers(first, first + 100, 3))}))
        things[name] = ProgramThing(name, CATEGORIES[number % len(CATEGORIES)], box, shown, "hall")
    turn = random.uniform(0, 2 * math.pi)
    forward = (math.cos(turn), math.sin(turn), 0.0)
    camera = ProgramCamera(7, (4.0, 3.0, 1.5), forward, (forward[1], -forward[0], 0.0))
    shown = {frame for one in things.values() for frame in one.appear}
    others = [ProgramCamera(frame, (4.0, 3.0, 1.5), forward, camera.right) for frame in sorted(shown)]
    return ProgramScene(things, (camera, *others))


def find_clear(scene: ProgramScene, kind: str, given: Given, seed: int) -> tuple[tuple[str, ...], Value]:
    """Things of a question of this type whose answer does not change when every box moves by a few centimetres."""
    random = np.random.default_rng(seed)
    names = list(scene.things)
    most = SET_TYPES[kind].things[0]
    if most == 0:
        return (), analyse(kind, (), scene, given)
    orders = list(permutations(names, most))
    for place in random.permutation(len(orders)):
        chosen = orders[place]
        moved = [analyse(kind, chosen, _shake(scene, seed + trial), given) for trial in range(6)]
        value = analyse(kind, chosen, scene, given)
        if isinstance(value, float) or all(one == value for one in moved):
            return chosen, value
    raise AssertionError(f"no clear question of {kind}")


def _shake(scene: ProgramScene, seed: int) -> ProgramScene:
    random = np.random.default_rng(seed)
    things = {}
    for name, one in scene.things.items():
        x, y, z = (float(part) for part in np.array(one.obb.center) + random.uniform(-0.1, 0.1, 3))
        box = Obb((x, y, z), one.obb.half_extents, one.obb.rotation)
        things[name] = ProgramThing(name, one.category, box, one.appear, one.room)
    return ProgramScene(things, scene.cameras)
