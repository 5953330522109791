"""A view whose things are boxes at known places: an eye at the origin, 1.5 m up, that looks along +x."""

from __future__ import annotations

import numpy as np

from instructions.facts.bodies import Body
from instructions.facts.viewer import Standpoint, Viewer
from instructions.records import Obb
from instructions.view import SeenThing, View
from recon.geometry import Pose
from recon.records import ScaleStatus

SIZE = (1000, 600)
_FOCAL = 500.0
_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
POSE = Pose(np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]), np.array([0.0, 0.0, 1.5]))


def thing(
    name: str,
    center: tuple[float, float, float],
    half: tuple[float, float, float],
    *,
    category: str | None = "chair",
    color: str | None = None,
    visible: float = 1.0,
    frames: int = 5,
    sigma: float = 0.0,
) -> SeenThing:
    """A box along the axes: x is ahead of the eye, y to the left, z up."""
    body = Body.of_box(Obb(center, half, _AXES))
    local = POSE.inverse() @ body.points
    x = SIZE[0] / 2 + _FOCAL * local[:, 0] / local[:, 2]
    y = SIZE[1] / 2 + _FOCAL * local[:, 1] / local[:, 2]
    box = (float(x.min()), float(y.min()), float(x.max()), float(y.max()))
    depth = float(local[:, 2].mean())
    alias = " ".join(word for word in (color, category or "object") if word)
    return SeenThing(name, category, alias, color, box, visible, 1.0, depth, body, sigma, frames)


def view(*things: SeenThing, numbered: bool = False, scale: ScaleStatus = "metric", **known: object) -> View:
    """A view of these things, numbered in their order on request."""
    at = Standpoint(Viewer.of(POSE, upright=True), POSE)
    made = View("made", "0", 1, SIZE, things, at, scale, floor_z=0.0, **known)  # pyright: ignore[reportArgumentType]
    return made.number_things([one.id for one in things]) if numbered else made
