"""Pictures as a run may show them: without what it was processed to hide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from recon.numerals import count
from recon.records import Frame
from roomtour.artifacts import FRAMES
from roomtour.run import Run
from roomtour.stages.inputs.hidden_frames import hide_in_frames
from roomtour.view.tour import TourView


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
