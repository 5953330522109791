"""A damaged video gives the same frames in every run, however many threads decode it."""

import hashlib
from pathlib import Path

import numpy as np

from recon.video.decode import VideoSource


def damage(path: Path, seed: int) -> Path:
    """Thirty places of four bytes, behind the first and before the last fifth of the file."""
    rng = np.random.default_rng(seed)
    data = bytearray(path.read_bytes())
    for place in rng.integers(len(data) // 5, len(data) * 4 // 5, 30).tolist():
        data[place : place + 4] = rng.integers(0, 255, 4, dtype=np.uint8).tobytes()
    path.write_bytes(data)
    return path


def read(video: Path) -> tuple[str, tuple[str, ...]]:
    """A digest of all pictures and their times, and what was said."""
    digest = hashlib.sha256()
    with VideoSource(video, 180) as source:
        for picture in source.pictures():
            digest.update(f"{picture.time_s:.6f}".encode() + picture.image_rgb().tobytes())
        return digest.hexdigest(), tuple(finding.message for finding in source.findings())


def test_runs_of_a_damaged_file_give_the_same_bytes(short_walk, tmp_path):
    """As several threads decoded it to the end, five runs gave five different results."""
    (tmp_path / "tour.mp4").write_bytes(short_walk.read_bytes())
    video = damage(tmp_path / "tour.mp4", 1)
    runs = [read(video) for _ in range(3)]
    assert any("broken frames" in message for message in runs[0][1])
    assert len(set(runs)) == 1
