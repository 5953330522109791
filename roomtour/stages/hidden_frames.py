"""The frames that a server may see."""

from __future__ import annotations

from pathlib import Path

from instructions.perception.hiding.find import make_task
from instructions.perception.hiding.pixelate import copy_hidden
from instructions.perception.hiding.words import split_words
from recon.upright.scene_io import read_scene
from roomtour.artifacts import FRAMES, SCENE
from roomtour.stages.context import StageContext


def hide_frames(context: StageContext, folder: Path) -> Path:
    """Where the pictures lie that a server may see: without what `--hide` names.

    Args:
        context: Of the stage.
        folder: An empty one; copies go there if anything is hidden.
    """
    words = split_words(context.config.hide)
    frames_dir = context.path(FRAMES)
    if not words:
        return frames_dir
    find = make_task(words, context.config.vision.folder)
    frames = read_scene(context.path(SCENE)).frames
    copy_hidden(frames, frames_dir, folder, find, fan_out=context.workers.map)
    return folder
