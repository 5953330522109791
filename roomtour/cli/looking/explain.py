"""`roomtour explain`: rows of a run as pictures, with the numbers behind them."""

from __future__ import annotations

from pathlib import Path

import tyro

from roomtour.cli.console import tell
from roomtour.errors import UsageError


def explain(
    run: tyro.conf.Positional[Path],
    row: tyro.conf.Positional[str] = "",
    /,
    data: str = "",
    sample: int = 20,
    seed: int = 0,
    out: Path = Path("explained"),
) -> int:
    """Draw rows beside what decided them: the frame with boxes, the text, measures and margins.

    Args:
        run: A run folder.
        row: Id of one row; without it, rows of `--data` are drawn by chance.
        data: Kind of data to draw from, such as `spatial`.
        sample: How many rows to draw.
        seed: Other rows for another seed.
        out: Folder for the pictures, one PNG per row, and for a page of them all, `index.html`.
    """
    from roomtour.explain.page import write_page
    from roomtour.explain.rows import draw_rows, find_row, sample_rows
    from roomtour.run import Run

    if bool(row) == bool(data):
        raise UsageError("explain: give the id of a row, or --data KIND for some by chance")
    if sample < 1:
        raise UsageError(f"--sample is {sample}, need at least 1")
    opened = Run(run)
    kind, one = find_row(opened, row) if row else (data, None)
    picked = sample_rows(opened, kind, sample, seed) if one is None else [one]
    page = out / "index.html"
    for drawn in draw_rows(opened, kind, picked, out):
        tell(str(drawn))
    write_page(opened, kind, picked, page)
    tell(str(page))
    return 0
