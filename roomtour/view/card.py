"""One frame of a run as a small picture, without what the run was processed to hide, and as a card of what is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from instructions.facts.placing import MIDDLE_SHARE, NEAR_SHARE
from instructions.records import Observation
from recon.numerals import count
from recon.records import Frame
from roomtour.artifacts import FRAMES
from roomtour.drawing.pages import render
from roomtour.drawing.svg import draw_box, element
from roomtour.drawing.text import printable
from roomtour.drawing.thumbnails import data_address, read_small, to_jpeg
from roomtour.run import Run
from roomtour.stages.inputs.hidden_frames import hide_in_frames
from roomtour.view.tour import TourView, ViewModel

_KEPT = 256
"""Pictures held in memory; 256 of 320 pixels are some 4 MB."""


class FramePictures:
    """The pictures of one tour. Safe to ask from several threads."""

    def __init__(self, frames: Mapping[int, Frame], folder: Path, quality: int = 80) -> None:
        self._frames = frames
        self._folder = folder
        self._quality = quality
        self.jpeg = lru_cache(maxsize=_KEPT)(self._jpeg)

    def rgb(self, frame: int, longer_side_px: int) -> NDArray[np.uint8] | None:
        """The frame as (h, w, 3) RGB, shrunk to fit; None if it is unknown or cannot be read."""
        image_bgr = self._read(frame, longer_side_px)
        return None if image_bgr is None else np.ascontiguousarray(image_bgr[:, :, ::-1])

    def _read(self, frame: int, longer_side_px: int) -> NDArray[np.uint8] | None:
        known = self._frames.get(frame)
        return None if known is None else read_small(self._folder, known.image, longer_side_px)

    def _jpeg(self, frame: int, longer_side_px: int) -> bytes | None:
        """The same as JPEG bytes."""
        image_bgr = self._read(frame, longer_side_px)
        return None if image_bgr is None else to_jpeg(image_bgr, self._quality)


def find_asked_to_hide(run: Run) -> str:
    """What the run was processed to hide, such as `person,screen`; empty for nothing."""
    options = run.manifest.get("options")
    return str(options.get("hide") or "") if isinstance(options, Mapping) else ""


@contextmanager
def open_frames(run: Run, frames: Sequence[Frame]) -> Iterator[Path]:
    """A folder with the pictures of these frames as the run may show them; raises as `hide_in_frames` does."""
    with TemporaryDirectory() as folder:
        yield hide_in_frames(frames, run.path / FRAMES.path, find_asked_to_hide(run), Path(folder))[0]


def hide_in_tour(tour: TourView, asked: str, folder: Path, tell: Callable[[str], None]) -> TourView:
    """The tour with pictures in which what was asked for is pixelated; itself where nothing was.

    Copies go to `folder`, which whoever shows the tour keeps as long; raises as `hide_in_frames` does.
    """
    frames = [tour.frames[index] for index in sorted(tour.frames)]
    if asked:
        what = " and ".join(asked.split(","))
        tell(f"{tour.name}: looking for {what} in {count(len(frames), 'picture')}, to pixelate them")
    return replace(tour, frames_dir=hide_in_frames(frames, tour.frames_dir, asked, folder)[0])


MOST_ROWS = 6
"""Questions about one thing that a card shows."""


def draw_card(tour: TourView, frame: Frame, model: ViewModel | None, jpeg: bytes | None) -> Markup:
    """One frame. Every text of the run is escaped; nothing is fetched, the picture is inside.

    Instructions and distances are those of the model; without a JPEG the picture is a gray field.
    """
    seen = sorted(
        (found for found in tour.seen.get(frame.index, ()) if found.object in tour.objects),
        key=lambda found: found.depth,
    )
    return render(
        "view/card.html",
        tour=tour,
        frame=frame,
        picture=_picture(tour, frame, seen, jpeg),
        line=tour.lines.get(frame.index),
        seen=seen,
        scale=model.scale if model else None,
        most_rows=MOST_ROWS,
        instructions=tour.instructions_at(frame.index, model.name) if model else (),
    )


def _picture(tour: TourView, frame: Frame, seen: list[Observation], jpeg: bytes | None) -> Markup:
    width, height = frame.width, frame.height
    names = ", ".join(f"{tour.number_of[found.object]} {printable(tour.objects[found.object].alias)}" for found in seen)
    label = f"Frame {frame.index}" + (f" with {names}" if names else "") + ("" if jpeg else " (image not readable)")
    parts: list[Markup] = []
    if jpeg is not None:
        href = data_address(jpeg)
        parts.append(element("image", href=href, width=width, height=height, preserveAspectRatio="none"))
    for found in seen:
        key = tour.number_of[found.object]
        parts.append(draw_box(key, str(key), found.box_xyxy, width))
    parts += _sides(width, height) if seen else []
    return element("svg", element("title", label), parts, viewBox=f"0 0 {width} {height}", role="img", aria_label=label)


def _sides(width: int, height: int) -> list[Markup]:
    """Where the image divides into left, middle and right, by the rule that the texts use."""
    borders = (NEAR_SHARE, NEAR_SHARE + MIDDLE_SHARE)
    edges = (0.0, *borders, 1.0)
    lines = [
        element("line", x1=at * width, x2=at * width, y1=0, y2=height, stroke_width=width / 400, class_="side-line")
        for at in borders
    ]
    size = width * 0.036
    words = [
        element(
            "text", word, x=(left + right) / 2 * width, y=height - size * 0.6, font_size=size, stroke_width=size / 5,
            class_="side",
        )
        for word, left, right in zip(("left", "middle", "right"), edges[:-1], edges[1:], strict=True)
    ]  # fmt: skip
    return lines + words
