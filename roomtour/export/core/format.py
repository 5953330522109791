"""What the table of formats knows of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import Problem, RunData


@dataclass(frozen=True)
class ExportFormat:
    """One row of the formats table."""

    name: str
    summary: str
    client: str
    """What loads it."""
    needs_scale: bool
    """Lengths must be metres: a tour whose scale is relative cannot be written."""
    needs_instructions: bool
    """Without instructions the dataset would be empty."""
    shows_rooms: bool
    """Rows name rooms where the run knows them."""
    convention: str
    """Axes, direction of the transform and unit, for the dataset card."""
    options: type[ExportOptions]
    write: Callable[[Iterable[RunData], Ledger, Any], None]
    """Writes all tours into `Ledger.out`, one at a time."""
    check: Callable[[Path], list[Problem]]
    """Finds every broken rule in a folder."""
    recognise: Callable[[Path], bool]
    """Whether a folder without `export.json` looks like this format."""

    @property
    def needs(self) -> str:
        """What a run must have, for people."""
        wants = [
            ("a scale in metres", self.needs_scale),
            ("accepted texts, of the embedded writer or a language model", self.needs_instructions),
        ]
        return "; ".join(name for name, is_needed in wants if is_needed) or "poses only"

    @property
    def shows(self) -> str:
        """What its rows tell besides, where a run knows it, for people."""
        return "room names (--perception models)" if self.shows_rooms else ""
