"""Reference programs of questions about marks and the camera's motion.

Marks are points of the plain scene that programs compute over, so the same calls answer that compare things.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from instructions.facts.between import distance
from instructions.questions.core.world import Given, ProgramScene, ProgramThing, Reference, Things
from recon.geometry import Array


def ask(reference: Reference, word: str) -> Reference:
    """A program for things, asked for one end: `nearer`, `higher`."""
    return lambda things, scene, given: reference(things, scene, Given(word=word))


def is_first(reference: Reference) -> Reference:
    """Whether another program picks mark 1."""
    return lambda things, scene, given: "yes" if reference(things, scene, given) == things[0].id else "no"


def measure_range(thing: ProgramThing, scene: ProgramScene) -> float:
    """From the eye of the first view."""
    return scene.cameras[0].viewer.range(thing.body.center)


def order_by(measure: Callable[[ProgramThing, ProgramScene], float]) -> Reference:
    """Numbers of the marks, those first of which a measure is least."""

    def order(things: Things, scene: ProgramScene, given: Given) -> str:
        numbers = sorted(range(len(things)), key=lambda at: measure(things[at], scene))
        return ", ".join(str(at + 1) for at in numbers)

    return order


def name_pair(pick: Callable[..., tuple[int, int]]) -> Reference:
    """The two marks whose distance `min` or `max` picks."""

    def name(things: Things, scene: ProgramScene, given: Given) -> str:
        pairs = combinations(range(len(things)), 2)
        one, other = pick(pairs, key=lambda pair: distance(things[pair[0]].body, things[pair[1]].body))
        return f"marks {one + 1} and {other + 1}"

    return name


def measure_height(things: Things, scene: ProgramScene, given: Given) -> float:
    """Above the floor.

    Raises:
        ValueError: If no floor is known.
    """
    if scene.floor_z is None:
        raise ValueError("no floor is known")
    return float(things[0].body.center[2]) - scene.floor_z


def measure_move(scene: ProgramScene) -> Array:
    """Metres ahead, to the right and up from the first view to the second, in level axes of the first: (3,)."""
    first, second = scene.cameras[:2]
    step = np.subtract(second.position, first.position)
    return np.array([step @ first.viewer.ahead, step @ first.viewer.right, step[2]])


def tell_move(axis: int, plus: str, minus: str) -> Reference:
    """Which sense the motion has along one of these axes."""
    return lambda things, scene, given: plus if measure_move(scene)[axis] > 0 else minus


def measure_turn_deg(scene: ProgramScene) -> float:
    """Of the level direction from the first view to the second, to the left positive."""
    first, second = (camera.viewer for camera in scene.cameras[:2])
    return -float(np.degrees(np.arctan2(second.ahead @ first.right, second.ahead @ first.ahead)))
