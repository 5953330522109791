"""`roomtour score`: answers of a model or a person against a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import tyro

from roomtour.cli.console import OUT, tell


def score(
    answers: tyro.conf.Positional[Path],
    /,
    data: Path,
    mode: Literal["right", "compat", "both"] = "right",
    json: Path | None = None,
) -> int:
    """Score answers against the truth of an exported dataset.

    Args:
        answers: A file of answers (.jsonl, .json, .csv, .tsv): the id of the row and the text in each.
        data: The dataset, a folder made by `roomtour export`.
        mode: compat measures as published code does, where a kind has such, so that old tables can be compared.
        json: Write all figures to this file too.
    """
    from roomtour.scoring import score_answers
    from roomtour.scoring.show import table_of, write_json

    reports = score_answers(answers, data, mode)
    for report in reports:
        for table in report.tables:
            OUT.print(table_of(table), width=max(OUT.width, 100), crop=False)
        for note in report.notes:
            tell(note)
    if json is not None:
        write_json(reports, json)
        tell(str(json))
    return 0
