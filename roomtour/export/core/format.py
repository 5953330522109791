"""What the table of formats knows of each."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from roomtour.artifacts import ARTIFACTS
from roomtour.export.core.checking import DatasetCheck, Row
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import Problem, RunData
from roomtour.export.core.streams import FileRow
from roomtour.kinds import KIND_NAMES


@dataclass(frozen=True, kw_only=True)
class ExportFormat:
    """One row of the formats table."""

    name: str
    summary: str
    client: str
    """What loads it; of a trainer the commit and the file of its loader, where the rules of the check were read."""
    convention: str
    """Axes, direction of the transform and unit, for the dataset card."""
    options: type[ExportOptions] = ExportOptions
    write: Callable[[Iterable[RunData], Ledger, Any], None]
    """Writes all tours into `Ledger.out`, one at a time."""
    tables: Mapping[str, type[Row]] = field(default_factory=dict)
    """Files of rows that a dataset must have, with what a row must be; `{split}` in a name stands for the split."""
    may_have: Mapping[str, type[Row]] = field(default_factory=dict)
    """Those that it may go without."""
    check: Callable[[DatasetCheck], None] | None = None
    """Checks what the tables do not tell."""
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
    """Kinds of data whose rows it holds, those that `reads` names if none is told; none for formats of poses and
    pictures only."""

    def __post_init__(self) -> None:
        stages = dict.fromkeys(ARTIFACTS[name].stage for name in self.reads)
        object.__setattr__(self, "kinds", self.kinds or tuple(stage for stage in stages if stage in KIND_NAMES))

    def find_problems(self, folder: Path) -> list[Problem]:
        """Every broken rule of a dataset."""
        data = DatasetCheck(folder)
        for name, kind in {**self.tables, **self.may_have}.items():
            deque(data.rows(name, kind, optional=name in self.may_have), maxlen=0)
        if self.check is not None:
            self.check(data)
        return data.problems

    def make_options(self, values: Mapping[str, object]) -> Any:
        """The options with these values, texts among them.

        Raises:
            ValidationError: For a value that does not fit.
        """
        return TypeAdapter(self.options).validate_python(values)

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


def tell_misfit(error: ValidationError) -> tuple[str, str]:
    """The first field that does not fit, and why."""
    first = error.errors(include_url=False)[0]
    return ".".join(str(part) for part in first["loc"]), first["msg"].removeprefix("Value error, ").lower()


def each_run(
    name: str, rows: Callable[[RunData, Ledger, Any], Iterable[object]], *counts: str, counted: str = "rows"
) -> Callable[[Iterable[RunData], Ledger, Any], None]:
    """The writer of a format whose rows lie in one file per split.

    Args:
        name: Of the files, with `{split}`.
        rows: Gives the rows of a tour, and writes the pictures that they name.
        counts: What is counted, in the order of the card.
        counted: What the rows are called among them; empty where `rows` counts them.
    """

    def write(runs: Iterable[RunData], ledger: Ledger, options: ExportOptions) -> None:
        ledger.counts.update(dict.fromkeys(counts, 0))
        add = ledger.open_rows(name, options, counted)
        for run in runs:
            for row in rows(run, ledger, options):
                add(row)

    return write
