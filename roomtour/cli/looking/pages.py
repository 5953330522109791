"""Commands that make pages, pictures and films: `roomtour browse`, `report`, `explain` and `film`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import tyro

from recon.numerals import count
from roomtour.cli.console import tell
from roomtour.drawing.text import duration
from roomtour.errors import RoomtourError, UsageError


def browse(path: tyro.conf.Positional[Path], /, out: Path | None = None) -> int:
    """Write a page on which to leaf through rows: pictures, texts, filters, and why rows were rejected.

    One offline file; pictures are shown from where they lie. Pictures inside of tables, point clouds and what was
    processed to be hidden get pictures of their own in a folder beside the page.

    Args:
        path: A folder made by `roomtour export` from rows of text, or a run folder.
        out: The page; `PATH.browse.html`, beside the folder, if not given.
    """
    from roomtour.browse.page import write_page

    page, summary = write_page(path, out)
    tell(f"{summary} -> {page}")
    return 0


def report(runs: tyro.conf.Positional[Path], /, out: Path | None = None, plan: Path | None = None) -> int:
    """Write one page about all runs in a folder: figures, charts, and a table to sort and search.

    A single run has its page already: the command says where, and can write its floor plan as a file of its own.

    Args:
        runs: Folder that holds run folders, at any depth, or that of a job: then every tour of it has a row, with its
            state and why.
        out: The page; `index.html` in that folder if not given.
        plan: Write the floor plan of a single run to this .svg or .png instead.
    """
    from roomtour.report.index.runs import find_page

    if plan is not None:
        from roomtour.drawing.floor_plan import write_floor_plan
        from roomtour.run import Run

        write_floor_plan(Run(runs), plan)
        tell(f"floor plan -> {plan}")
        return 0
    page = find_page(runs)
    if page is not None and out is None:
        tell(f"{runs}: is one run; its page is {page}")
        return 0
    from roomtour.batch.status import JOB, write_page
    from roomtour.report.index.page import write_index

    index = runs / "index.html" if out is None else out
    try:
        rows = (write_page if (runs / JOB).is_file() else write_index)(runs, index)
    except OSError as error:
        raise RoomtourError(f"--out {index}: cannot be written: {error.strerror or error}") from error
    states = Counter(row.state for row in rows)
    summary = ", ".join(f"{number} {state}" for state, number in states.items())
    tell(f"{count(len(rows), 'run')} ({summary}) -> {index}")
    return 0


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
    from roomtour.explain.rows import draw_rows, find_row, sample_rows, write_page
    from roomtour.run import Run

    if bool(row) == bool(data):
        raise UsageError("explain: give the id of a row, or --data KIND for some by chance")
    if sample < 1:
        raise UsageError(f"--sample is {sample}, need at least 1")
    opened = Run(run)
    kind, named_row = find_row(opened, row) if row else (data, None)
    picked = sample_rows(opened, kind, sample, seed) if named_row is None else [named_row]
    page = out / "index.html"
    for drawn in draw_rows(opened, kind, picked, out):
        tell(str(drawn))
    write_page(opened, kind, picked, page)
    tell(str(page))
    return 0


def film(run: tyro.conf.Positional[Path], /, out: Path = Path("film.mp4")) -> int:
    """Write the walk as an MP4: its frames, the sentence that holds as a subtitle, and the camera on the plan.

    Args:
        run: A run folder.
        out: File to write.
    """
    from roomtour.run import Run
    from roomtour.view.film import write_film

    length_s = write_film(Run(run), out)
    tell(f"{duration(length_s)} -> {out}")
    return 0
