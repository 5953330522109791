"""Where a picture would show a thing by its box in the world: a judge's own look, apart from what networks found."""

from __future__ import annotations

from itertools import product

import numpy as np

from instructions.records import Box, SceneObject
from recon.records import SceneModel

_SAMPLES = 7
"""Points of the box along each of its axes: what of it is behind the camera or far outside must not bend the rest."""
_NEAREST_M = 0.1


def project_box(thing: SceneObject, model: SceneModel, frame: int) -> Box | None:
    """The part of a frame that the box of a thing fills if nothing hides it; None if it is not in view.

    Args:
        thing: Of the model.
        model: With its camera.
        frame: One of the model's.

    Returns:
        x0, y0, x1, y1 as shares of the frame's width and height, 0 to 1.
    """
    if frame not in model.world_from_cam:
        return None
    steps = np.linspace(-1.0, 1.0, _SAMPLES)
    inner = np.array(list(product(steps, steps, steps))) * np.array(thing.obb.half_extents)
    world = inner @ np.array(thing.obb.rotation).T + np.array(thing.obb.center)
    seen = model.world_from_cam[frame].inverse() @ world
    seen = seen[seen[:, 2] > _NEAREST_M * model.nominal_metre]
    if not len(seen):
        return None
    size = np.array([model.camera.width, model.camera.height], dtype=np.float64)
    places = model.camera.project(seen) / size
    (x0, y0), (x1, y1) = np.clip(places.min(axis=0), 0.0, 1.0), np.clip(places.max(axis=0), 0.0, 1.0)
    return (float(x0), float(y0), float(x1), float(y1)) if x1 > x0 and y1 > y0 else None


def is_across(shown: Box, least_share: float) -> bool:
    """Whether what a picture shows of a thing reaches from so much of its width left of the middle to so much right."""
    return shown[0] <= 0.5 - least_share and shown[2] >= 0.5 + least_share
