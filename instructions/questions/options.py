"""Options of spatial questions."""

from __future__ import annotations

from dataclasses import dataclass

from instructions.asking.bars import GateOptions
from recon.ranges import Count, HalfTurn, NotNegative, Share


@dataclass(frozen=True, kw_only=True)
class ChoiceOptions:
    """How much is asked."""

    rows_per_view: Count = 12
    """Rows about one frame, twins counted; 0 for all that may be asked."""
    rows_per_pair: Count = 4
    """Rows about the same two things in one frame, twins counted; 0 for all."""
    again_m: NotNegative = 0.5
    """(Nominal) metres to go before the same is asked of the same things again; with `again_deg`. 0 asks it always."""
    again_deg: HalfTurn = 20.0
    """Degrees to turn before the same is asked of the same things again."""
    halves: bool = True
    """As many questions with a number as with a word."""
    unseen_share: Share = 0.05
    """Rows that repeat a question where one of its things is out of view, as a share of the others; 0 for none."""

    def __post_init__(self) -> None:
        if min(self.rows_per_view, self.rows_per_pair, self.again_m, self.again_deg) < 0:
            raise ValueError(f"caps must not be negative: {self}")


@dataclass(frozen=True, kw_only=True)
class MarkOptions:
    """Questions about marks, which need no name."""

    rows_per_view: Count = 6
    """Rows that begin with one frame, twins counted; 0 for none."""


@dataclass(frozen=True, kw_only=True)
class SpatialOptions:
    """Questions from geometry."""

    gates: GateOptions = GateOptions()
    """When something is asked"""
    choice: ChoiceOptions = ChoiceOptions()
    """How much is asked"""
    marks: MarkOptions = MarkOptions()
    """Questions about marks and about the camera's motion, which need no name"""
