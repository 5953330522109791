"""Finds rows of a run and writes their pictures, one by one or on an offline page with what decided each row."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recon.pictures import write_picture_file
from recon.records import Frame
from roomtour.drawing.cloud import draw_cloud_of
from roomtour.drawing.pages import render
from roomtour.drawing.text import printable, printable_lines
from roomtour.drawing.thumbnails import data_address, require_picture, to_jpeg
from roomtour.errors import RoomtourError, UsageError, did_you_mean
from roomtour.explain.pictures import Marked, draw
from roomtour.files.records import write_text
from roomtour.run import Run
from roomtour.shown.kinds import EXPLAINED, ShownCloud, ShownFrame
from roomtour.view.card import open_frames

_JPEG_QUALITY = 85


def find_row(run: Run, row_id: str) -> tuple[str, Any]:
    """The kind and the row of this id, kept or rejected.

    Raises:
        RoomtourError: If no kind that can be explained has it.
    """
    for kind in EXPLAINED:
        if kind in run.kinds:
            for row in (*run.rows(kind), *run.rejected_rows(kind)):
                if row.id == row_id:
                    return kind, row
    raise RoomtourError(f"{run.path}: no row {row_id} of the kinds {', '.join(EXPLAINED)}; ids stand in RUN/KIND/")


def sample_rows(run: Run, kind: str, count: int, seed: int) -> list[Any]:
    """So many kept rows by chance, the same for the same seed.

    Raises:
        UsageError: For a kind whose rows cannot be drawn.
        RoomtourError: If the run does not have the kind.
    """
    if kind not in EXPLAINED:
        near = did_you_mean(kind, EXPLAINED)
        raise UsageError(f"--data {kind}: cannot be drawn.{near} Known: {', '.join(EXPLAINED)}")
    rows = sorted(run.rows(kind), key=lambda row: sha256(f"{seed}/{row.id}".encode()).digest())
    return rows[:count]


def list_frames(run: Run, kind: str, rows: Sequence[Any]) -> list[Frame]:
    """The frames that these rows show."""
    shown = {one.frame for row in rows for one in EXPLAINED[kind](row).shown if isinstance(one, ShownFrame)}
    return [frame for frame in run.scene_outline.frames if frame.index in shown]


def draw_rows(run: Run, kind: str, rows: Sequence[Any], out: Path) -> list[Path]:
    """Write the picture of each row as `OUT/ID.png`, without what the run was to hide.

    Raises:
        RoomtourError: If a frame cannot be read or a picture not be written.
        InstructionError: If something is to be hidden that nothing here can find.
    """
    targets = [out / f"{row.id}.png" for row in rows]
    out.mkdir(parents=True, exist_ok=True)
    with open_frames(run, list_frames(run, kind, rows)) as frames_dir:
        for row, target in zip(rows, targets, strict=True):
            try:
                write_picture_file(target, draw_shown(run, kind, row, frames_dir))
            except (OSError, ValueError) as error:
                raise RoomtourError(f"{target}: cannot be written: {error}") from error
    return targets


def draw_shown(run: Run, kind: str, row: Any, frames_dir: Path, *, with_lines: bool = True) -> NDArray[np.uint8]:
    """The frames and clouds of a row with their boxes and points, and the lines of text beneath if asked for; BGR.

    Raises:
        RoomtourError: If a frame cannot be read.
    """
    told = EXPLAINED[kind](row)
    images = {frame.index: frame.image for frame in run.scene_outline.frames}
    pictures = [
        Marked(draw_cloud_of(run.path, run.clouds, one.name, one.boxes))
        if isinstance(one, ShownCloud)
        else Marked(require_picture(frames_dir / images[one.frame]), one.boxes, one.points)
        for one in told.shown
    ]
    places = ", ".join(one.name if isinstance(one, ShownCloud) else f"frame {one.frame}" for one in told.shown)
    return draw(pictures, (f"{row.id}  {places}", *told.lines) if with_lines or not pictures else ())


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
    reason = "" if row.accepted else ": ".join(filter(None, (row.rejected_because, row.rejection)))
    return {
        "id": row.id,
        "kind": kind,
        "picture": data_address(to_jpeg(image, _JPEG_QUALITY)),
        "lines": [_mark(line) for line in EXPLAINED[kind](row).lines],
        "rejection": reason,
    }


def _mark(line: str) -> tuple[str, str]:
    """`Q` or `A` and what is asked or said, which keeps its lines; other lines have no mark."""
    mark, colon, text = line.partition(": ")
    is_said = bool(colon) and mark[:1] in ("Q", "A") and (len(mark) == 1 or mark.startswith("Q (at frame"))
    return (printable(mark) if is_said else "", printable_lines(text if is_said else line))
