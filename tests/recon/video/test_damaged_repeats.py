"""A damaged video gives the same frames in every run, however many threads decode it."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
from made_videos import Made, pan, write_video

from recon.video.decode import VideoSource
from recon.video.sampling import sample_tour


def damage(path: Path, seed: int) -> Path:
    """Thirty places of four bytes, behind the first and before the last fifth of the file."""
    rng = np.random.default_rng(seed)
    data = bytearray(path.read_bytes())
    for place in rng.integers(len(data) // 5, len(data) * 4 // 5, 30).tolist():
        data[place : place + 4] = rng.integers(0, 255, 4, dtype=np.uint8).tobytes()
    path.write_bytes(data)
    return path


def sample(video: Path, folder: Path) -> tuple[str, tuple[str, ...]]:
    """A digest of the frames, and what was said."""
    tour = sample_tour(video, folder)
    digest = hashlib.sha256()
    for frame in tour.frames:
        digest.update(f"{frame.time_s:.6f}".encode() + (folder / frame.image).read_bytes())
    return digest.hexdigest(), tuple(finding.message for finding in tour.findings)


@pytest.mark.parametrize("seed", range(3))
def test_five_runs_of_a_damaged_file_give_the_same_bytes(tmp_path, seed):
    made = Made(options={"preset": "medium", "g": "60", "bf": "3", "crf": "20"})
    video = damage(write_video(tmp_path / "tour.mp4", pan(seed, 180, 3, 640, 360), made), seed)
    runs = [sample(video, tmp_path / str(number)) for number in range(5)]
    assert any("broken frames" in message for message in runs[0][1])
    assert len(set(runs)) == 1


def test_a_sound_file_is_opened_once(tmp_path, monkeypatch):
    begun: list[bool] = []
    begin = VideoSource._begin

    def count(source: VideoSource, threaded: bool) -> None:
        begun.append(threaded)
        begin(source, threaded)

    monkeypatch.setattr(VideoSource, "_begin", count)
    video = write_video(tmp_path / "tour.mp4", pan(1, 60, 3), Made())
    sample_tour(video, tmp_path / "sound")
    assert begun == [True]
    damage(video, 0)
    sample_tour(video, tmp_path / "damaged")
    assert begun == [True, True, False]
