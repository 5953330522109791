"""A spatial question in words of regions: each phrase becomes a mark, each mark has its mask and box."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from instructions.perception.masks import encode_mask, pack_runs
from instructions.questions.records import SpatialQuestion
from instructions.questions.types import TYPES
from instructions.records import Box, MaskRle

MASK, DEPTH = "<mask>", "<depth>"
_NAMES = {"distance": "distance_data", "width": "width_data", "height": "height_data", "clock": "direction"}
_NAMES |= {"vertical_distance": "vertical_distance_data", "horizontal_distance": "horizontal_distance_data"}


@dataclass(frozen=True)
class Regions:
    """A question and its answer with regions in place of phrases."""

    question: str
    """With one `<mask>` per mention."""
    text_q: str
    """The same with `Region [0]`, `Region [1]` in the order of their first mention."""
    answer: str
    mentions: tuple[int, ...]
    """Which reference each `<mask>` stands for, in order."""


def category_of(row: SpatialQuestion) -> str | None:
    """The benchmark's name for the type of a row; None for what it does not ask."""
    if row.truth == "too close" or TYPES[row.type].supposes:
        return None
    if row.type.endswith(("_predicate", "_choice")):
        return row.type
    return _NAMES.get(row.type)


def mark_regions(row: SpatialQuestion) -> Regions | None:
    """Put regions for the phrases of a row; None where a phrase does not stand in the question as it is."""
    phrases = [
        f"{one.phrase} {one.clause}" if one.clause else one.phrase for one in row.references
    ]  # as the writer names them
    places = sorted(range(len(phrases)), key=lambda place: -len(phrases[place]))
    pattern = re.compile("|".join(f"(?P<r{place}>{re.escape(phrases[place])})" for place in places), re.I)
    mentions = [int(str(match.lastgroup)[1:]) for match in pattern.finditer(row.question)]
    if set(mentions) != set(range(len(phrases))):
        return None
    order = list(dict.fromkeys(mentions))

    def name(match: re.Match[str]) -> str:
        return f"Region [{order.index(int(str(match.lastgroup)[1:]))}]"

    return Regions(
        pattern.sub(MASK, row.question), pattern.sub(name, row.question), pattern.sub(name, row.answer), tuple(mentions)
    )


def box_of(box: Box, width: int, height: int) -> list[int]:
    """Whole pixels that hold a box, inside the picture, at least one wide and high."""
    x1, y1 = (min(max(int(value), 0), most - 1) for value, most in zip(box[:2], (width, height), strict=True))
    x2, y2 = (
        min(max(int(np.ceil(value)), low + 1), most)
        for value, low, most in zip(box[2:], (x1, y1), (width, height), strict=True)
    )
    return [x1, y1, x2, y2]


def pack_mask(mask: MaskRle | None, box: list[int], width: int, height: int) -> dict[str, Any]:
    """A mask in COCO's compressed form; where a thing has none, its box."""
    if mask is None or (mask.width, mask.height) != (width, height):
        filled = np.zeros((height, width), dtype=bool)
        filled[box[1] : box[3], box[0] : box[2]] = True
        mask = encode_mask(filled)
    return pack_runs(mask)
