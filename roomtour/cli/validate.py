"""`roomtour validate`: the rules of an exported dataset."""

from __future__ import annotations

from pathlib import Path

import tyro

from recon.numerals import count
from roomtour.cli.console import complain, tell


def validate(path: tyro.conf.Positional[Path], /, format: str | None = None) -> int:
    """Check an exported dataset against the rules of its format.

    Args:
        path: A folder made by `roomtour export`.
        format: Its format; read from the folder if not given.
    """
    from roomtour.export.core.folder import CARD, SUMS, has_sums
    from roomtour.export.validate import validate_export

    problems = validate_export(path, format)
    for problem in problems:
        tell(problem)
    if problems:
        complain(f"{path}: {count(len(problems), 'problem')}")
        return 1
    tell(f"{path}: valid")
    if not has_sums(path):
        tell(
            f"{path}: without {SUMS}, so it was not compared with what was exported; {CARD} says under Checks what "
            "cannot be seen then"
        )
    return 0
