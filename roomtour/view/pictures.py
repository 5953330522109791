"""Frames of a run as small JPEG pictures, made when asked for, without what the run was processed to hide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from recon.numerals import count
from recon.records import Frame
from roomtour.artifacts import FRAMES
from roomtour.drawing.thumbnails import read_small, to_jpeg
from roomtour.run import Run
from roomtour.stages.inputs.hidden_frames import hide_in_frames
from roomtour.view.tour import TourView

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
