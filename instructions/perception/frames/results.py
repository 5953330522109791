"""What the learned models said of each frame: where it is kept, and how it is read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from instructions.errors import InstructionError
from instructions.facts.placing import DepthMap
from instructions.perception.frames.cache import ARRAYS, CLASS_MAPS, Codec, FrameCache, records
from instructions.perception.frames.segments import SegmentMap
from instructions.perception.frames.tags import Tag
from instructions.perception.interfaces import FoundBox, Region
from instructions.perception.models.light.labels import ade150_words
from instructions.records import MaskRle

DEPTH_STEP_PX = 4
"""Depth is kept at every fourth pixel; a finer grid changes no range and costs sixteen times the space."""


@dataclass(frozen=True)
class FrameWords:
    """How well words fit one frame."""

    tags: tuple[Tag, ...]
    """Vocabulary words over the threshold, best first, and the kind of room that the frame looks like."""


@dataclass(frozen=True)
class PassRecord:
    """One finished pass."""

    kind: str
    """`embeddings`, `words`, `regions`, `depth`, `boxes`, `masks`, `segments` or `fine_segments`."""
    source: str
    """Model and revision, or several of them."""
    folder: str
    """Below the vision folder; its last part is the key of the pass."""
    is_metric: bool = False
    """Of depth: metres rather than inverse depth without scale."""


@dataclass(frozen=True)
class VisionIndex:
    """Which passes make up the results of a run. Empty for embedded perception."""

    passes: tuple[PassRecord, ...] = ()

    @property
    def is_light(self) -> bool:
        """Whether light networks looked: they alone segment."""
        return self.find("segments") is not None

    def find(self, kind: str) -> PassRecord | None:
        """The pass of one kind, None if it was not asked for."""
        return next((entry for entry in self.passes if entry.kind == kind), None)


_CODECS: Mapping[str, Codec[Any]] = {
    "embeddings": ARRAYS,
    "words": records(FrameWords),
    "regions": records(list[Region]),
    "depth": ARRAYS,
    "boxes": records(list[FoundBox]),
    "masks": records(list[MaskRle]),
    "segments": CLASS_MAPS,
    "fine_segments": CLASS_MAPS,
}
"""How the results of each kind of pass are kept."""


def open_cache(kind: str, folder: Path) -> FrameCache[Any]:
    """The results of one kind of pass (see `PassRecord`), kept in a folder."""
    return FrameCache(folder, _CODECS[kind])


class FrameResults:
    """Reads the results of a run. A frame that failed in a pass, or was never in it, has nothing there."""

    def __init__(self, folder: Path, index: VisionIndex) -> None:
        """Take the vision folder and its index.

        Raises:
            InstructionError: If the index points outside the folder.
        """
        self.index = index
        self._caches: dict[str, FrameCache[Any]] = {}
        for entry in index.passes:
            at = folder / entry.folder
            if not at.resolve().is_relative_to(folder.resolve()):
                raise InstructionError(f"{folder}: pass {entry.kind} lies in {entry.folder!r}, outside the run folder")
            if entry.kind in _CODECS:
                self._caches[entry.kind] = open_cache(entry.kind, at)
        self._last_segments: tuple[int, NDArray[np.uint8] | None] | None = None  # asked for once per detection

    @property
    def depth_is_metric(self) -> bool:
        """Whether depth maps are metres."""
        depth = self.index.find("depth")
        return depth is not None and depth.is_metric

    def source(self, kind: str) -> str | None:
        """Model and revision of a pass."""
        entry = self.index.find(kind)
        return entry.source if entry else None

    def words(self, frame: int) -> FrameWords | None:
        """Tags."""
        return self._read("words", frame)

    def regions(self, frame: int) -> list[Region]:
        """Regions in free words."""
        return self._read("regions", frame) or []

    def boxes(self, frame: int) -> list[FoundBox]:
        """Detected boxes, best first."""
        return self._read("boxes", frame) or []

    def masks(self, frame: int) -> list[MaskRle]:
        """Masks of `boxes(frame)`; empty if there are none."""
        return self._read("masks", frame) or []

    def segments(self, frame: int, width: int, height: int) -> SegmentMap | None:
        """What each place of a picture of that size belongs to."""
        if self._last_segments is None or self._last_segments[0] != frame:
            self._last_segments = (frame, self._read("segments", frame))
        classes = self._last_segments[1]
        return None if classes is None else SegmentMap(classes, width, height)

    def fine_segments(self, frame: int, width: int, height: int) -> SegmentMap | None:
        """The same by the segmenter of many classes."""
        classes = self._read("fine_segments", frame)
        return None if classes is None else SegmentMap(classes, width, height, ade150_words())

    def raw_depth(self, frame: int) -> NDArray[np.float32] | None:
        """What the depth model gave: metres, or inverse depth without scale."""
        return self._read("depth", frame)

    def depth(self, frame: int) -> DepthMap | None:
        """Depth that grows with distance: metres, or an order only (relative model)."""
        raw = self.raw_depth(frame)
        if raw is None:
            return None
        return DepthMap(raw if self.depth_is_metric else -raw, DEPTH_STEP_PX, is_length=self.depth_is_metric)

    def _read(self, kind: str, frame: int) -> Any:
        cache = self._caches.get(kind)
        return cache.read(frame) if cache else None
