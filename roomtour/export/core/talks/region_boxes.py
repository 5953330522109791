"""Numbered regions of a talk told by where they are: boxes in the text in place of numbers, or behind them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from instructions.dialogues.spots import LEAST_INSIDE, BoxSpace, inside_square, say_spot
from roomtour.export.core.talks.talk import Talk

RegionStyle = Literal["drawn", "boxes", "both"]
_MENTION = re.compile(r"\[(\d+)\]")


def tell_boxes(talk: Talk, style: RegionStyle = "drawn", space: BoxSpace = "picture") -> Talk | None:
    """The talk in a style; one without regions as it is.

    Args:
        talk: Written for a picture in which its regions are drawn.
        style: `drawn` leaves text and picture, `boxes` writes each `[n]` as its box and shows the plain picture, `both`
            keeps the drawing and puts the box behind the first mention of each region.
        space: The picture that boxes are shares of.

    Returns:
        None where a region that the talk names lies mostly outside of the picture that the encoder sees.
    """
    told = talk.regions
    if told is None:
        return talk
    if space == "cropped" and any(inside_square(box, told.size_px) < LEAST_INSIDE for box in told.boxes.values()):
        return None
    if style == "drawn":
        return talk
    words = {number: say_spot(box, told.size_px, space) for number, box in told.boxes.items()}
    seen: set[int] = set()

    def put(found: re.Match[str]) -> str:
        number = int(found.group(1))
        is_first = number not in seen
        seen.add(number)
        if style == "boxes":
            return words[number]
        return f"{found.group()} {words[number]}" if is_first else found.group()

    turns = tuple((_MENTION.sub(put, question), _MENTION.sub(put, answer)) for question, answer in talk.turns)
    return replace(talk, turns=turns, images=(told.image,) if style == "boxes" else talk.images)
