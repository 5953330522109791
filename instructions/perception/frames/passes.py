"""One model over many frames: batches in flight, halved when memory runs out, a failing frame told and left out.

Each task takes a batch, decodes it and has the model look at it. Given out to threads, the next batches are decoded and
prepared while the model, which takes one batch at a time (see `models.runtime`), works; results are written as they
come, in the order of the frames.
"""

from __future__ import annotations

import sys
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


def look_at_missing(
    name: str,
    look: Look[T],
    cache: FrameCache[T],
    image_of: Callable[[int], Path],
    frames: Sequence[int],
    batch: int,
    progress: Callable[[float], None] | None = None,
    fan_out: FanOut = map_here,
) -> list[Finding]:
    """Have a model look at the frames that its cache does not have yet; results go there.

    Args:
        name: What findings call the pass.
        look: The model.
        cache: Gets the results.
        image_of: A frame's picture.
        frames: Those that are wanted.
        batch: Frames per batch; fewer once memory runs out.
        progress: Told the share done, 0 to 1.
        fan_out: Gives out the batches. Tasks share the model, so it may use threads, not processes.

    Returns:
        A finding for each frame that failed, and one if batches had to shrink.

    Raises:
        InstructionError: If every frame that was looked at failed: then the model is at fault, not a frame.
    """
    todo, size = cache.missing(frames), batch
    failed: dict[int, str] = {}
    done = 0

    def list_batches() -> Iterator[list[int]]:
        at = 0
        while at < len(todo):
            taken = todo[at : at + size]  # `size` may have shrunk since the last one
            at += len(taken)
            yield taken

    for looked in fan_out(_LookTask(look, image_of), list_batches()):
        for frame, result in looked.results.items():
            cache.write(frame, result)
        failed |= looked.failed
        size = min(size, looked.fits)
        done += len(looked.results) + len(looked.failed)
        if progress is not None:
            progress(done / len(todo))
    if todo and len(failed) == len(todo):
        first = min(failed)
        raise InstructionError(f"{name}: failed on all {len(todo)} frames; frame {first}: {failed[first]}")
    findings = [
        Finding("warning", "vision.frame_failed", f"frame {frame}", f"{name} failed: {reason}; left out")
        for frame, reason in sorted(failed.items())
    ]
    if size < batch:
        message = f"memory ran out with {batch} frames per batch; went on with {size}"
        findings.append(Finding("info", "vision.batch_halved", name, message))
    return findings


@dataclass
class _Looked(Generic[T]):
    """What became of one batch."""

    results: dict[int, T] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    fits: int = sys.maxsize
    """Frames per batch that memory holds, as far as this one tells."""

    def add(self, other: _Looked[T]) -> None:
        self.results |= other.results
        self.failed |= other.failed
        self.fits = min(self.fits, other.fits)


@dataclass(frozen=True)
class _LookTask(Generic[T]):
    """Decodes a batch and has the model look at it."""

    look: Look[T]
    image_of: Callable[[int], Path]

    def __call__(self, batch: list[int]) -> _Looked[T]:
        looked: _Looked[T] = _Looked()
        images: dict[int, RgbImage] = {}
        for frame in batch:
            image = read_rgb(self.image_of(frame))
            if image is None:
                looked.failed[frame] = f"its picture {self.image_of(frame).name} is missing or cannot be decoded"
            else:
                images[frame] = image
        if images:
            looked.add(self._look_at_images(images))
        return looked

    def _look_at_images(self, images: dict[int, RgbImage]) -> _Looked[T]:
        """Halve the batch if memory runs out; else look at its frames one by one to find the one at fault."""
        frames = list(images)
        try:
            return _Looked(dict(zip(frames, self.look(frames, list(images.values())), strict=True)))
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
