"""`roomtour report`: the index page of a folder of runs, and the floor plan of a run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import tyro

from recon.numerals import count
from roomtour.cli.console import tell
from roomtour.errors import RoomtourError


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
        return _draw_plan(runs, plan)
    page = find_page(runs)
    if page is not None and out is None:
        tell(f"{runs}: is one run; its page is {page}")
        return 0
    return _report(runs, runs / "index.html" if out is None else out)


def _draw_plan(run: Path, path: Path) -> int:
    from roomtour.drawing.floor_plan import write_floor_plan
    from roomtour.run import Run

    write_floor_plan(Run(run), path)
    tell(f"floor plan -> {path}")
    return 0


def _report(folder: Path, out: Path) -> int:
    from roomtour.batch.status import JOB, write_page
    from roomtour.report.index.page import write_index

    try:
        rows = (write_page if (folder / JOB).is_file() else write_index)(folder, out)
    except OSError as error:
        raise RoomtourError(f"--out {out}: cannot be written: {error.strerror or error}") from error
    states = Counter(row.state for row in rows)
    told = ", ".join(f"{number} {state}" for state, number in states.items())
    tell(f"{count(len(rows), 'run')} ({told}) -> {out}")
    return 0
