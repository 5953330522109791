"""What must happen to a value when the world is changed: witnesses that need no model and no reference.

A program that breaks a law is no witness. Laws find constants written into the code, distances along one axis, a wrong
up axis, wrong handedness and dependence on the order of things.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from instructions.programs.running.values import PlainValue
from instructions.questions.core.types import Form

Things = list[dict[str, Any]]
Seen = dict[str, Any] | None
TURNS_DEG = (37.0, 217.0)
"""What compares things along an axis of the world gives two answers in these two worlds, whatever it compares."""
SHIFT_M = (3.1, -2.3)
SCALE = 1.25
_LENGTH_POWER = {"m": 1, "cm": 1, "m2": 2, "m3": 3}


@dataclass(frozen=True)
class Law:
    """A change of the world, and what it does to a value."""

    name: str
    change: Callable[[Things, Seen], tuple[Things, Seen]]
    """Metadata and camera; gives new ones and leaves those alone."""
    expect: Callable[[PlainValue, Form, str], PlainValue | None]
    """Value, form and unit of the answer; None where the law says nothing."""


def _same(value: PlainValue, form: Form, unit: str) -> PlainValue | None:
    return value


def _shuffle(things: Things, camera: Seen) -> tuple[Things, Seen]:
    """Backwards: of all orders the one in which every two things have changed places."""
    return copy.deepcopy(things[::-1]), copy.deepcopy(camera)


def _turn_by(angle_deg: float) -> Callable[[Things, Seen], tuple[Things, Seen]]:
    """Turned about z and shifted over the floor, the camera too."""
    c, s = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))

    def turn(v: Sequence[float]) -> list[float]:
        return [c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]]

    def move(v: Sequence[float]) -> list[float]:
        x, y, z = turn(v)
        return [x + SHIFT_M[0], y + SHIFT_M[1], z]

    return lambda things, camera: (_map_boxes(things, move, turn), _map_camera(camera, move, turn))


def _mirror(things: Things, camera: Seen) -> tuple[Things, Seen]:
    """X to -x. A box mirrored is the box whose axes are mirrored, one of them turned back, so that it is a rotation."""

    def mirror(v: Sequence[float]) -> list[float]:
        return [-v[0], v[1], v[2]]

    changed = _map_boxes(things, mirror, mirror)
    for thing in changed:
        thing["obb"]["rotation"] = [[-row[0], *row[1:]] for row in thing["obb"]["rotation"]]
    seen = _map_camera(camera, mirror, mirror)
    if seen is not None:  # a camera stays a camera: what was to its right is now to its left
        seen["right"] = [-part for part in seen["right"]]
    return changed, seen


def _scale(things: Things, camera: Seen) -> tuple[Things, Seen]:
    def grow(v: Sequence[float]) -> list[float]:
        return [SCALE * part for part in v]

    changed = _map_boxes(things, grow, list)
    for thing in changed:
        box = thing["obb"]
        box["sizes"], box["half_extents"] = grow(box["sizes"]), grow(box["half_extents"])
        box["volume"] = box["volume"] * SCALE**3
    return changed, _map_camera(camera, grow, list)


def _add_far(things: Things, camera: Seen) -> tuple[Things, Seen]:
    """Two things of another category, far off: one very large, one very small."""
    added = [_far_thing("far tower", [61.0, -73.0, 4.0], 8.0), _far_thing("far pebble", [-82.0, 57.0, 0.02], 0.04)]
    return [added[0], *copy.deepcopy(things), added[1]], copy.deepcopy(camera)


def _far_thing(name: str, center: list[float], side: float) -> dict[str, Any]:
    box = {
        "center": center,
        "sizes": [side] * 3,
        "half_extents": [side / 2] * 3,
        "rotation": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        "volume": side**3,
    }
    return {"id": name, "category": name, "obb": box, "appear": [], "room": None}


def _swap_sides(value: PlainValue, form: Form, unit: str) -> PlainValue | None:
    if form != "label":
        return value
    if not isinstance(value, str):
        return None
    return value.replace("left", "\0").replace("right", "left").replace("\0", "right")


def _grow_value(value: PlainValue, form: Form, unit: str) -> PlainValue | None:
    if form != "number" or isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return value * SCALE ** _LENGTH_POWER.get(unit, 0)


def _unless_listed(value: PlainValue, form: Form, unit: str) -> PlainValue | None:
    return None if form == "things" else value


LAWS: Mapping[str, Law] = {
    law.name: law
    for law in (
        Law("shuffled", _shuffle, _same),
        Law("turned", _turn_by(TURNS_DEG[0]), _same),
        Law("turned further", _turn_by(TURNS_DEG[1]), _same),
        Law("mirrored", _mirror, _swap_sides),
        Law("scaled", _scale, _grow_value),
        Law("far things added", _add_far, _unless_listed),
    )
}


def applicable_laws(*, has_length_in_question: bool) -> tuple[Law, ...]:
    """The laws for a question. One that names a length ("within 2 metres") need not survive a scaled world."""
    return tuple(law for law in LAWS.values() if law.name != "scaled" or not has_length_in_question)


def _map_boxes(
    things: Things, point: Callable[[Sequence[float]], list[float]], direction: Callable[[Sequence[float]], list[float]]
) -> Things:
    """Deep copies with centers and the columns of rotations mapped."""
    changed = copy.deepcopy(things)
    for thing in changed:
        box = thing["obb"]
        box["center"] = point(box["center"])
        columns = [direction([row[i] for row in box["rotation"]]) for i in range(3)]
        box["rotation"] = [[column[i] for column in columns] for i in range(3)]
    return changed


def _map_camera(
    camera: Seen, point: Callable[[Sequence[float]], list[float]], direction: Callable[[Sequence[float]], list[float]]
) -> Seen:
    if camera is None:
        return None
    vectors = {name: direction(camera[name]) for name in ("forward", "right", "up")}
    return {**camera, "position": point(camera["position"]), **vectors}
