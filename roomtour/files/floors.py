"""Where pictures show the floor, by what the segmenter left in a run folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from instructions.perception.frames.results import FrameResults
from instructions.perception.models.light.labels import ade_words
from recon.floor_masks import FloorMask
from recon.records import Frame


def read_floors(frames: Sequence[Frame], vision: FrameResults) -> Mapping[int, FloorMask]:
    """The floor in pictures, by frame; nothing of those that no segmenter looked at."""
    segments_of = {frame.index: vision.segments(frame.index, frame.width, frame.height) for frame in frames}
    return {index: is_floor(segments.classes) for index, segments in segments_of.items() if segments is not None}


def is_floor(classes: NDArray[np.uint8]) -> FloorMask:
    """Where a map of the segmenter's classes says floor."""
    return classes == ade_words().index("floor")
