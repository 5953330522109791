"""The walk and the rooms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from instructions.programs.world import Given, ProgramScene, ProgramThing
from recon.geometry import path_length

Things = Sequence[ProgramThing]


def measure_floor(things: Things, scene: ProgramScene, given: Given) -> float:
    """Area of all rooms together.

    Raises:
        ValueError: If no room is known.
    """
    if scene.floor_area is None:
        raise ValueError("no room is known")
    return scene.floor_area


def measure_path(things: Things, scene: ProgramScene, given: Given) -> float:
    """Way of the camera over the floor, along both axes of it."""
    return path_length(np.array(scene.path, dtype=np.float64).reshape(-1, 3) * (1.0, 1.0, 0.0))


def count_transitions(things: Things, scene: ProgramScene, given: Given) -> float:
    """How often the room changes."""
    return float(sum(a != b for a, b in zip(scene.rooms, scene.rooms[1:], strict=False)))
