"""One picture per row: its frame with the boxes of what it names, and beneath it the text and the numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import cycle
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.dialogues.explain import explain as explain_dialogue
from instructions.dialogues.records import CloudBox, Dialogue
from instructions.records import Box
from instructions.regions.explain import explain as explain_regions
from instructions.regions.records import Qar
from instructions.spatial.explain import explain
from instructions.spatial.records import SpatialQuestion
from roomtour.drawing.cloud import draw_cloud
from roomtour.errors import RoomtourError, UsageError, did_you_mean
from roomtour.run import Run

_WIDTH_PX = 960
_LINE_PX = 24
_COLORS_BGR = ((60, 60, 230), (220, 130, 30), (60, 160, 40), (200, 60, 180), (30, 160, 220), (90, 90, 90))
"""Of A, B and so on, by turns."""


@dataclass(frozen=True)
class Explained:
    """What a picture shows of a row."""

    frame: int | None
    """None for a cloud."""
    boxes: tuple[Box, ...]
    """A, then B, and so on."""
    lines: tuple[str, ...]
    marks: tuple[str, ...] = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    """What is written on the boxes."""
    cloud: str | None = None
    """Name of the cloud that is drawn in place of a frame."""
    cloud_boxes: tuple[CloudBox, ...] = ()


def _explain_spatial(row: SpatialQuestion) -> Explained:
    return Explained(row.views[0], tuple(one.box_xyxy for one in row.references), explain(row))


def _explain_regions(row: Qar) -> Explained:
    boxes = tuple(one.box_xyxy for one in row.regions)
    return Explained(row.views[0], boxes, explain_regions(row), tuple(str(one.number) for one in row.regions))


def _explain_dialogue(row: Dialogue) -> Explained:
    named = row.truth.cloud_objects if row.truth is not None else ()
    frame = row.views[0] if row.views else None
    return Explained(
        frame, tuple(one.box_xyxy for one in row.boxes), explain_dialogue(row), cloud=row.cloud, cloud_boxes=named
    )


EXPLAINED: Mapping[str, Callable[[Any], Explained]] = {
    "spatial": _explain_spatial,
    "regions": _explain_regions,
    "dialogues": _explain_dialogue,
}
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
    image = _draw_cloud(run, told) if told.frame is None else _read_frame(run, told.frame)
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"{row.id}.png"
    place = told.cloud if told.frame is None else f"frame {told.frame}"
    lines = (f"{row.id}  {place}", *told.lines)
    if not cv2.imwrite(str(target), draw(image, told.boxes, lines, told.marks)):
        raise RoomtourError(f"{target}: cannot be written")
    return target


def _read_frame(run: Run, frame: int) -> NDArray[np.uint8]:
    images = {frame.index: frame.image for frame in run.scene_outline.frames}
    path = run.path / "frames" / images[frame]
    image = cv2.imread(str(path))
    if image is None:
        raise RoomtourError(f"{path}: cannot be read as an image")
    return np.asarray(image, dtype=np.uint8)


def _draw_cloud(run: Run, told: Explained) -> NDArray[np.uint8]:
    cloud = next((one for one in run.clouds if one.name == told.cloud), None)
    if cloud is None:
        raise RoomtourError(f"{run.path}: the run has no cloud {told.cloud}; make it again with: roomtour make")
    path = run.path / "dialogues" / cloud.path
    try:
        points = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise RoomtourError(f"{path}: cannot be read as an array: {error}") from error
    return draw_cloud(points, told.cloud_boxes or cloud.boxes, _WIDTH_PX)


def draw(
    image_bgr: NDArray[np.uint8], boxes: Sequence[Box], lines: Sequence[str], marks: Sequence[str] = ("A", "B")
) -> NDArray[np.uint8]:
    """A frame with boxes under their marks, and lines of text beneath."""
    scale = _WIDTH_PX / image_bgr.shape[1]
    picture = cv2.resize(image_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    for name, color, box in zip(marks, cycle(_COLORS_BGR), boxes, strict=False):
        x0, y0, x1, y1 = (round(value * scale) for value in box)
        cv2.rectangle(picture, (x0, y0), (x1, y1), color, 3)
        cv2.putText(picture, name, (x0 + 6, y0 + 32), cv2.FONT_HERSHEY_SIMPLEX, 1.1, color, 3, cv2.LINE_AA)
    wrapped = [part for line in lines for part in textwrap.wrap(_ascii(line), 96, subsequent_indent="    ") or [""]]
    panel = np.full((_LINE_PX * (len(wrapped) + 1), _WIDTH_PX, 3), 255, np.uint8)
    for place, line in enumerate(wrapped, start=1):
        at = (10, _LINE_PX * place)
        cv2.putText(panel, line, at, cv2.FONT_HERSHEY_SIMPLEX, 0.55, (20, 20, 20), 1, cv2.LINE_AA)
    return np.asarray(np.vstack([picture, panel]), dtype=np.uint8)


def _ascii(text: str) -> str:
    """The drawn font knows no other letters."""
    return text.encode("ascii", "replace").decode()
