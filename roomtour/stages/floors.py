"""Where pictures show the floor, as the reconstruction asks: from the light segmenter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from instructions.perception.frames.results import FrameResults
from instructions.perception.models.light.folder import find_light_files, light_folder, why_not_light
from instructions.perception.models.light.labels import ade_words
from instructions.perception.models.light.mosaic import Mosaic
from recon.diagnosis.floor_height import FloorMask
from recon.pictures import read_picture_file
from recon.records import Frame
from roomtour.config import Config
from roomtour.workers.interfaces import Workers


def find_floors(frames: Sequence[Frame], frames_dir: Path, config: Config, workers: Workers) -> Mapping[int, FloorMask]:
    """Where the pictures of frames show the floor; nothing if the light models are not on this machine.

    A segmenter knows floors at the bottom of pictures. Where it finds next to none, some pictures are turned by
    quarters, and all are where one turn shows it much more: phones film on their side without saying so.

    Raises:
        InstructionError: If their files are damaged.
    """
    folder = light_folder(config.vision.folder)
    if why_not_light(folder) is not None:
        return {}
    task = _FindFloor(find_light_files(folder)["mosaic"], frames_dir)
    floors = _find_all(task, frames, workers)
    if not floors or _measure_share(floors, 0) >= LITTLE_FLOOR:
        return floors
    some = frames[:: max(1, len(frames) // _TURNED_FRAMES)]
    shares = {
        quarters: _measure_share(_find_all(replace(task, quarters=quarters), some, workers), quarters)
        for quarters in (1, 2, 3)
    }
    shares[0] = _measure_share({frame.index: floors[frame.index] for frame in some if frame.index in floors}, 0)
    best = choose_quarters(shares)
    return _find_all(replace(task, quarters=best), frames, workers) if best else floors


LITTLE_FLOOR = 0.15
"""Share of the lower half of the pictures. Filmed upright, homes show 0.4 to 0.8 there; on its side one showed 0.06."""
_TURNED_FRAMES = 8
"""Some of which are looked at in all four ways."""
CLEARLY_MORE = 3.0
"""By how much more floor a turned picture must show: a wall or a bed passes for a little of it either way."""


def choose_quarters(shares: Mapping[int, float]) -> int:
    """By how many quarters anticlockwise pictures are turned before they are asked for floor.

    Args:
        shares: Per turn of 0 to 3 quarters the share of floor at the bottom of the pictures.
    """
    best = max(shares, key=lambda quarters: shares[quarters])
    return best if shares[best] >= max(LITTLE_FLOOR, CLEARLY_MORE * shares[0]) else 0


def _find_all(task: _FindFloor, frames: Sequence[Frame], workers: Workers) -> dict[int, FloorMask]:
    found = zip(frames, workers.map(task, frames), strict=True)
    return {frame.index: mask for frame, mask in found if mask is not None}


def _measure_share(floors: Mapping[int, FloorMask], quarters: int) -> float:
    """Of the lower half of pictures that were turned by quarters anticlockwise, what is floor; 0 for no pictures."""
    turned = [np.rot90(mask, quarters) for mask in floors.values()]
    return float(np.mean([mask[len(mask) // 2 :].mean() for mask in turned])) if turned else 0.0


def read_floors(frames: Sequence[Frame], vision: FrameResults) -> Mapping[int, FloorMask]:
    """The same from what the stage `vision` left; nothing if no segmenter looked."""
    found = {frame.index: vision.segments(frame.index, frame.width, frame.height) for frame in frames}
    return {index: _is_floor(segments.classes) for index, segments in found.items() if segments is not None}


@dataclass(frozen=True)
class _FindFloor:
    """The floor in one picture; None if it cannot be read."""

    weights: Path
    frames_dir: Path
    quarters: int = 0
    """By which it is turned anticlockwise before it is looked at; the mask is as the picture was."""

    def __call__(self, frame: Frame) -> FloorMask | None:
        image_bgr = read_picture_file(self.frames_dir / frame.image)
        if image_bgr is None:
            return None
        turned = np.rot90(image_bgr[:, :, ::-1], self.quarters)
        (classes,) = _load(self.weights).segment([np.ascontiguousarray(turned, dtype=np.uint8)])
        return np.rot90(_is_floor(classes), -self.quarters)


@lru_cache(maxsize=1)
def _load(weights: Path) -> Mosaic:
    return Mosaic(weights)


def _is_floor(classes: NDArray[np.uint8]) -> FloorMask:
    return classes == ade_words().index("floor")
