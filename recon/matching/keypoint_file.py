"""Keypoints of many frames in one file, between finding and matching them: a long tour's do not fit into memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

from recon.matching.interfaces import Keypoints


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
        self._places[frame] = (self._file.seek(0, 2), len(keypoints.xy))
        np.save(self._file, keypoints.xy)
        np.save(self._file, keypoints.descriptors)

    def read(self, frame: int) -> Keypoints:
        """As they were put in."""
        self._file.seek(self._places[frame][0])
        return Keypoints(np.load(self._file), np.load(self._file))


@contextmanager
def open_keypoint_file(path: Path) -> Iterator[KeypointFile]:
    """A new one on the disk of `path`, which is gone afterwards, also if this process is killed."""
    with tempfile.TemporaryFile(prefix=path.name, dir=path.parent) as file:
        yield KeypointFile(file)
