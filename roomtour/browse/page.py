"""Writes the page: its rows are data in it, which the page's own script shows some at a time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from recon.numerals import count
from roomtour.artifacts import FRAMES
from roomtour.browse.records import PageRow, Pictures
from roomtour.browse.rows import FOLDERS, read_dataset_rows, read_run_rows, require_readable
from roomtour.drawing.pages import read_asset, render
from roomtour.drawing.text import printable
from roomtour.errors import RoomtourError, UsageError
from roomtour.files.paths import require_plain_files, require_usable_path
from roomtour.files.records import write_text
from roomtour.run import Run
from roomtour.stages.inputs.hidden_frames import hide_in_frames
from roomtour.store import MANIFEST
from roomtour.view.card import find_asked_to_hide

_CHUNK_ROWS = 1000
"""Of one piece of data in the page."""


def write_page(path: Path, out: Path | None = None) -> tuple[Path, str]:
    """Write the page of a run folder or of an exported dataset.

    Args:
        path: The folder.
        out: The page, `.html`; by default `NAME.browse.html` beside the folder, in which it would be a strange file.

    Returns:
        The page, and in words what is on it.

    Raises:
        RoomtourError: If the folder has no rows that a person can read, or the page cannot be written.
        InstructionError: If something is to be hidden and the light models are not on this machine.
    """
    require_usable_path(path)
    path = path.resolve()
    run = Run(path) if (path / MANIFEST).exists() else None
    format = require_readable(path) if run is None else None
    page = path.with_name(f"{path.name}.browse.html") if out is None else out
    if page.suffix != ".html":
        raise UsageError(f"--out {page}: need a name that ends in .html")
    require_usable_path(page, "--out")
    require_plain_files(path)
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        if run is not None:
            hidden = page.with_suffix("") / FRAMES.path
            shown, _ = hide_in_frames(run.frames, run.path / FRAMES.path, find_asked_to_hide(run), hidden)
            pictures, what = Pictures(shown, page), "run"
            rows = list(read_run_rows(run, pictures))
        else:
            assert format is not None
            pictures, what = Pictures(path, page, FOLDERS), f"dataset, format {format.name}"
            rows = list(read_dataset_rows(path, format, pictures))
        if not rows:
            raise RoomtourError(f"{path}: holds no rows to show")
        told = _count(rows, pictures)
        write_text(page, build_page(rows, path.name, what, told))
    except OSError as error:
        raise RoomtourError(f"{page}: cannot be written: {error.strerror or error}") from error
    return page, told


def build_page(rows: Sequence[PageRow], name: str, what: str, told: str) -> str:
    """The page as a string."""
    chunks = [rows[first : first + _CHUNK_ROWS] for first in range(0, len(rows), _CHUNK_ROWS)]
    return render(
        "browse/page.html",
        title=f"{printable(name)} – rows",
        name=name,
        what=what,
        told=told,
        chunks=[_to_data(chunk) for chunk in chunks],
        script=read_asset("browse/browse.js"),
    )


def _count(rows: Sequence[PageRow], pictures: Pictures) -> str:
    rejected = sum(row.state == "rejected" for row in rows)
    told = count(len(rows), "row") + (f", {rejected} of them rejected" if rejected else "")
    return told + (f"; {count(pictures.lost, 'picture')} not shown, the page says why" if pictures.lost else "")


def _to_data(rows: Sequence[PageRow]) -> Markup:
    """Rows as JSON that stays data wherever it stands in a page: it holds no `<` and nothing but ASCII."""
    return Markup(json.dumps([vars(row) for row in rows], default=vars).replace("<", "\\u003c"))
