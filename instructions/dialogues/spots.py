"""Boxes and points as words, in the picture as an encoder sees it: whole, padded to a square, or its middle square."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from instructions.dialogues.records import Spot
from instructions.facts.overlap import measure_inside

BoxSpace = Literal["picture", "padded", "cropped"]
BoxText = Literal["unit2", "unit3", "thousand", "pixels"]
_BRACKET = re.compile(r"\[[^\[\]]*\]")
LEAST_INSIDE = 0.5
"""Share of a thing inside the square that an encoder sees, below which it is neither named nor counted."""


def inside_square(spot: Spot, size_px: tuple[int, int]) -> float:
    """Share of a box that lies in the middle square of a picture; 1 or 0 for a point."""
    width, height = size_px
    side = min(width, height)
    left, top = (width - side) / 2, (height - side) / 2
    if len(spot) == 2:
        return float(left <= spot[0] <= left + side and top <= spot[1] <= top + side)
    x0, y0, x1, y1 = spot
    return measure_inside((x0, y0, x1, y1), (left, top, left + side, top + side))


def place_spot(spot: Spot, size_px: tuple[int, int], space: BoxSpace) -> tuple[Spot, tuple[float, float]]:
    """A spot in the pixels of the picture that the encoder sees, clipped to it, and the size of that picture."""
    width, height = size_px
    if space == "picture":
        shift, size = (0.0, 0.0), (float(width), float(height))
    else:
        side = float(max(size_px) if space == "padded" else min(size_px))
        shift, size = ((side - width) / 2, (side - height) / 2), (side, side)
    moved = (value + shift[place % 2] for place, value in enumerate(spot))
    return tuple(min(max(value, 0.0), size[place % 2]) for place, value in enumerate(moved)), size


def say_spot(spot: Spot, size_px: tuple[int, int], space: BoxSpace = "picture", text: BoxText = "unit2") -> str:
    """`[0.12, 0.30, 0.55, 0.98]`; a box keeps a width and a height after rounding."""
    moved, size = place_spot(spot, size_px, space)
    steps = {"unit2": 100, "unit3": 1000, "thousand": 1000}.get(text)
    whole = [round(value * steps / size[place % 2]) if steps else round(value) for place, value in enumerate(moved)]
    limit = [steps or round(size[place % 2]) for place in range(2)]
    if len(whole) == 4:
        for axis in range(2):
            if whole[axis] >= whole[axis + 2]:
                whole[axis] = min(whole[axis], limit[axis] - 1)
                whole[axis + 2] = whole[axis] + 1
    digits = {"unit2": 2, "unit3": 3}.get(text)
    words = [f"{value / (steps or 1):.{digits}f}" if digits else str(value) for value in whole]
    return f"[{', '.join(words)}]"


def retell(
    texts: Sequence[str], spots: Sequence[Spot], size_px: tuple[int, int], space: BoxSpace, text: BoxText
) -> list[str] | None:
    """Texts with their brackets written anew, one spot each in order; None if an encoder would not see one of them.

    Raises:
        ValueError: If there are not as many brackets as spots.
    """
    found = sum(len(_BRACKET.findall(one)) for one in texts)
    if found != len(spots):
        raise ValueError(f"{found} brackets for {len(spots)} spots in {texts!r}")
    if space == "cropped" and any(inside_square(spot, size_px) < LEAST_INSIDE for spot in spots):
        return None
    left = iter(spots)
    return [_BRACKET.sub(lambda _: say_spot(next(left), size_px, space, text), one) for one in texts]
