"""One offline page with the pictures of rows, what they ask and say, and what decided it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2

from roomtour.drawing.pages import render
from roomtour.drawing.text import printable
from roomtour.drawing.thumbnails import data_address
from roomtour.errors import RoomtourError
from roomtour.explain.rows import draw_shown, list_frames
from roomtour.files.records import write_text
from roomtour.run import Run
from roomtour.shown.kinds import EXPLAINED
from roomtour.view.hidden import open_frames

_JPEG_QUALITY = 85


def write_page(run: Run, kind: str, rows: Sequence[Any], path: Path) -> None:
    """Write the page of rows of one kind to `path`; pictures stand in the page itself.

    Raises:
        RoomtourError: If a frame cannot be read or the page not be written.
    """
    with open_frames(run, list_frames(run, kind, rows)) as frames_dir:
        told = [_tell(run, kind, row, frames_dir) for row in rows]
    tour = run.scene_outline.id
    title = f"{printable(tour)} – rows explained"
    page = render("explain/rows.html", title=title, script="", tour=tour, rows=told)
    try:
        write_text(path, page)
    except OSError as error:
        raise RoomtourError(f"{path}: cannot be written: {error.strerror or error}") from error


def _tell(run: Run, kind: str, row: Any, frames_dir: Path) -> dict[str, object]:
    image = draw_shown(run, kind, row, frames_dir, with_lines=False)
    jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])[1].tobytes()
    reason = "" if row.accepted else ": ".join(filter(None, (row.rejected_because, row.rejection)))
    return {
        "id": row.id,
        "kind": kind,
        "picture": data_address(jpeg),
        "lines": [_mark(line) for line in EXPLAINED[kind](row).lines],
        "rejection": reason,
    }


def _mark(line: str) -> tuple[str, str]:
    """`Q` or `A` and what is asked or said, which keeps its lines; other lines have no mark."""
    mark, colon, text = line.partition(": ")
    is_said = bool(colon) and mark[:1] in ("Q", "A") and (len(mark) == 1 or mark.startswith("Q (at frame"))
    text = "\n".join(map(printable, (text if is_said else line).splitlines()))
    return (printable(mark) if is_said else "", text)
