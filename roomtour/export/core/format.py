"""What the table of formats knows of each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
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
    """Names of the artifacts without which the dataset would be empty, besides the scene and its frames: all of those
    that hold no kind of data, and one at least of those that do."""
    shows: tuple[str, ...] = ()
    """Names of the artifacts that it writes besides, where a run has them."""
    kinds: tuple[str, ...] = ()
    """Kinds of data whose rows it holds; none for formats of poses and pictures only."""

    @property
    def needs(self) -> str:
        """What a run must have, for people."""
        wants = ["a scale in metres"] if self.needs_scale else []
        wants += [f"{ARTIFACTS[name].noun} ({ARTIFACTS[name].path})" for name in self.reads]
        return "; ".join(wants) or "poses only (--until scene)"

    def find_missing_stage(self, run: RunData, kinds: Collection[str]) -> str | None:
        """The first stage that it needs and the run does not have; None where it can be written.

        Args:
            run: A run.
            kinds: Kinds of data that are wanted.
        """
        stages = [ARTIFACTS[name].stage for name in self.reads]
        absent = [stage for stage in stages if stage not in KIND_NAMES and stage in run.missing]
        needed = [stage for stage in stages if stage in KIND_NAMES]
        if needed and not run.rows.keys() & set(needed):
            absent += [stage for stage in needed if stage in kinds] or needed
        return next(iter(absent), None)

    def list_left_out(self, run: RunData, kinds: Collection[str] | None) -> list[str]:
        """Stages that are not done of which it would write something besides, in run order.

        Args:
            run: A run.
            kinds: Kinds of data that were asked for; those that the run was asked for if None.
        """
        wanted = set(run.asked_kinds if kinds is None else kinds).intersection(self.kinds)
        written = wanted.union(ARTIFACTS[name].stage for name in self.shows)
        return [stage for stage in run.missing if stage in written]
