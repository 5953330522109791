"""The frames that a server may see."""

from __future__ import annotations

from pathlib import Path

from instructions.perception.hiding.find import make_task
from instructions.perception.hiding.pixelate import copy_hidden
from instructions.perception.hiding.words import split_words
from recon.tasks import FanOut, map_here
from recon.upright.scene_io import read_scene
from roomtour.artifacts import FRAMES, SCENE
from roomtour.config import Config
from roomtour.stages.context import StageContext


def hide_frames(context: StageContext, folder: Path) -> Path:
    """Where the pictures lie that a server may see: without what `--hide` names.

    Args:
        context: Of the stage.
        folder: An empty one; copies go there if anything is hidden.
    """
    return hide_run_frames(context.run, context.config, folder, context.workers.map)


def hide_run_frames(run: Path, config: Config, folder: Path, fan_out: FanOut = map_here) -> Path:
    """The same outside of a stage, of a finished run.

    Args:
        run: Its folder.
        config: Says what is hidden.
        folder: An empty one; copies go there if anything is hidden.
        fan_out: Gives out the pictures.
    """
    words = split_words(config.hide)
    frames_dir = run / FRAMES.path
    if not words:
        return frames_dir
    find = make_task(words, config.vision.folder)
    copy_hidden(read_scene(run / SCENE.path).frames, frames_dir, folder, find, fan_out=fan_out)
    return folder
