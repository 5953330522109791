"""One model over many frames: batches in flight, halved when memory runs out, a failing frame told and left out.

Each thread takes the next batch, decodes it, has the model look at it and writes the results. The model itself takes
one batch at a time (see `models.runtime`), so while it works the other threads decode, prepare and write.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Generic, TypeVar

import cv2
import numpy as np

from instructions.errors import InstructionError
from instructions.perception.frames.cache import FrameCache
from instructions.perception.interfaces import RgbImage
from instructions.perception.models.runtime import free_cached_memory, is_out_of_memory
from recon.findings import Finding

T = TypeVar("T")
Look = Callable[[Sequence[int], Sequence[RgbImage]], Sequence[T]]
"""Frame indices and their images in, one result per frame out."""


class FramePass(Generic[T]):
    """A pass of one model over the frames that its cache does not have yet."""

    def __init__(
        self,
        name: str,
        look: Look[T],
        cache: FrameCache[T],
        image_of: Callable[[int], Path],
        batch: int,
        threads: int,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        """Set up the pass; `name` is what findings call it, `image_of` gives a frame's picture."""
        self._name = name
        self._look = look
        self._cache = cache
        self._image_of = image_of
        self._threads = threads
        self._progress = progress
        self.batch = batch
        """Frames per batch now; smaller than asked for once memory ran out."""
        self._lock = threading.Lock()
        self._waiting: deque[list[int]] = deque()
        self._done = 0
        self._total = 0
        self._failed: dict[int, str] = {}

    def run(self, frames: Sequence[int]) -> list[Finding]:
        """Look at the frames; results go to the cache.

        Returns:
            A finding for each frame that failed, and one if batches had to shrink.

        Raises:
            InstructionError: If every frame that was looked at failed: then the model is at fault, not a frame.
        """
        todo = self._cache.missing(frames)
        asked = self.batch
        self._total, self._done, self._failed = len(todo), 0, {}
        self._waiting = deque(todo[at : at + self.batch] for at in range(0, len(todo), self.batch))
        if todo:
            with ThreadPoolExecutor(min(self._threads, len(self._waiting))) as pool:
                workers = [pool.submit(self._work) for _ in range(min(self._threads, len(self._waiting)))]
            for worker in workers:
                worker.result()
        if todo and len(self._failed) == len(todo):
            first = min(self._failed)
            raise InstructionError(
                f"{self._name}: failed on all {len(todo)} frames; frame {first}: {self._failed[first]}"
            )
        findings = [
            Finding("warning", "vision.frame_failed", f"frame {frame}", f"{self._name} failed: {reason}; left out")
            for frame, reason in sorted(self._failed.items())
        ]
        if self.batch < asked:
            message = f"memory ran out with {asked} frames per batch; went on with {self.batch}"
            findings.append(Finding("info", "vision.batch_halved", self._name, message))
        return findings

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    return
                batch = self._waiting.popleft()
                if len(batch) > self.batch:
                    self._waiting.appendleft(batch[self.batch :])
                    batch = batch[: self.batch]
            self._try(batch)

    def _try(self, batch: list[int]) -> None:
        images: list[RgbImage] = []
        readable: list[int] = []
        for frame in batch:
            image = _read_rgb(self._image_of(frame))
            if image is None:
                self._fail(frame, f"its picture {self._image_of(frame).name} is missing or cannot be decoded")
            else:
                readable.append(frame)
                images.append(image)
        if not readable:
            return
        try:
            results = self._look(readable, images)
        except Exception as error:  # whatever a model raises concerns these frames only, until all of them fail
            self._after_failure(readable, error)
            return
        for frame, result in zip(readable, results, strict=True):
            self._cache.write(frame, result)
        self._count(len(readable))

    def _after_failure(self, batch: list[int], error: Exception) -> None:
        """Halve the batch if memory ran out; else look at its frames one by one to find the one at fault."""
        if len(batch) == 1:
            self._fail(batch[0], f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")
            return
        if is_out_of_memory(error):
            free_cached_memory()
            half = max(1, len(batch) // 2)
            with self._lock:
                self.batch = min(self.batch, half)
                self._waiting.appendleft(batch)
            return
        for frame in batch:
            self._try([frame])

    def _fail(self, frame: int, reason: str) -> None:
        with self._lock:
            self._failed[frame] = reason
        self._count(1)

    def _count(self, frames: int) -> None:
        with self._lock:
            self._done += frames
            share = self._done / self._total
        if self._progress is not None:
            self._progress(share)


def _read_rgb(path: Path) -> RgbImage | None:
    image_bgr = cv2.imread(str(path), cv2.IMREAD_COLOR)
    return None if image_bgr is None else np.ascontiguousarray(image_bgr[:, :, ::-1], dtype=np.uint8)
