"""One model over many frames: batches in flight, halved when memory runs out, a failing frame told and left out.

Each task takes a batch, decodes it and has the model look at it. Given out to threads, the next batches are decoded and
prepared while the model, which takes one batch at a time (see `models.runtime`), works; results are written as they
come, in the order of the frames.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from instructions.errors import InstructionError
from instructions.perception.frames.cache import FrameCache
from instructions.perception.interfaces import RgbImage
from instructions.perception.models.runtime import free_cached_memory, is_out_of_memory
from instructions.perception.read_rgb import read_rgb
from recon.findings import Finding
from recon.tasks import FanOut, map_here

T = TypeVar("T")
Look = Callable[[Sequence[int], Sequence[RgbImage]], Sequence[T]]
"""Frame indices and their images in, one result per frame out."""


@dataclass
class _Looked(Generic[T]):
    """What became of one batch."""

    results: dict[int, T] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    fits: int | None = None
    """Frames per batch that memory holds, if it did not hold this one."""

    def add(self, other: _Looked[T]) -> None:
        self.results |= other.results
        self.failed |= other.failed
        if other.fits is not None:
            self.fits = other.fits if self.fits is None else min(self.fits, other.fits)


class FramePass(Generic[T]):
    """A pass of one model over the frames that its cache does not have yet."""

    def __init__(
        self,
        name: str,
        look: Look[T],
        cache: FrameCache[T],
        image_of: Callable[[int], Path],
        batch: int,
        progress: Callable[[float], None] | None = None,
        fan_out: FanOut = map_here,
    ) -> None:
        """Set up the pass.

        Args:
            name: What findings call it.
            look: The model.
            cache: Gets the results.
            image_of: A frame's picture.
            batch: Frames per batch.
            progress: Told the share done, 0 to 1.
            fan_out: Gives out the batches. Tasks share the model, so it may use threads, not processes.
        """
        self._name = name
        self._look = look
        self._cache = cache
        self._image_of = image_of
        self._progress = progress
        self._fan_out = fan_out
        self.batch = batch
        """Frames per batch now; smaller than asked for once memory ran out."""

    def run(self, frames: Sequence[int]) -> list[Finding]:
        """Look at the frames; results go to the cache.

        Returns:
            A finding for each frame that failed, and one if batches had to shrink.

        Raises:
            InstructionError: If every frame that was looked at failed: then the model is at fault, not a frame.
        """
        todo = self._cache.missing(frames)
        asked = self.batch
        failed: dict[int, str] = {}
        done = 0
        for looked in self._fan_out(self._look_at, self._batches(todo)):
            for frame, result in looked.results.items():
                self._cache.write(frame, result)
            failed |= looked.failed
            if looked.fits is not None:
                self.batch = min(self.batch, looked.fits)
            done += len(looked.results) + len(looked.failed)
            if self._progress is not None:
                self._progress(done / len(todo))
        if todo and len(failed) == len(todo):
            first = min(failed)
            raise InstructionError(f"{self._name}: failed on all {len(todo)} frames; frame {first}: {failed[first]}")
        findings = [
            Finding("warning", "vision.frame_failed", f"frame {frame}", f"{self._name} failed: {reason}; left out")
            for frame, reason in sorted(failed.items())
        ]
        if self.batch < asked:
            message = f"memory ran out with {asked} frames per batch; went on with {self.batch}"
            findings.append(Finding("info", "vision.batch_halved", self._name, message))
        return findings

    def _batches(self, frames: list[int]) -> Iterator[list[int]]:
        at = 0
        while at < len(frames):
            batch = frames[at : at + self.batch]  # which may have shrunk since the last one
            at += len(batch)
            yield batch

    def _look_at(self, batch: list[int]) -> _Looked[T]:
        looked: _Looked[T] = _Looked()
        images: dict[int, RgbImage] = {}
        for frame in batch:
            image = read_rgb(self._image_of(frame))
            if image is None:
                looked.failed[frame] = f"its picture {self._image_of(frame).name} is missing or cannot be decoded"
            else:
                images[frame] = image
        if images:
            looked.add(self._look_at_images(images))
        return looked

    def _look_at_images(self, images: dict[int, RgbImage]) -> _Looked[T]:
        """Halve the batch if memory runs out; else look at its frames one by one to find the one at fault."""
        frames = list(images)
        try:
            return _Looked(dict(zip(frames, self._look(frames, list(images.values())), strict=True)))
        except Exception as error:  # whatever a model raises concerns these frames only, until all of them fail
            if len(frames) == 1:
                reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
                return _Looked(failed={frames[0]: reason})
            size = 1
            looked: _Looked[T] = _Looked()
            if is_out_of_memory(error):
                free_cached_memory()
                size = max(1, len(frames) // 2)
                looked.fits = size
        for at in range(0, len(frames), size):
            looked.add(self._look_at_images({frame: images[frame] for frame in frames[at : at + size]}))
        return looked
