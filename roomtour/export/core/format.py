"""What the table of formats knows of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roomtour.artifacts import ARTIFACTS
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import Problem, RunData
from roomtour.export.core.row_files import FileRow
from roomtour.kinds import KIND_NAMES


@dataclass(frozen=True, kw_only=True)
class ExportFormat:
    """One row of the formats table."""

    name: str
    summary: str
    client: str
    """What loads it."""
    convention: str
    """Axes, direction of the transform and unit, for the dataset card."""
    options: type[ExportOptions]
    write: Callable[[Iterable[RunData], Ledger, Any], None]
    """Writes all tours into `Ledger.out`, one at a time."""
    check: Callable[[Path], list[Problem]]
    """Finds every broken rule in a folder."""
    recognise: Callable[[Path], bool]
    """Whether a folder without `export.json` looks like this format."""
    rows: Callable[[Path], Iterator[FileRow]] | None = None
    """Reads its rows for a person to look at; None for a format that keeps no rows of text."""
    needs_scale: bool = False
    """Lengths must be metres: a tour whose scale is relative cannot be written."""
    reads: tuple[str, ...] = ()
    """Names of the artifacts without which the dataset would be empty."""
    shows: tuple[str, ...] = ()
    """Names of the artifacts that its rows show besides, where a run knows them."""
    kinds: tuple[str, ...] = ()
    """Kinds of data whose rows it holds; none for formats of poses and pictures only."""

    @property
    def needs(self) -> str:
        """What a run must have, for people."""
        wants = ["a scale in metres"] if self.needs_scale else []
        wants += [f"{ARTIFACTS[name].noun} ({ARTIFACTS[name].path})" for name in self.reads]
        return "; ".join(wants) or "poses only"

    def missing_kind(self, run: RunData) -> str | None:
        """The first of the kinds of data that it is made of, where a run has none of them."""
        stages = dict.fromkeys(ARTIFACTS[name].stage for name in self.reads)
        needed = [stage for stage in stages if stage in KIND_NAMES]
        return None if any(stage in run.rows for stage in needed) else next(iter(needed), None)
