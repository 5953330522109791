"""What a model that looks at views can be asked: all of a tour at once, so that an adapter may ask in parallel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from instructions.records import Box
from instructions.regions.records import Probe, Told


@dataclass(frozen=True)
class SightView:
    """A picture to look at."""

    id: str
    image: Path
    boxes: tuple[Box, ...]
    """Of the regions, by number, in pixels of the picture."""


class RegionCaptioner(Protocol):
    """Says in a few words what a region is."""

    def caption(self, views: Sequence[SightView]) -> list[list[Told | None]]:
        """Per view a caption for each of its boxes; None where the model has none of use."""
        ...


class Narrator(Protocol):
    """Tells what a view shows."""

    def narrate(self, views: Sequence[SightView], count: int) -> list[list[Told]]:
        """Per view at most so many narratives."""
        ...


class QuestionAnswerer(Protocol):
    """Looks at a view and answers short questions about it."""

    def answer(self, views: Sequence[SightView], questions: Sequence[Sequence[str]]) -> list[list[Probe]]:
        """Per view the questions that it could answer, with their answers; those of `unknown` are left out."""
        ...


class SentenceEncoder(Protocol):
    """Turns texts into vectors in which like meanings lie close."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """One row of unit length per text, (N, D)."""
        ...
