"""Wrong options that are proved wrong: kinds that are not there, other numbers, other sizes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from instructions.asking.draws import Draw
from instructions.dialogues.talk_view import TalkView


def find_absent(view: TalkView) -> list[str]:
    """Kinds that a view surely does not show, in alphabetical order."""
    return [kind for kind in sorted(view.looked_for) if view.is_absent(kind)]


def choose_absent(view: TalkView, tour_kinds: Collection[str], draw: Draw, most: int = 6) -> list[str]:
    """Kinds that a view surely does not show: those that the tour has elsewhere first, each half by lot.

    Args:
        view: What may be told.
        tour_kinds: Kinds of the tour's things.
        draw: Of the order.
        most: How many.
    """
    free = find_absent(view)
    keyed = sorted((kind not in tour_kinds, draw.uniform(), kind) for kind in free)
    return [kind for _, _, kind in keyed][:most]


def other_numbers(number: int, most: int, draw: Draw) -> list[int]:
    """Whole numbers near another one, none of them it and none negative, by lot."""
    near = [value for value in range(max(0, number - most), number + most + 1) if value != number]
    keyed = sorted((draw.uniform(), value) for value in near)
    return [value for _, value in keyed][:most]


def other_sizes(length_m: float, most: int, least_ratio: float) -> list[float]:
    """Lengths that differ from another one by so large a ratio, and from each other, rounded to tenths."""
    out: list[float] = []
    up, down = length_m, length_m
    while len(out) < most:
        up, down = up * least_ratio, down / least_ratio
        out += [round(up, 1)]
        if round(down, 1) >= 0.1 and round(down, 1) not in out:
            out += [round(down, 1)]
    return out[:most]


def clean_options(options: Sequence[str], right: str) -> list[str]:
    """Options without doubles and without the right one, in their order."""
    return [one for one in dict.fromkeys(options) if one.lower() != right.lower()]
