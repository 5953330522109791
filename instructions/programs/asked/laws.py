"""What must happen to a value when the world is changed: witnesses that need no model and no reference.

A program that breaks a law is no witness. Laws find constants written into the code, distances along one axis, a wrong
up axis, wrong handedness and dependence on the order of things.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Any

from instructions.programs.running.values import PlainValue
from instructions.questions.core.types import Form

Things = list[dict[str, Any]]
Seen = dict[str, Any] | None
TURNS_DEG = (37.0, 217.0)
"""What compares things along an axis of the world gives two answers in these two worlds, whatever it compares."""
SHIFT_M = (3.1, -2.3)
SCALE = 1.25
_SAME_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
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


def _map(
    axes: Sequence[Sequence[float]],
    shift: Sequence[float] = (0.0, 0.0, 0.0),
    scale: float = 1.0,
    *,
    is_mirrored: bool = False,
) -> Callable[[Things, Seen], tuple[Things, Seen]]:
    """The change of a world in which x becomes `scale * axes @ x + shift`, the camera too.

    A box mirrored is the box whose axes are mirrored, one of them turned back, so that it is a rotation; a camera stays
    a camera: what was to its right is then to its left.
    """

    def turn(v: Sequence[float]) -> list[float]:
        return [sum(map(mul, row, v)) for row in axes]

    def move(v: Sequence[float]) -> list[float]:
        return [scale * at + by for at, by in zip(turn(v), shift, strict=True)]

    def change(things: Things, camera: Seen) -> tuple[Things, Seen]:
        changed = copy.deepcopy(things)
        for thing in changed:
            box = thing["obb"]
            columns = [turn(column) for column in zip(*box["rotation"], strict=True)]
            if is_mirrored:
                columns[0] = [-part for part in columns[0]]
            box["center"], box["rotation"] = move(box["center"]), [list(row) for row in zip(*columns, strict=True)]
            for sides in ("sizes", "half_extents"):
                box[sides] = [scale * part for part in box[sides]]
            box["volume"] = box["volume"] * scale**3
        if camera is None:
            return changed, None
        seen = {name: turn(camera[name]) for name in ("forward", "right", "up")}
        if is_mirrored:
            seen["right"] = [-part for part in seen["right"]]
        return changed, {**camera, "position": move(camera["position"]), **seen}

    return change


def _turn_by(angle_deg: float) -> Callable[[Things, Seen], tuple[Things, Seen]]:
    """Turned about z and shifted over the floor."""
    c, s = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    return _map(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)), (*SHIFT_M, 0.0))


def _add_far(things: Things, camera: Seen) -> tuple[Things, Seen]:
    """Two things of another category, far off: one very large, one very small."""
    added = [_far_thing("far tower", [61.0, -73.0, 4.0], 8.0), _far_thing("far pebble", [-82.0, 57.0, 0.02], 0.04)]
    return [added[0], *copy.deepcopy(things), added[1]], copy.deepcopy(camera)


def _far_thing(name: str, center: list[float], side: float) -> dict[str, Any]:
    box = {
        "center": center,
        "sizes": [side] * 3,
        "half_extents": [side / 2] * 3,
        "rotation": [list(row) for row in _SAME_AXES],
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
        Law("mirrored", _map(((-1.0, 0.0, 0.0), *_SAME_AXES[1:]), is_mirrored=True), _swap_sides),
        Law("scaled", _map(_SAME_AXES, scale=SCALE), _grow_value),
        Law("far things added", _add_far, _unless_listed),
    )
}


def applicable_laws(*, has_length_in_question: bool) -> tuple[Law, ...]:
    """The laws for a question. One that names a length ("within 2 metres") need not survive a scaled world."""
    return tuple(law for law in LAWS.values() if law.name != "scaled" or not has_length_in_question)
