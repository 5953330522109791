"""Which way up the pictures of a shot are held, and pictures turned for networks that know upright rooms only.

Only quarter turns are set right. In 30 frames of a walk through an office the detectors agreed on 60 things upright, on
65 and 54 at rolls of 5 and 10 degrees, on 32 at 20, and on 5 to 9 where the picture lay on its side or stood on its
head (`benchmarks/upright.py`); the cameras of two hand-held tours stayed within 7 degrees in 95 of 100 frames. The
scene would tell the roll exactly, but it is made after the networks have looked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from instructions.perception.frames.cache import RecordCache
from instructions.perception.interfaces import RgbImage, Segmenter
from instructions.perception.models.light.labels import ade_words
from instructions.perception.models.light.mosaic import Mosaic
from instructions.records import Box
from recon.findings import Finding
from recon.pictures import read_picture_file
from recon.records import Frame
from recon.tasks import FanOut, fixed_threads

PROBES = 12
"""Frames per shot that are looked at, evenly over it."""
_ENOUGH = 0.10
"""Floor less ceiling, as shares of the picture, that settles upright, in the median of frames. On two walks it was 0.41
and 0.48 upright, and -0.41 to 0 turned; pictures filled by a bed show neither and stay as they are. A noisy wall passes
for floor from top to bottom, turned or not: by the mean, two made tours of which a third faced one were stood on their
head and laid on their side (0.20 and 0.13; median 0.00 and 0.04)."""
_MARGIN = 0.10
"""A turn has to show so much more floor than the picture as it is."""


class SegmentsTurned(Protocol):
    """Shows one frame, turned, to a segmenter."""

    def __call__(self, frame: int, quarter_turns: int) -> NDArray[np.uint8] | None:
        """Class map of the frame turned so often counter-clockwise; None if it cannot be read."""
        ...


@dataclass(frozen=True)
class TurnTask:
    """Finds how many quarter turns set a shot upright, in whatever process; the segmenter is loaded there once."""

    segmenter: Path

    def __call__(self, shot: tuple[tuple[int, Path], ...]) -> int:
        """Quarter turns counter-clockwise for the frames (index, picture) of a shot."""
        pictures = dict(shot)

        def segment(frame: int, quarter_turns: int) -> NDArray[np.uint8] | None:
            image_bgr = read_picture_file(pictures[frame])
            if image_bgr is None:
                return None
            image = turn_image(np.asarray(image_bgr[:, :, ::-1], dtype=np.uint8), quarter_turns)
            try:
                return _load_segmenter(self.segmenter).segment([image])[0]
            except Exception:  # told when the frame itself is looked at
                return None

        with fixed_threads():
            return find_quarter_turns(list(pictures), segment)


def find_turns(
    frames: Sequence[Frame], frames_dir: Path, known: RecordCache[int], segmenter: Path, fan_out: FanOut
) -> dict[int, int]:
    """Quarter turns counter-clockwise that set each shot upright; found once and kept, so that a killed run goes on as
    it began.

    Args:
        frames: The tour's frames.
        frames_dir: Their pictures.
        known: Where the turns of shots are kept.
        segmenter: File of the segmenter.
        fan_out: Gives out shots, to processes or not.
    """
    shots: dict[int, list[tuple[int, Path]]] = defaultdict(list)
    for frame in frames:
        shots[frame.shot].append((frame.index, frames_dir / frame.image))
    missing = known.missing(sorted(shots))
    try:
        turns = fan_out(TurnTask(segmenter), [tuple(shots[shot]) for shot in missing])
        for shot, quarter_turns in zip(missing, turns, strict=True):
            known.write(shot, quarter_turns)
    finally:
        _load_segmenter.cache_clear()  # what this process loaded; a worker keeps its own until it ends
    return {shot: known.read(shot) or 0 for shot in shots}


def find_quarter_turns(frames: Sequence[int], segment: SegmentsTurned) -> int:
    """By how many quarter turns counter-clockwise the frames of one shot stand upright.

    Upright, the floor fills the lower part of most pictures, so most must show it. The segmenter calls the floor of a
    room that stands on its head its ceiling, and of one on its side a wall. 0 also where nothing tells: in the dark, or
    close to a wall.

    Args:
        frames: Frames of the shot, in order.
        segment: Shows a frame to the segmenter.
    """
    at = np.unique(np.linspace(0, len(frames) - 1, min(PROBES, len(frames))).round().astype(int))
    probes = [frames[place] for place in at]
    upright = _measure_floor(probes, 0, segment)
    if upright >= _ENOUGH or not probes:
        return 0
    evidence = {turns: _measure_floor(probes, turns, segment) for turns in (1, 2, 3)}
    best = max(evidence, key=lambda turns: (evidence[turns], -turns))
    return best if evidence[best] >= max(_ENOUGH, upright + _MARGIN) else 0


def turn_image(image: RgbImage, quarter_turns: int) -> RgbImage:
    """Turn a picture counter-clockwise."""
    return np.ascontiguousarray(np.rot90(image, quarter_turns))


def turn_map_back(classes: NDArray[np.uint8], quarter_turns: int) -> NDArray[np.uint8]:
    """Class map of a turned picture, for the picture as it was."""
    return np.ascontiguousarray(np.rot90(classes, -quarter_turns))


def turn_box_back(box_xyxy: Box, quarter_turns: int, width: int, height: int) -> Box:
    """Box in a turned picture, for the picture as it was.

    Args:
        box_xyxy: In pixels of the turned picture.
        quarter_turns: Counter-clockwise turns that made it.
        width: Of the picture as it was.
        height: Of the picture as it was.
    """
    x0, y0, x1, y1 = box_xyxy
    match quarter_turns % 4:
        case 1:
            return (width - y1, x0, width - y0, x1)
        case 2:
            return (width - x1, height - y1, width - x0, height - y0)
        case 3:
            return (y0, height - x1, y1, height - x0)
        case _:
            return box_xyxy


def list_turned_shots(turns: Mapping[int, int]) -> tuple[Finding, ...]:
    """Say which shots were turned; `turns` are quarter turns counter-clockwise by shot."""
    return tuple(
        Finding(
            "warning",
            "vision.turned",
            f"shot {shot}",
            f"the pictures {'stand on their head' if quarter_turns == 2 else 'lie on their side'}; the networks saw "
            "them turned upright, but left and right in texts are those of the pictures as they are. "
            f"Process again with --input.rotate {360 - 90 * quarter_turns}",
        )
        for shot, quarter_turns in sorted(turns.items())
        if quarter_turns
    )


def _measure_floor(probes: Sequence[int], quarter_turns: int, segment: SegmentsTurned) -> float:
    """Share of floor less that of ceiling in the median of the frames that can be read; 0 if none can."""
    maps = [classes for frame in probes if (classes := segment(frame, quarter_turns)) is not None]
    floor, ceiling = _classes_of("floor"), _classes_of("ceiling")
    shares = [np.isin(one, floor).mean() - np.isin(one, ceiling).mean() for one in maps]
    return float(np.median(shares)) if shares else 0.0


def _classes_of(word: str) -> list[int]:
    return [number for number, own in enumerate(ade_words()) if own == word]


@lru_cache(maxsize=1)
def _load_segmenter(path: Path) -> Segmenter:
    return Mosaic(path)
