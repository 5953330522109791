"""Scores as tables of the terminal and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rich.box import SIMPLE
from rich.table import Table

from roomtour.drawing.text import printable
from roomtour.errors import RoomtourError
from roomtour.scoring.records import Cell, ScoreReport, ScoreTable


def table_of(table: ScoreTable) -> Table:
    """A table for the terminal; shares in percent."""
    out = Table(title=table.title, title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0))
    for number, name in enumerate(table.columns):
        out.add_column(name, justify="left" if number == 0 else "right", no_wrap=True)
    for row in table.rows:
        out.add_row(*(_cell(value, name in table.shares) for name, value in zip(table.columns, row, strict=True)))
    return out


def write_json(reports: Sequence[ScoreReport], path: Path) -> None:
    """All figures by scorer.

    Raises:
        RoomtourError: If the file cannot be written.
    """
    figures = {report.scorer: {**report.figures, "notes": list(report.notes)} for report in reports}
    try:
        path.write_text(json.dumps(figures, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise RoomtourError(f"--json {path}: cannot be written: {error.strerror or error}") from error


def _cell(value: Cell, is_share: bool) -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return printable(value)
    if is_share:
        return f"{100 * value:.1f}"
    return str(value) if isinstance(value, int) else f"{value:.3g}"
