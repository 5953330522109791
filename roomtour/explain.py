"""One picture per row: its frame with the boxes of what it names, and beneath it the text and the numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.programs.explain import explain as explain_program
from instructions.programs.picture import find_pictures
from instructions.programs.records import ProgramQuestion
from instructions.records import Box
from instructions.spatial.explain import explain
from instructions.spatial.records import SpatialQuestion
from roomtour.errors import RoomtourError, UsageError, did_you_mean
from roomtour.run import Run

_WIDTH_PX = 960
_LINE_PX = 24
_COLORS_BGR = ((60, 60, 230), (220, 130, 30), (40, 160, 40), (190, 40, 190), (0, 190, 230), (120, 120, 0))
"""Of A, B and so on."""


@dataclass(frozen=True)
class Explained:
    """What a picture shows of a row."""

    frame: int
    boxes: tuple[Box, ...]
    """A, then B."""
    lines: tuple[str, ...]
    views: tuple[tuple[int, tuple[tuple[str, Box], ...]], ...] = ()
    """Frames to show side by side instead of `frame`, each with letters and boxes."""


def _explain_spatial(row: SpatialQuestion) -> Explained:
    return Explained(row.views[0], tuple(one.box_xyxy for one in row.references), explain(row))


def _explain_programs(row: ProgramQuestion) -> Explained:
    views = tuple((frame, tuple(boxes)) for frame, boxes in find_pictures(row))
    return Explained(row.views[0], (), explain_program(row), views)


EXPLAINED: Mapping[str, Callable[[Any], Explained]] = {"spatial": _explain_spatial, "programs": _explain_programs}
"""By kind of data: what a picture shows of one of its rows."""


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


def draw_row(run: Run, kind: str, row: Any, out: Path) -> Path:
    """Write the picture of a row as `OUT/ID.png`.

    Raises:
        RoomtourError: If the frame cannot be read or the picture not be written.
    """
    told = EXPLAINED[kind](row)
    images = {frame.index: frame.image for frame in run.scene_outline.frames}
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"{row.id}.png"
    if told.views:
        frames = [(_read_frame(run.path / "frames" / images[frame]), boxes) for frame, boxes in told.views]
        picture = draw_views(
            frames, (f"{row.id}  frames {', '.join(str(frame) for frame, _ in told.views)}", *told.lines)
        )
    else:
        image = _read_frame(run.path / "frames" / images[told.frame])
        picture = draw(image, told.boxes, (f"{row.id}  frame {told.frame}", *told.lines))
    if not cv2.imwrite(str(target), picture):
        raise RoomtourError(f"{target}: cannot be written")
    return target


def _read_frame(path: Path) -> NDArray[np.uint8]:
    image = cv2.imread(str(path))
    if image is None:
        raise RoomtourError(f"{path}: cannot be read as an image")
    return np.asarray(image, dtype=np.uint8)


def draw_views(
    views: Sequence[tuple[NDArray[np.uint8], Sequence[tuple[str, Box]]]], lines: Sequence[str]
) -> NDArray[np.uint8]:
    """Several frames in rows of three, each with its boxes, and lines of text beneath."""
    columns = min(len(views), 3)
    width = _WIDTH_PX // columns
    tiles = [_draw_tile(image, boxes, width) for image, boxes in views]
    height = max(tile.shape[0] for tile in tiles)
    rows = []
    for first in range(0, len(tiles), columns):
        row = np.full((height, width * columns, 3), 255, np.uint8)
        for place, tile in enumerate(tiles[first : first + columns]):
            row[: tile.shape[0], place * width : place * width + tile.shape[1]] = tile
        rows.append(row)
    image = np.vstack(rows)
    pad = np.full((image.shape[0], _WIDTH_PX - image.shape[1], 3), 255, np.uint8)
    return np.asarray(np.vstack([np.hstack([image, pad]), _write_lines(lines)]), dtype=np.uint8)


def _draw_tile(image_bgr: NDArray[np.uint8], boxes: Sequence[tuple[str, Box]], width: int) -> NDArray[np.uint8]:
    scale = width / image_bgr.shape[1]
    picture = cv2.resize(image_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    for letter, box in boxes:
        x0, y0, x1, y1 = (round(value * scale) for value in box)
        color = _COLORS_BGR[(ord(letter) - ord("A")) % len(_COLORS_BGR)]
        cv2.rectangle(picture, (x0, y0), (x1, y1), color, 2)
        cv2.putText(picture, letter, (x0 + 4, y0 + 24), cv2.FONT_HERSHEY_SIMPLEX, 0.8, color, 2, cv2.LINE_AA)
    return np.asarray(picture, dtype=np.uint8)


def draw(image_bgr: NDArray[np.uint8], boxes: Sequence[Box], lines: Sequence[str]) -> NDArray[np.uint8]:
    """A frame with boxes A and B, and lines of text beneath."""
    scale = _WIDTH_PX / image_bgr.shape[1]
    picture = cv2.resize(image_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    for name, color, box in zip("AB", _COLORS_BGR, boxes, strict=False):
        x0, y0, x1, y1 = (round(value * scale) for value in box)
        cv2.rectangle(picture, (x0, y0), (x1, y1), color, 3)
        cv2.putText(picture, name, (x0 + 6, y0 + 32), cv2.FONT_HERSHEY_SIMPLEX, 1.1, color, 3, cv2.LINE_AA)
    return np.asarray(np.vstack([picture, _write_lines(lines)]), dtype=np.uint8)


def _write_lines(lines: Sequence[str]) -> NDArray[np.uint8]:
    wrapped = [part for line in lines for part in textwrap.wrap(_ascii(line), 96, subsequent_indent="    ") or [""]]
    panel = np.full((_LINE_PX * (len(wrapped) + 1), _WIDTH_PX, 3), 255, np.uint8)
    for place, line in enumerate(wrapped, start=1):
        at = (10, _LINE_PX * place)
        cv2.putText(panel, line, at, cv2.FONT_HERSHEY_SIMPLEX, 0.55, (20, 20, 20), 1, cv2.LINE_AA)
    return panel


def _ascii(text: str) -> str:
    """The drawn font knows no other letters."""
    return text.encode("ascii", "replace").decode()
