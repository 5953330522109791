"""Answers against a dataset: by every scorer that finds rows of its kind in it."""

from __future__ import annotations

from pathlib import Path

from roomtour.errors import RoomtourError
from roomtour.scoring.answers import read_answers
from roomtour.scoring.dataset import read_rows
from roomtour.scoring.records import Mode, ScoreReport
from roomtour.scoring.table import SCORERS


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
    return [scorer.score(dataset, rows, told, mode) for scorer in fitting]
