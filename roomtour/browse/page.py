"""Writes the page: its rows are data in it, which the page's own script shows some at a time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from markupsafe import Markup

from roomtour.browse.dataset_rows import FOLDERS, read_dataset_rows, require_readable
from roomtour.browse.pictures import Pictures
from roomtour.browse.records import PageRow
from roomtour.browse.run_rows import open_pictures, read_run_rows
from roomtour.drawing.pages import read_asset, render
from roomtour.drawing.text import count, printable
from roomtour.errors import RoomtourError, UsageError
from roomtour.files.paths import require_plain_files, require_usable_path
from roomtour.files.records import write_text
from roomtour.run import Run
from roomtour.store import MANIFEST

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
    """
    path = path.resolve()
    page = path.with_name(f"{path.name}.browse.html") if out is None else out
    if page.suffix != ".html":
        raise UsageError(f"--out {page}: need a name that ends in .html")
    require_usable_path(page, "--out")
    if (path / MANIFEST).is_file():
        run = Run(path)
        pictures, what = open_pictures(run, page), "run"
        rows = read_run_rows(run, pictures)
    else:
        require_plain_files(path)
        format = require_readable(path)
        pictures, what = Pictures(path, page, FOLDERS), f"dataset, format {format.name}"
        rows = read_dataset_rows(path, format, pictures)
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        return page, _write(rows, pictures, path.name, what, page)
    except OSError as error:
        raise RoomtourError(f"{page}: cannot be written: {error.strerror or error}") from error


def _write(rows: Iterable[PageRow], pictures: Pictures, name: str, what: str, page: Path) -> str:
    states: Counter[str] = Counter()
    noted = _note(rows, states)
    chunks = [to_data(chunk) for chunk in iter(lambda: list(islice(noted, _CHUNK_ROWS)), [])]
    if not states:
        raise RoomtourError(f"{name}: holds no rows")
    told = [count(states.total(), "row"), *(f"{states['rejected']} rejected" for _ in range(bool(states["rejected"])))]
    told += [f"{count(pictures.lost, 'picture')} not shown, the page says why" for _ in range(bool(pictures.lost))]
    title = f"{printable(name)} – rows"
    text = render(
        "browse/page.html",
        title=title,
        name=name,
        what=what,
        told=", ".join(told),
        chunks=chunks,
        script=read_asset("browse/browse.js"),
    )
    write_text(page, text)
    return ", ".join(told)


def _note(rows: Iterable[PageRow], states: Counter[str]) -> Iterator[PageRow]:
    for row in rows:
        states[row.state] += 1
        yield row


def to_data(rows: Iterable[PageRow]) -> Markup:
    """Rows as JSON that stays data wherever it stands in a page: it holds no `<` and nothing but ASCII."""
    return Markup(json.dumps([vars(row) for row in rows], default=vars).replace("<", "\\u003c"))
