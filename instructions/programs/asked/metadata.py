"""What a program sees of a scene. One table writes both the data and the words in which prompts explain them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from instructions.questions.core.world import ProgramCamera, ProgramThing
from instructions.records import Obb

DIGITS = 3
"""Metres are rounded to 1 mm."""


@dataclass(frozen=True)
class Shown:
    """One field that programs may read."""

    name: str
    meaning: str
    read: Callable[[ProgramThing], Any]


def _round(numbers: ArrayLike, digits: int = DIGITS) -> Any:
    return (np.round(np.asarray(numbers, dtype=np.float64), digits) + 0.0).tolist()


BOX_FIELDS = (
    Shown("center", "[x, y, z] of the middle of its box, metres", lambda one: _round(one.obb.center)),
    Shown(
        "sizes",
        "three full side lengths along the box's own axes, metres",
        lambda one: _round(2 * np.array(one.obb.half_extents)),
    ),
    Shown("half_extents", "half of sizes, metres", lambda one: _round(one.obb.half_extents)),
    Shown(
        "rotation",
        "3x3, rows; column i is the direction of sizes[i] in the world",
        lambda one: _round(one.obb.rotation, 6),
    ),
    Shown(
        "volume",
        "product of sizes, cubic metres",
        lambda one: round(float(np.prod(2 * np.array(one.obb.half_extents))), 6),
    ),
)
THING_FIELDS = (
    Shown("category", "what it is", lambda one: one.category),
    Shown("obb", "its oriented box, a dict of: ", lambda one: {field.name: field.read(one) for field in BOX_FIELDS}),
    Shown("appear", "numbers of the frames that show it, in order of time", lambda one: list(one.appear)),
    Shown("room", "name of its room, or None", lambda one: one.room),
)
CAMERA_FIELDS = {
    "position": "[x, y, z] of the eye, metres",
    "forward": "unit vector along the line of sight; it may look down, so use its level part for front and behind",
    "right": "unit vector to the right of the picture",
    "up": "unit vector to the top of the picture",
    "frame": "number of the frame",
}
AXES = "The world is right-handed with z up: x and y are the floor, height is z. All lengths are metres."


def describe_things(things: Iterable[ProgramThing], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """The metadata of a scene, as a program gets it.

    Args:
        things: Of the views asked about.
        names: Id to the name that people say, which is the program's `id`. Things without are left out.

    Returns:
        Fresh plain data in the order of the things: no path, no file name, nothing of another scene.
    """
    return [_own(one, names[one.id]) for one in things if one.id in names]


def describe_camera(camera: ProgramCamera) -> dict[str, Any]:
    """The second argument of a program about an image: its camera."""
    up = np.cross(camera.right, camera.forward)
    return {
        "position": _round(camera.position),
        "forward": _round(camera.forward, 6),
        "right": _round(camera.right, 6),
        "up": _round(up, 6),
        "frame": camera.frame,
    }


def explain_metadata(*, with_camera: bool) -> str:
    """The fields, axes and units in words, for prompts; the same table writes the data."""
    lines = [AXES, "", "metadata is a list with one dict per thing:", "- id: the name of the thing, a text"]
    for field in THING_FIELDS:
        lines.append(f"- {field.name}: {field.meaning}")
        if field.name == "obb":
            lines += [f"  - {one.name}: {one.meaning}" for one in BOX_FIELDS]
    if with_camera:
        lines += ["", "camera is a dict:", *(f"- {name}: {text}" for name, text in CAMERA_FIELDS.items())]
    else:
        lines += ["", "camera is None: the question has no view of its own."]
    return "\n".join(lines)


def _own(one: ProgramThing, name: str) -> dict[str, Any]:
    return {"id": name, **{field.name: field.read(one) for field in THING_FIELDS}}


def _make_example() -> dict[str, Any]:
    """A made thing of no scene of ours, written by the same code as real ones."""
    turned = ((0.8, -0.6, 0.0), (0.6, 0.8, 0.0), (0.0, 0.0, 1.0))
    box = Obb((1.204, -0.35, 0.61), (0.775, 0.31, 0.61), turned)
    return _own(ProgramThing("m0_7", "piano", box, (4, 7, 12), "music room"), "the piano")


EXAMPLE = _make_example()
"""One thing as programs see it, of another scene: for prompts."""
