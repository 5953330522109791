"""The frames that anybody may see: without what was asked to be hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from instructions.language.model import ServerUnusable
from instructions.language.pictures import PictureFiles
from instructions.perception.hiding.find import make_task
from instructions.perception.hiding.pixelate import copy_hidden
from instructions.perception.hiding.words import split_words
from recon.records import Frame
from recon.tasks import FanOut, map_here
from recon.upright.scene_io import read_scene
from roomtour.artifacts import FRAMES, SCENE
from roomtour.config import Config


def hide_in_frames(
    frames: Sequence[Frame],
    frames_dir: Path,
    asked: str,
    folder: Path,
    *,
    networks: Path | None = None,
    fan_out: FanOut = map_here,
    progress: Callable[[float], None] | None = None,
) -> tuple[Path, int]:
    """Where the pictures lie without what is asked for, and in how many of them something was hidden.

    Args:
        frames: In time order.
        frames_dir: Their pictures, which stay as they are.
        asked: Such as `person,screen`; empty for nothing.
        folder: Gets the copies if anything is asked for, made if absent.
        networks: Folder of the light models, where they do not lie in their usual one.
        fan_out: Gives out the pictures.
        progress: Told the share done, 0 to 1.

    Raises:
        InstructionError: If the light models are not on this machine, or a picture cannot be decoded: then none is
            shown.
    """
    words = split_words(asked)
    if not words:
        return frames_dir, 0
    find = make_task(words, networks)
    folder.mkdir(parents=True, exist_ok=True)
    return folder, copy_hidden(frames, frames_dir, folder, find, fan_out=fan_out, progress=progress).changed


@contextmanager
def show_frames(run: Path, config: Config, fan_out: FanOut = map_here) -> Iterator[Path]:
    """Where the pictures lie that a server may see, of a run with a scene: copies, if the options hide anything."""
    frames = read_scene(run / SCENE.path).frames if config.hide else ()
    with TemporaryDirectory() as folder:
        yield hide_in_frames(
            frames, run / FRAMES.path, config.hide, Path(folder), networks=config.vision.folder, fan_out=fan_out
        )[0]


@contextmanager
def show_views(
    run: Path, config: Config, kind: str, fan_out: FanOut = map_here
) -> Iterator[tuple[PictureFiles, Callable[[int], str] | None]]:
    """Where the client finds the pictures, and what gives the digest of a frame's; None where no model is to see.

    Args:
        run: A folder with a scene and its frames.
        config: Says who writes, whether it sees, and what is hidden from it.
        kind: Name of the kind of data that is written, with an option `sight`.
        fan_out: Gives out the pictures that something is hidden in.

    Raises:
        ServerUnusable: With what to try if the server takes no pictures.
        InstructionError: If a picture cannot be read.
    """
    pictures = PictureFiles()
    if config.writer != "llm" or getattr(config, kind).sight == "off":
        yield pictures, None
        return
    frame_of = read_scene(run / SCENE.path).frame_by_index
    with show_frames(run, config, fan_out) as folder:
        try:
            yield pictures, lambda frame: pictures.add(folder / frame_of[frame].image)
        except ServerUnusable as error:
            raise type(error)(f"{error}. If it takes no pictures: --set {kind}.sight=off") from error
