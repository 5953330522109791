"""Reference programs of questions about marks and the camera's motion.

Marks are points of the plain scene that programs compute over, called `mark 1`, `mark 2` and so on.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import TypeAlias

import numpy as np

from instructions.facts.between import distance
from instructions.questions.core.world import Given, ProgramScene, ProgramThing, Reference, Things
from recon.geometry import Array

Measure: TypeAlias = Callable[[ProgramThing, ProgramScene], float]


def measure_range(mark: ProgramThing, scene: ProgramScene) -> float:
    """Distance from the eye of the first view."""
    return scene.cameras[0].viewer.range(mark.body.center)


def measure_z(mark: ProgramThing, scene: ProgramScene) -> float:
    """Height in the coordinates of the model."""
    return float(mark.body.center[2])


def pick(measure: Measure, end: Callable[..., ProgramThing] = min) -> Reference:
    """The mark of which a measure is least, or with `max` greatest."""
    return lambda things, scene, given: end(things, key=lambda mark: measure(mark, scene)).id


def is_first(reference: Reference) -> Reference:
    """Whether another program picks mark 1."""
    return lambda things, scene, given: "yes" if reference(things, scene, given) == things[0].id else "no"


def order_by(measure: Measure) -> Reference:
    """Numbers of the marks, those first of which a measure is least."""
    return lambda things, scene, given: ", ".join(
        str(1 + at) for at in sorted(range(len(things)), key=lambda at: measure(things[at], scene))
    )


def name_pair(end: Callable[..., tuple[int, int]]) -> Reference:
    """The two marks whose distance `min` or `max` picks."""

    def name(things: Things, scene: ProgramScene, given: Given) -> str:
        pairs = combinations(range(len(things)), 2)
        one, other = end(pairs, key=lambda pair: distance(*(things[at].body for at in pair)))
        return f"marks {one + 1} and {other + 1}"

    return name


def measure_move(scene: ProgramScene) -> Array:
    """Metres ahead, to the right and up from the first view to the second, in level axes of the first: (3,)."""
    first, second = scene.cameras[:2]
    step = np.subtract(second.position, first.position)
    return np.array([step @ first.viewer.ahead, step @ first.viewer.right, step[2]])


def tell_move(axis: int, plus: str, minus: str) -> Reference:
    """Which sense the motion has along one of these axes."""
    return lambda things, scene, given: plus if measure_move(scene)[axis] > 0 else minus


def measure_turn_deg(scene: ProgramScene) -> float:
    """Turn of the level direction from the first view to the second, to the left positive."""
    first, second = (camera.viewer for camera in scene.cameras[:2])
    return -float(np.degrees(np.arctan2(second.ahead @ first.right, second.ahead @ first.ahead)))
