"""Keypoints of many frames in one file, between finding and matching them: a long tour's do not fit into memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

from recon.matching.interfaces import Keypoints

_XY_BYTES, _DESCRIPTOR_BYTES = 8, 128
"""Of one keypoint: two numbers of four bytes, and as many bytes as SIFT describes it by."""


class KeypointFile:
    """Keypoints by frame, in the order in which they came."""

    def __init__(self, file: BinaryIO) -> None:
        """`file` is empty, and can be read and written."""
        self._file = file
        self._places: dict[int, tuple[int, int]] = {}
        """By frame: where it begins, and how many keypoints it has."""

    @property
    def counts(self) -> dict[int, int]:
        """Keypoints by frame."""
        return {frame: count for frame, (_, count) in self._places.items()}

    def add(self, frame: int, keypoints: Keypoints) -> None:
        """Put those of a frame at the end."""
        start = self._file.seek(0, 2)
        self._file.write(np.ascontiguousarray(keypoints.xy, np.float32).tobytes())
        self._file.write(np.ascontiguousarray(keypoints.descriptors, np.uint8).tobytes())
        self._places[frame] = (start, len(keypoints.xy))

    def read(self, frame: int) -> Keypoints:
        """As they were put in."""
        start, count = self._places[frame]
        self._file.seek(start)
        xy = np.frombuffer(self._file.read(count * _XY_BYTES), np.float32).reshape(count, 2)
        bytes_ = self._file.read(count * _DESCRIPTOR_BYTES)
        return Keypoints(xy, np.frombuffer(bytes_, np.uint8).reshape(count, _DESCRIPTOR_BYTES))


@contextmanager
def open_keypoint_file(path: Path) -> Iterator[KeypointFile]:
    """A new one on the disk of `path`, which is gone afterwards, also if this process is killed."""
    with tempfile.TemporaryFile(prefix=path.name, dir=path.parent) as file:
        yield KeypointFile(file)
