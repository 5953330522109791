"""Pictures as a run may show them: without what it was processed to hide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from instructions.perception.hiding.find import make_task
from instructions.perception.hiding.pixelate import copy_hidden
from instructions.perception.hiding.words import split_words
from recon.numerals import count
from recon.records import Frame
from roomtour.artifacts import FRAMES
from roomtour.run import Run
from roomtour.view.tour import TourView


def find_asked_to_hide(run: Run) -> str:
    """What the run was processed to hide, such as `person,screen`; empty for nothing."""
    options = run.manifest.get("options")
    return str(options.get("hide") or "") if isinstance(options, Mapping) else ""


@contextmanager
def open_frames(run: Run, frames: Sequence[Frame]) -> Iterator[Path]:
    """A folder with the pictures of these frames as the run may show them.

    Raises:
        InstructionError: If something is to be hidden that nothing here can find.
    """
    words = split_words(find_asked_to_hide(run))
    if not words:
        yield run.path / "frames"
        return
    with TemporaryDirectory() as folder:
        copy_hidden(frames, run.path / "frames", Path(folder), make_task(words))
        yield Path(folder)


def hide_in_tour(tour: TourView, asked: str, folder: Path, tell: Callable[[str], None]) -> TourView:
    """The tour with pictures in which what was asked for is pixelated; itself where nothing was.

    The frames of the run folder stay as they are, for other stages look at them, so the copies are made anew.

    Args:
        tour: With the pictures of its run folder.
        asked: What `find_asked_to_hide` says.
        folder: Gets the copies; whoever shows the tour keeps it as long.
        tell: Told what is done, since it takes a while.

    Raises:
        InstructionError: If the light models are not on this machine, or a picture cannot be decoded:
            then none is shown.
    """
    words = split_words(asked)
    if not words:
        return tour
    find = make_task(words)
    tell(f"{tour.name}: looking for {' and '.join(words)} in {count(len(tour.frames), 'picture')}, to pixelate them")
    frames = [tour.frames[index] for index in sorted(tour.frames)]
    folder.mkdir(parents=True)
    copy_hidden(frames, tour.frames_dir, folder, find)
    return replace(tour, frames_dir=folder)


def hide_in_run(run: Run, folder: Path) -> Path:
    """Where the pictures of a run lie without what it was processed to hide: copies in `folder`, or where they are.

    Raises:
        InstructionError: As `hide_in_tour` does.
    """
    frames_dir, words = run.path / FRAMES.path, split_words(find_asked_to_hide(run))
    if not words:
        return frames_dir
    find = make_task(words)
    folder.mkdir(parents=True, exist_ok=True)
    copy_hidden(run.frames, frames_dir, folder, find)
    return folder
