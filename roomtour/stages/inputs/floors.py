"""Where pictures show the floor, as the reconstruction asks: from the light segmenter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from instructions.perception.frames.upright import VoteTask, decide_turn, turn_image
from instructions.perception.models.light.folder import find_light_files, light_folder, why_not_light
from instructions.perception.models.light.mosaic import Mosaic
from recon.floor_masks import FloorMask
from recon.pictures import read_picture_file
from recon.records import Frame
from roomtour.config import Config
from roomtour.files.floors import is_floor
from roomtour.workers.ray_workers import Workers


def find_floors(frames: Sequence[Frame], frames_dir: Path, config: Config, workers: Workers) -> Mapping[int, FloorMask]:
    """Where the pictures of frames show the floor; nothing if the light models are not on this machine.

    A segmenter knows floors at the bottom of pictures, so those of a tour that lies on its side are turned before it.

    Raises:
        InstructionError: If their files are damaged.
    """
    folder = light_folder(config.vision.folder)
    if why_not_light(folder) is not None:
        return {}
    files = find_light_files(folder)
    segmenter = files["mosaic"]
    pictures = tuple(frames_dir / frame.image for frame in frames)
    (votes,) = workers.map(VoteTask(files["yolox"], segmenter), [pictures])
    found = zip(frames, workers.map(_FindFloor(segmenter, frames_dir, decide_turn(votes)), frames), strict=True)
    return {frame.index: mask for frame, mask in found if mask is not None}


@dataclass(frozen=True)
class _FindFloor:
    """The floor in one picture; None if it cannot be read."""

    weights: Path
    frames_dir: Path
    quarter_turns: int
    """Counter-clockwise, by which pictures are turned before they are looked at."""

    def __call__(self, frame: Frame) -> FloorMask | None:
        image_bgr = read_picture_file(self.frames_dir / frame.image)
        if image_bgr is None:
            return None
        image = turn_image(np.asarray(image_bgr[:, :, ::-1], dtype=np.uint8), self.quarter_turns)
        (classes,) = _load(self.weights).segment([image])
        return is_floor(turn_image(classes, -self.quarter_turns))


@lru_cache(maxsize=1)
def _load(weights: Path) -> Mosaic:
    return Mosaic(weights)
