"""Where a picture shows what is to be hidden: everything that any network takes for it, however unsure.

A picture that shows a person is worse than one with a blurred coat rack, so nothing is held back here: two detectors
count with a low score each, the segmenter with small segments, and what a picture next to it shows counts as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from instructions.errors import InstructionError
from instructions.perception.hiding.words import NETWORK_NAMES
from instructions.perception.interfaces import RgbImage, Segmenter
from instructions.perception.models.light.boxes_of_classes import ClassBoxes
from instructions.perception.models.light.deimv2 import Deimv2
from instructions.perception.models.light.folder import find_light_files, light_folder, why_not_light
from instructions.perception.models.light.labels import network_names
from instructions.perception.models.light.mosaic import Mosaic
from instructions.perception.models.light.pins import Part
from instructions.perception.models.light.yolox import Yolox
from instructions.perception.read_rgb import read_rgb
from instructions.records import Box
from recon.tasks import fixed_threads

_THRESHOLD = 0.15
"""Least score of a box of one detector; half of what a thing needs to be named, and no second one has to agree. At 0.10
a ninth of the pictures of `office_walk`, which shows nobody, is taken for people, here a fifteenth."""
_LEAST_SEGMENT = 0.0005
"""Share of the picture; a smaller segment is a pixel or two of the network's map."""


@dataclass(frozen=True)
class FindTask:
    """Looks at one picture, in whatever process; the networks are loaded there once."""

    paths: tuple[tuple[Part, Path], ...]
    words: tuple[str, ...]

    def __call__(self, picture: Path) -> list[Box]:
        """Boxes to hide, in pixels.

        Raises:
            InstructionError: If the picture cannot be decoded: nothing then says what it shows.
        """
        image = read_rgb(picture)
        if image is None:
            raise InstructionError(f"--hide: {picture.name} is missing or cannot be decoded; process the tour again")
        with fixed_threads():
            first, second, segmenter = _load_networks(self.paths)
            return find_boxes(image, self.words, (first.find, second.find), segmenter)


def make_task(words: Sequence[str], folder: Path | None = None) -> FindTask:
    """The task that finds these words.

    Args:
        words: Of `HIDEABLE`.
        folder: Of the light models; where they lie by default if None.

    Raises:
        InstructionError: If the networks are not on this machine: without them nothing can be hidden.
    """
    at = light_folder(folder)
    problem = why_not_light(at)
    if problem:
        raise InstructionError(
            f"--hide {','.join(words)}: nothing here can find them, so no picture is written: {problem}"
        )
    return FindTask(tuple(find_light_files(at).items()), tuple(words))


def find_boxes(
    image: RgbImage,
    words: Sequence[str],
    detectors: Sequence[Callable[[RgbImage], ClassBoxes]],
    segmenter: Segmenter | None,
) -> list[Box]:
    """Boxes of all that any network takes for one of the words; in no order, and they may overlap."""
    names = {name for word in words for name in NETWORK_NAMES[word]}
    coco, ade = network_names()["coco"], network_names()["ade"]
    found: list[Box] = []
    for find in detectors:
        boxes, _, classes = find(image)
        wanted = [number < len(coco) and coco[number] in names for number in classes.tolist()]
        found += [(x0, y0, x1, y1) for x0, y0, x1, y1 in boxes[np.array(wanted, dtype=bool)].tolist()]
    own = [number for number, name in enumerate(ade) if name in names]
    if segmenter is None or not own:
        return found
    (segments,) = segmenter.segment([image])
    rows, columns = segments.shape
    count, _, stats, _ = cv2.connectedComponentsWithStats(np.isin(segments, own).astype(np.uint8))
    wide, high = image.shape[1] / columns, image.shape[0] / rows
    for x, y, width, height, area in stats[1:count].tolist():
        if area >= _LEAST_SEGMENT * rows * columns:
            found.append((x * wide, y * high, (x + width) * wide, (y + height) * high))
    return found


@lru_cache(maxsize=1)
def _load_networks(paths: tuple[tuple[Part, Path], ...]) -> tuple[Yolox, Deimv2, Mosaic]:
    known = dict(paths)
    return Yolox(known["yolox"], _THRESHOLD), Deimv2(known["deimv2"], _THRESHOLD), Mosaic(known["mosaic"])
