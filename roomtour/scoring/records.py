"""What a scorer is handed, and what it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Mode = Literal["right", "compat", "both"]
"""`right`: as it should be measured. `compat`: as the published code measures, faults included, for old tables."""
Answers = Mapping[str, Mapping[str, Any]]
"""By id of the row: the line of the answers' file; its text stands under `answer`."""
Cell = str | float | int | None


@dataclass(frozen=True)
class DatasetRow:
    """A row of a dataset as scorers see it, whichever format it lies in."""

    id: str
    tour: str
    question: str
    answer: str
    """As the dataset would have it said."""
    type: str
    kind: str = ""
    """Kind of data, where the format tells it."""
    solution: str = ""
    """The truth: a word, the phrase of the right option, or the number in full."""
    unit: str = ""
    """Of a number."""
    sigma: float | None = None
    choices: tuple[str, ...] = ()
    twin: str | None = None
    group: str = ""
    """The same for rows that ask the same of the same things."""
    images: tuple[str, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)
    """The row as it lies in its file."""


@dataclass(frozen=True)
class ScoreTable:
    """One table of a score."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    """Shares as 0 to 1; None where there is nothing to score."""
    shares: tuple[str, ...] = ()
    """Columns that are shown in percent."""


@dataclass(frozen=True)
class ScoreReport:
    """What one scorer found."""

    scorer: str
    tables: tuple[ScoreTable, ...]
    figures: Mapping[str, Any]
    """The same and more, for `--json`."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scorer:
    """One row of the table of scorers."""

    name: str
    """Of the kind of data, or of the benchmark."""
    summary: str
    takes: Callable[[Path, Sequence[DatasetRow]], bool]
    """Whether the dataset (its folder, and the rows that `read_rows` found) holds something for it."""
    score: Callable[[Path, Sequence[DatasetRow], Answers, Mode], ScoreReport]
