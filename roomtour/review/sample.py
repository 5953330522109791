"""Which texts are judged: drawn by lot, but the same ones in the same order for every rater and after every stop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from instructions.navigation.records import Instruction, NavigationText
from roomtour.view.tour import TourView


@dataclass(frozen=True, eq=False)
class ReviewItem:
    """One text to judge."""

    run: str
    """Key of the run it lies in."""
    tour: TourView
    instruction: NavigationText

    @property
    def is_way_back(self) -> bool:
        """Whether the text tells a way that no frame looks along."""
        return isinstance(self.instruction, Instruction) and self.instruction.trajectory in self.tour.ways_back


What = Literal["instructions", "further", "views"]
"""Texts about walks; about parts of them and ways back; about single views."""


def texts_of(tour: TourView, what: What) -> tuple[NavigationText, ...]:
    """The accepted texts of one sort."""
    return {"instructions": tour.instructions, "further": tour.further, "views": tour.view_descriptions}[what]


def draw_sample(
    tours: Mapping[str, TourView], size: int, seed: int = 0, what: What = "instructions"
) -> list[ReviewItem]:
    """Texts to judge, over all runs alike.

    The lot rests on the seed, the tour's name and the text's id only: which runs stand beside it, or in which order,
    does not move a text before or behind another.

    Args:
        tours: By key of the run.
        size: At most so many.
        seed: Another one draws others.
        what: Which sort of texts.
    """
    items = [ReviewItem(run, tour, told) for run, tour in tours.items() for told in texts_of(tour, what)]
    return sorted(items, key=lambda item: _lot(seed, item))[:size]


def _lot(seed: int, item: ReviewItem) -> str:
    return sha256(f"{seed}/{item.tour.name}/{item.instruction.id}".encode()).hexdigest()
