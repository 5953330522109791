"""Training rows: which regions are shown, in which order, and the text with their numbers in that order.

Text and picture come from one function, so no region is named that is not drawn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from instructions.asking.draws import Draw
from instructions.perception.draw import Highlight, Palette, draw_highlights
from instructions.regions.records import KIND, Qar, RegionView
from instructions.regions.rules import MENTION


class NotShown(ValueError):
    """A text names a region that is not drawn."""


@dataclass(frozen=True)
class Sample:
    """A row as it is trained on."""

    order: tuple[int, ...]
    """Region `order[k]` is drawn in colour k and written `[k]`."""
    question: str
    answer: str
    rationale: str
    highlights: tuple[Highlight, ...]

    def draw(
        self, image_rgb: NDArray[np.uint8], palette: Palette = "clear", *, draw_numbers: bool = False
    ) -> NDArray[np.uint8]:
        """The picture that belongs to the text."""
        return draw_highlights(image_rgb, self.highlights, palette, draw_numbers=draw_numbers)


def sample(row: Qar, view: RegionView, seed: int, epoch: int) -> Sample:
    """A row of one epoch: its regions and, evenly from none to all, some of the others, in an order drawn by chance.

    Args:
        row: In mode `id`; in mode `description` the regions of the view are shuffled too, and the text stays.
        view: That the row is about.
        seed: Of the training.
        epoch: Another one shows others in another order.

    Raises:
        NotShown: If the row names a region that the view does not have.
    """
    draw = Draw(seed, KIND, "epoch", epoch, row.id)
    mentioned = [region.number for region in row.regions] if row.mode == "description" else list(row.mentioned)
    others = [region.number for region in view.regions if region.number not in mentioned]
    count = min(int(draw.uniform() * (len(others) + 1)), len(others))
    shown = [*mentioned, *_shuffle(others, draw)[:count]]
    return show(row, view, _shuffle(shown, draw))


def show(row: Qar, view: RegionView, order: Sequence[int]) -> Sample:
    """A row with these regions in this order.

    Raises:
        NotShown: If the row names a region that is not among them, or one is not of the view.
    """
    by_number = {region.number: region for region in view.regions}
    strangers = [number for number in order if number not in by_number]
    if strangers:
        raise NotShown(f"row {row.id}: view {view.id} has no region {strangers[0]}")
    place_of = {number: place for place, number in enumerate(order)}
    texts = [renumber(text, place_of, row.id) for text in row.parts]
    highlights = tuple(
        Highlight(by_number[number].box_xyxy, by_number[number].mask, place) for place, number in enumerate(order)
    )
    return Sample(tuple(order), texts[0], texts[1], texts[2], highlights)


def renumber(text: str, place_of: Mapping[int, int], name: str) -> str:
    """A text with each `[n]` written anew.

    Raises:
        NotShown: For a number that has no place.
    """

    def put(found: re.Match[str]) -> str:
        number = int(found.group(1))
        if number not in place_of:
            raise NotShown(f"row {name}: names [{number}], which is not shown")
        return f"[{place_of[number]}]"

    return MENTION.sub(put, text)


def _shuffle(numbers: Sequence[int], draw: Draw) -> list[int]:
    """By chance, each order as likely as any (Fisher and Yates)."""
    out = list(numbers)
    for last in range(len(out) - 1, 0, -1):
        other = int(draw.uniform() * (last + 1))
        out[last], out[other] = out[other], out[last]
    return out
