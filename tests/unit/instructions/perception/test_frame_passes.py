"""Looking at many frames: batches, out of memory, failing frames, the cache, and work that overlaps."""

from __future__ import annotations

import threading
from pathlib import Path

import cv2
import numpy as np
import pytest

from instructions.errors import InstructionError
from instructions.perception.frames.cache import ARRAYS, FrameCache, cache_key, records
from instructions.perception.frames.passes import look_at_missing
from instructions.perception.interfaces import FoundBox
from roomtour.workers.local import LocalWorkers


@pytest.fixture
def pictures(tmp_path):
    folder = tmp_path / "frames"
    folder.mkdir()
    for frame in range(1, 13):
        cv2.imwrite(str(folder / f"{frame:06d}.png"), np.full((4, 6, 3), frame, np.uint8))
    return folder


class Watcher:
    """Looks at pictures of one gray each, and remembers the batches it was given."""

    def __init__(self, fits: int = 100, fails: tuple[int, ...] = ()) -> None:
        self.fits = fits
        self.fails = fails
        self.batches: list[tuple[int, ...]] = []
        self._lock = threading.Lock()

    def __call__(self, frames, images):
        with self._lock:
            self.batches.append(tuple(frames))
        if len(frames) > self.fits:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")
        if set(frames) & set(self.fails):
            raise ValueError("cannot look at this")
        return [[FoundBox(f"gray {image[0, 0, 0]}", 1.0, (0, 0, 1, 1))] for image in images]


def in_threads(task, items):
    return LocalWorkers(1).map_in_threads(task, items, threads=2)


def look_at(frames, look, pictures: Path, cache, batch=4, progress=None):
    at = lambda frame: pictures / f"{frame:06d}.png"  # noqa: E731
    return look_at_missing("boxes by m", look, cache, at, frames, batch, progress, in_threads)


def cache_in(folder: Path) -> FrameCache[list[FoundBox]]:
    return FrameCache(folder / "boxes", records(list[FoundBox]))


FRAMES = list(range(1, 13))


def test_every_frame_gets_its_own_result(pictures, tmp_path):
    look, cache, told = Watcher(), cache_in(tmp_path), []
    assert look_at(FRAMES, look, pictures, cache, progress=told.append) == []
    assert sorted(len(batch) for batch in look.batches) == [4, 4, 4]
    for frame in FRAMES:
        assert cache.read(frame) == [FoundBox(f"gray {frame}", 1.0, (0, 0, 1, 1))]
    assert max(told) == 1.0


def test_out_of_memory_halves_the_batch_and_goes_on(subtests, pictures, tmp_path):
    for fits in (1, 2, 3):
        with subtests.test(fits=fits):
            cache = cache_in(tmp_path / str(fits))
            (finding,) = look_at(FRAMES, Watcher(fits=fits), pictures, cache, batch=8)
            assert cache.missing(FRAMES) == []
            assert finding.code == "vision.batch_halved"
            assert finding.message.endswith(f"went on with {max(size for size in (8, 4, 2, 1) if size <= fits)}")


def test_failing_frames_and_missing_or_broken_pictures_are_told_and_their_neighbours_are_kept(pictures, tmp_path):
    (pictures / "000002.png").unlink()
    (pictures / "000003.png").write_bytes(b"no picture")
    cache = cache_in(tmp_path)
    findings = look_at(FRAMES, Watcher(fails=(6,)), pictures, cache)
    assert cache.missing(FRAMES) == [2, 3, 6]
    assert sorted(finding.where for finding in findings) == ["frame 2", "frame 3", "frame 6"]
    assert any("cannot look at this" in finding.message for finding in findings)


def test_a_model_that_fails_on_every_frame_is_an_error(pictures, tmp_path):
    with pytest.raises(InstructionError, match=r"boxes by m: failed on all 12 frames; frame 1: ValueError: cannot"):
        look_at(FRAMES, Watcher(fails=tuple(FRAMES)), pictures, cache_in(tmp_path))


def test_a_result_is_complete_or_absent(tmp_path):
    cache = FrameCache(tmp_path, ARRAYS)
    cache.write(3, np.array([[1.5, np.nan]], dtype=np.float32))
    np.testing.assert_array_equal(cache.read(3), np.array([[1.5, np.nan]], dtype=np.float32))
    assert cache.read(4) is None
    assert [path.name for path in tmp_path.iterdir()] == ["000003.npz"]


def test_a_damaged_or_pickled_result_is_named(tmp_path):
    cache, arrays = cache_in(tmp_path), FrameCache(tmp_path, ARRAYS)
    cache.write(1, [])
    for content in (b"", b"{", b'[{"label": 1}]'):
        cache.path(1).write_bytes(content)
        with pytest.raises(InstructionError, match=r"000001\.json: cannot be read"):
            cache.read(1)
        assert cache.missing([1]) == [1]
        arrays.path(1).write_bytes(content)
        with pytest.raises(InstructionError, match=r"000001\.npz: cannot be read"):
            arrays.read(1)
    np.savez(arrays.path(1), value=np.array([{"a": 1}], dtype=object))
    with pytest.raises(InstructionError, match="cannot be read"):
        arrays.read(1)


def test_keys_change_with_whatever_made_the_result():
    key = cache_key("boxes", "model@1", 0.3)
    assert key == cache_key("boxes", "model@1", 0.3)
    assert len({key, cache_key("boxes", "model@2", 0.3), cache_key("boxes", "model@1", 0.31)}) == 3


def test_what_is_there_is_not_looked_at_again(pictures, tmp_path):
    cache = cache_in(tmp_path)
    look_at(FRAMES[:5], Watcher(), pictures, cache)
    look = Watcher()
    look_at(FRAMES, look, pictures, cache)
    assert sorted(frame for batch in look.batches for frame in batch) == FRAMES[5:]
    again = Watcher()
    look_at(FRAMES, again, pictures, cache)
    assert again.batches == []
