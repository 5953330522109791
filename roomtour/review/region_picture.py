"""The picture of a row of region knowledge with its regions, as the pages of a review show it."""

from __future__ import annotations

from dataclasses import dataclass

from instructions.perception.draw import find_colours
from instructions.records import Box
from instructions.regions.records import Qar, RegionView
from roomtour.drawing.colors import text_on


@dataclass(frozen=True)
class DrawnRegion:
    """A box with its colour, and its number where the texts use numbers."""

    box: Box
    number: int | None
    colour: str
    ink: str
    """Of the number on the colour."""
    is_named: bool = True
    """The row is about it; the others are drawn fainter."""


def find_drawn(row: Qar, view: RegionView) -> list[DrawnRegion]:
    """What is drawn for a row: all regions with their numbers, or, for one told in words, those it is about, without.

    Args:
        row: Told by numbers or by words.
        view: That it is about.
    """
    named = {one.number for one in row.regions}
    out = []
    for one in view.regions:
        if row.mode == "id" or one.number in named:
            colour = "#{:02x}{:02x}{:02x}".format(*_find_colour(one.number))
            number = one.number if row.mode == "id" else None
            out.append(DrawnRegion(one.box_xyxy, number, colour, text_on(colour), one.number in named))
    return out


def _find_colour(number: int) -> tuple[int, int, int]:
    """The clear palette has ten; a view with more regions goes on with the paper's."""
    return find_colours(number, "clear" if number < 10 else "paper")[0]
