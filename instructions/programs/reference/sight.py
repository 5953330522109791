"""What one would see who stood somewhere else."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from instructions.facts.facing import measure_facing_bearing_deg
from instructions.facts.sight import measure_free_share
from instructions.programs.world import Given, ProgramScene, ProgramThing
from recon.geometry import Array

Things = Sequence[ProgramThing]
HALF_VIEW_DEG = 45.0
LEAST_FREE = 0.3
"""Share of the faces turned to the eye."""


def stand_over(thing: ProgramThing, scene: ProgramScene) -> Array:
    """An eye right over the middle of a thing, as high as the camera is carried.

    Raises:
        ValueError: If no walk is known.
    """
    if not len(scene.path):
        raise ValueError("no walk is known")
    x, y, _ = thing.obb.center
    return np.array([x, y, float(np.median([place[2] for place in scene.path]))])


def is_seen_from(things: Things, scene: ProgramScene, given: Given) -> bool:
    """Whether C is in view from over A, looking towards B: 90 degrees across, not hidden by the boxes of things."""
    stand, look, target = things
    eye = stand_over(stand, scene)
    if abs(measure_facing_bearing_deg(eye, look.body.center, target.body.center)) > HALF_VIEW_DEG:
        return False
    others = [one.obb for one in scene.things.values() if one.id != target.id]
    return measure_free_share(eye, target.obb, others) >= LEAST_FREE
