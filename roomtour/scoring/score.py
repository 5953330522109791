"""Answers against a dataset, by every scorer that finds rows of its kind in it; scores as tables and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.box import SIMPLE
from rich.table import Table

from instructions.language.connect import connect_server
from instructions.language.options import LanguageOptions
from recon.numerals import count
from roomtour.drawing.text import printable
from roomtour.errors import RoomtourError
from roomtour.scoring import programs, regions, spatial
from roomtour.scoring.answers import read_answers
from roomtour.scoring.dataset import read_rows
from roomtour.scoring.dialogues import tasks as dialogues
from roomtour.scoring.dialogues.leaderboard import rank_by_scores
from roomtour.scoring.dialogues.lost import LostPoint, find_lost
from roomtour.scoring.dialogues.ranking import rank_by_model
from roomtour.scoring.records import Cell, Mode, Scorer, ScoreReport, ScoreTable

SCORERS: tuple[Scorer, ...] = (spatial.SCORER, programs.SCORER, dialogues.SCORER, regions.SCORER)


def rank_answers(
    files: Sequence[Path], dataset: Path, language: LanguageOptions | None = None, replies: Path = Path("replies")
) -> ScoreReport:
    """Rank several files of answers on a benchmark of dialogues, the only one whose tasks have a common figure.

    Args:
        files: At least two; players are called by the names of their files.
        dataset: A folder made by `roomtour export --format lamm-benchmark`.
        language: A language model that ranks them; by their scores if not given.
        replies: Folder that keeps its replies.

    Raises:
        RoomtourError: If two files have one name, one cannot be read or does not fit, or the dataset is no such folder.
        ServerUnusable: If the model cannot be asked.
    """
    names = [file.stem for file in files]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise RoomtourError(f"two files of answers are called {twice}; rename one, players are called by their files")
    if not dialogues.takes(dataset, ()):
        raise RoomtourError(
            f"{dataset}: several files of answers are ranked on a benchmark of dialogues only (roomtour export "
            "--format lamm-benchmark); score them one by one"
        )
    players = {name: read_answers(file) for name, file in zip(names, files, strict=True)}
    if language is None:
        return rank_by_scores(dataset, players)
    return rank_by_model(dataset, players, replies=replies, options=language, connect=lambda: connect_server(language))


def explain_answers(answers: Path, dataset: Path) -> tuple[list[LostPoint], tuple[str, ...]]:
    """The rows of a benchmark of dialogues whose answers lose points, with both readings; and notes.

    Raises:
        RoomtourError: If a file cannot be read or does not fit, or the dataset is no such benchmark.
    """
    if not dialogues.takes(dataset, ()):
        raise RoomtourError(
            f"{dataset}: lost points are drawn of a benchmark of dialogues only (roomtour export --format "
            "lamm-benchmark); see roomtour explain for rows of other kinds"
        )
    return find_lost(dataset, read_answers(answers))


def score_answers(answers: Path, dataset: Path, mode: Mode = "right") -> list[ScoreReport]:
    """Score a file of answers.

    Args:
        answers: JSON lines, a JSON list or object, CSV or TSV, with an id and a text each.
        dataset: A folder made by `roomtour export`.
        mode: `compat` and `both` where a scorer knows how published code measures.

    Raises:
        RoomtourError: If a file cannot be read, no answer belongs to a row of the dataset, or no scorer knows its rows.
    """
    rows = read_rows(dataset)
    told = read_answers(answers)
    known = {row.id for row in rows}
    if rows and not known & told.keys():
        raise RoomtourError(
            f"{answers}: none of its {len(told)} ids is a row of {dataset} (ids there: {min(known)!r} ...); "
            "each answer needs the id of its row"
        )
    fitting = [scorer for scorer in SCORERS if scorer.takes(dataset, rows)]
    if not fitting:
        names = ", ".join(scorer.name for scorer in SCORERS)
        raise RoomtourError(f"{dataset}: holds no rows that can be scored; there are scorers for {names}")
    *before, last = [scorer.score(dataset, rows, told, mode) for scorer in fitting]
    if any(scorer.takes(dataset, ()) for scorer in fitting):  # a benchmark: its scorer refuses answers without a row
        return [*before, last]
    scored = {row.id for row in rows if any(scorer.takes(dataset, (row,)) for scorer in fitting)}
    left_out = [name for name in told if name not in scored]
    if not left_out:
        return [*before, last]
    note = (
        f"{len(left_out)} of {count(len(told), 'answer')} left out, first {left_out[0]}: no scorer knows rows of their "
        "type, or the dataset has no such row"
    )
    return [*before, replace(last, notes=(*last.notes, note))]


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
