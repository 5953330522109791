"""A view whose things are boxes at known places: an eye at the origin, 1.5 m up, that looks along +x."""

from dataclasses import fields, replace
from typing import Any

import numpy as np

from instructions.facts.bodies import Body
from instructions.facts.things import Thing
from instructions.records import Obb, Observation, SceneObject
from instructions.view import SeenThing, View
from recon.geometry import Camera, Pose
from recon.records import Scale, ScaleStatus, SceneModel, Tracks

SIZE = (1000, 600)
_NOTHING = np.zeros(0, np.int64)
NO_TRACKS = Tracks(np.zeros((0, 3)), np.zeros((0, 3), np.uint8), np.zeros(0), _NOTHING, _NOTHING, np.zeros((0, 2)))
_CAMERA = Camera("PINHOLE", *SIZE, (500.0, 500.0, 500.0, 300.0))
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
    box = Obb(center, half, _AXES)
    body = Body.of_box(box)
    local = POSE.inverse() @ body.points
    pixels = _CAMERA.project(local)
    (x0, y0), (x1, y1) = pixels.min(axis=0).tolist(), pixels.max(axis=0).tolist()
    alias = " ".join(word for word in (color, category or "object") if word)
    made = SceneObject(name, "0", category, alias, color, None, box, (), (1,), False, "made")
    seen = Observation(1, name, (x0, y0, x1, y1), visible, 1.0, float(local[:, 2].mean()), (), ())
    return SeenThing(made, body, sigma, frames, seen=seen)


def change(one: SeenThing, **more: Any) -> SeenThing:
    """The thing with fields of its record, of its observation or of its own replaced."""

    def pick(record: type) -> dict[str, Any]:
        return {name: more[name] for name in more if name in {part.name for part in fields(record)}}

    made, seen = (
        replace(one.thing, **pick(SceneObject) | {"frames": one.thing.frames}),
        replace(one.seen, **pick(Observation)),
    )
    own = {name: more[name] for name in ("solid", "sigma", "frames", "room_probability") if name in more}
    return replace(one, thing=made, seen=seen, **own)


def view(
    *things: SeenThing,
    numbered: bool = False,
    scale: ScaleStatus = "metric",
    unseen: tuple[Thing, ...] = (),
    frame: int = 1,
    **known: Any,
) -> View:
    """A view of these things, numbered in their order on request; `unseen` are known, and nobody observed them here."""
    model = SceneModel("0", _CAMERA, {frame: POSE}, NO_TRACKS, Scale(scale, 1.0, 0.0, "made"), 0.0, "made", 0.0)
    made = View(frame, model, things, others=unseen, tour="made", **known)
    return made.number_things([one.id for one in things]) if numbered else made
