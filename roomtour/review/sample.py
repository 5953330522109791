"""Which texts are judged: drawn by lot, but the same ones in the same order for every rater and after every stop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from instructions.navigation.records import Instruction
from roomtour.view.tour import TourView


@dataclass(frozen=True, eq=False)
class ReviewItem:
    """One text to judge."""

    run: str
    """Key of the run it lies in."""
    tour: TourView
    instruction: Instruction


def draw_sample(tours: Mapping[str, TourView], size: int, seed: int = 0) -> list[ReviewItem]:
    """Texts to judge, over all runs alike.

    The lot rests on the seed, the tour's name and the text's id only: which runs stand beside it, or in which order,
    does not move a text before or behind another.

    Args:
        tours: By key of the run.
        size: At most so many.
        seed: Another one draws others.
    """
    items = [ReviewItem(run, tour, told) for run, tour in tours.items() for told in tour.instructions]
    return sorted(items, key=lambda item: _lot(seed, item))[:size]


def _lot(seed: int, item: ReviewItem) -> str:
    return sha256(f"{seed}/{item.tour.name}/{item.instruction.id}".encode()).hexdigest()
