"""The views that a language model is shown while it writes dialogues, without what `--hide` names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from instructions.language.model import ServerUnusable
from instructions.language.pictures import PictureFiles
from recon.tasks import FanOut, map_here
from recon.upright.scene_io import read_scene
from roomtour.artifacts import SCENE
from roomtour.config import Config
from roomtour.stages.inputs.hidden_frames import hide_run_frames


@contextmanager
def show_views(
    run: Path, config: Config, fan_out: FanOut = map_here
) -> Iterator[tuple[PictureFiles, Callable[[int], str] | None]]:
    """Where the client finds the pictures, and what gives the digest of a frame's; None where no model is to see.

    Args:
        run: A folder with a scene and its frames.
        config: Says who writes, whether it sees, and what is hidden from it.
        fan_out: Gives out the pictures that something is hidden in.

    Raises:
        ServerUnusable: With what to try if the server takes no pictures.
        InstructionError: If a picture cannot be read.
    """
    pictures = PictureFiles()
    if config.writer != "llm" or config.dialogues.sight == "off":
        yield pictures, None
        return
    frame_of = read_scene(run / SCENE.path).frame_by_index
    with TemporaryDirectory() as hidden:
        folder = hide_run_frames(run, config, Path(hidden), fan_out)
        try:
            yield pictures, lambda frame: pictures.add(folder / frame_of[frame].image)
        except ServerUnusable as error:
            raise type(error)(f"{error}. If it takes no pictures: --set dialogues.sight=off") from error
