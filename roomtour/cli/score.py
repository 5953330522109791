"""`roomtour score`: answers of a model or a person against a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import tyro

from roomtour.cli.console import OUT, tell


def score(
    answers: tyro.conf.Positional[tuple[Path, ...]],
    /,
    data: Path,
    mode: Literal["right", "compat", "both"] = "right",
    json: Path | None = None,
) -> int:
    """Score answers against the truth of an exported dataset; several files are ranked.

    Args:
        answers: Files of answers (.jsonl, .json, .csv, .tsv): the id of the row and the text in each. Several, of a
            benchmark of dialogues, are ranked: mean over the tasks, with intervals, and how sure their order is.
        data: The dataset, a folder made by `roomtour export`.
        mode: compat measures as published code does, where a kind has such, so that old tables can be compared.
        json: Write all figures to this file too.
    """
    from roomtour.errors import UsageError
    from roomtour.scoring import rank_answers, score_answers
    from roomtour.scoring.show import table_of, write_json

    if not answers:
        raise UsageError(
            "score: no file of answers given: roomtour score ANSWERS --data DATASET; see roomtour score --help"
        )
    one, *others = answers
    reports = [rank_answers([one, *others], data)] if others else score_answers(one, data, mode)
    for report in reports:
        for table in report.tables:
            OUT.print(table_of(table), width=max(OUT.width, 100), crop=False)
        for note in report.notes:
            tell(note)
    if json is not None:
        write_json(reports, json)
        tell(str(json))
    return 0
