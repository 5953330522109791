from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon.errors import ReconError
from recon.video.sampling import RateLimit, SampleOptions, TickPicker, sample_tour, take_larger_pictures
from tests.support.paths import DATA
from tests.support.recon.made_videos import Made, flat, pan, texture, write_video


@dataclass(frozen=True)
class FakePicture:
    time_s: float
    value: float = 0.0
    name: str = ""

    def sharpness(self) -> float:
        return self.value

    def thumb_bgr(self):
        raise AssertionError("the picker needs no thumbnail")

    def image_rgb(self):
        raise AssertionError("the picker needs no image")


def pick(pictures: list[FakePicture], fps: float) -> list[FakePicture]:
    picker = TickPicker(fps)
    choices = [picker.offer(picture) for picture in pictures] + [picker.finish()]
    kept = [choice.picture for choice in choices if choice is not None]
    return [picture for picture in kept if isinstance(picture, FakePicture)]


gaps = st.lists(st.floats(0.001, 2.0), min_size=1, max_size=60)


@given(gaps, st.floats(0.5, 30.0), st.floats(-100.0, 100.0))
def test_at_most_one_per_tick_and_no_tick_with_frames_is_left_empty(steps, fps, start_s):
    times_s = start_s + np.cumsum([0.0, *steps])
    kept = pick([FakePicture(float(t), k % 7) for k, t in enumerate(times_s)], fps)
    ticks = [int((picture.time_s - start_s) * fps + 0.5) for picture in kept]
    assert ticks == sorted(set(ticks))
    assert set(ticks) == {int((t - start_s) * fps + 0.5) for t in times_s}


@given(st.lists(st.floats(1.01, 5.0), min_size=1, max_size=40), st.floats(1.0, 10.0))
def test_a_slow_source_keeps_every_frame_once(intervals, fps):
    times_s = np.cumsum([0.0, *intervals]) / fps
    kept = pick([FakePicture(float(t)) for t in times_s], fps)
    assert [picture.time_s for picture in kept] == times_s.tolist()


def test_the_sharpest_near_the_tick_is_kept():
    pictures = [FakePicture(k / 30, value=100.0 if k in (11, 24) else 1.0) for k in range(31)]
    kept = [round(30 * picture.time_s) for picture in pick(pictures, 3)]
    assert kept == [0, 11, 20, 30]  # 24 lies 0.4 intervals away from tick 20


def test_where_more_are_wanted_the_ticks_lie_closer_up_to_four_times():
    def times_s(wanted_fps):
        picker = TickPicker(3)
        choices = [picker.offer(FakePicture(k / 60), wanted_fps if k > 60 else 0.0) for k in range(121)]
        return [choice.picture.time_s for choice in [*choices, picker.finish()] if choice is not None]

    for wanted_fps, kept in ((0, 3), (2.9, 3), (6, 6), (12, 12), (40, 12)):
        found = times_s(wanted_fps)
        assert sum(time_s <= 1.0 for time_s in found) == 4
        assert sum(time_s > 1.0 for time_s in found) == kept


def test_every_frame_is_looked_at_up_to_the_limit(subtests):
    for fps, passed in [(24, 48), (30, 60), (60, 60), (120, 60)]:
        for start_s in [0.0, 7.5 + 1 / 60]:
            with subtests.test(fps=fps, passed=passed, start_s=start_s):
                limit = RateLimit(30)
                times_s = [round(start_s + k / fps, 3) for k in range(2 * fps)]  # as Matroska rounds them
                assert sum(limit.lets_through(time_s) for time_s in times_s) == pytest.approx(passed, abs=1)


def test_frames_are_numbered_written_and_timed(tmp_path):
    path = write_video(tmp_path / "v.mp4", pan(1, 75, 4, 480, 400), Made(fps=25))
    told: list[float] = []
    tour = sample_tour(path, tmp_path / "frames", progress=told.append)
    assert [frame.index for frame in tour.frames] == list(range(1, len(tour.frames) + 1))
    assert [frame.image for frame in tour.frames] == sorted(file.name for file in (tmp_path / "frames").iterdir())
    assert tour.frames[0].image == "000001.jpg"
    assert len(tour.frames) == 10
    assert np.abs(np.array([frame.time_s for frame in tour.frames]) - np.arange(10) / 3).max() <= 0.25 / 3 + 1e-3
    for frame in tour.frames:
        image_bgr = cv2.imread(str(tmp_path / "frames" / frame.image))
        assert image_bgr is not None
        assert image_bgr.shape == (frame.height, frame.width, 3) == (360, 432, 3)
        assert frame.shot == 0
        assert frame.sharpness > 0
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert tour.cuts_s == ()


def test_the_written_picture_is_the_one_shown_at_that_time(tmp_path):
    levels = [20 + 2 * k for k in range(90)]
    images = [np.vstack([texture(1, 128, 64), image]) for image in flat(levels, 128, 64)]
    tour = sample_tour(write_video(tmp_path / "v.mp4", images), tmp_path / "frames")
    for frame in tour.frames:
        image_bgr = cv2.imread(str(tmp_path / "frames" / frame.image))
        assert image_bgr is not None
        assert image_bgr[80:].mean() == pytest.approx(levels[round(frame.time_s * 30)], abs=1.9)


def test_a_fast_turn_gets_more_frames(tmp_path):
    wide = texture(1, 320 + 60 + 7 * 60, 240)
    begins = [*range(60), *range(60, 60 + 7 * 60, 7)]  # 0.09, then 0.66 pictures per second
    path = write_video(tmp_path / "v.mp4", [wide[:, x : x + 320] for x in begins])
    tour = sample_tour(path, tmp_path / "dense")
    regular = sample_tour(path, tmp_path / "regular", SampleOptions(max_shift=0))
    times_s = np.array([frame.time_s for frame in tour.frames])
    assert np.diff(times_s[times_s < 2.0]) == pytest.approx(1 / 3, abs=0.17)
    assert np.diff(times_s[times_s > 2.2]).max() < 1.5 * 0.15 / 0.66  # the sharpest near each tick
    extra = len(tour.frames) - len(regular.frames)
    assert extra >= 2
    (denser,) = [finding for finding in tour.findings if finding.code == "sample.denser"]
    assert denser.message == f"{extra} of {len(tour.frames)} frames are extra ones, kept where the camera turns fast"
    assert "sample.denser" not in {finding.code for finding in regular.findings}


def test_blurred_frames_are_avoided(tmp_path):
    images = [image if k % 3 else cv2.GaussianBlur(image, (0, 0), 5) for k, image in enumerate(pan(1, 90, 3))]
    tour = sample_tour(write_video(tmp_path / "v.mp4", images), tmp_path / "frames")
    assert all(round(30 * frame.time_s) % 3 for frame in tour.frames)


def test_a_late_start_moves_times_and_nothing_else(tmp_path):
    images = pan(1, 60, 3)
    early = sample_tour(write_video(tmp_path / "a.mkv", images), tmp_path / "a")
    start_s = 7.5 + 1 / 60  # between two slots of a 30 fps grid that would start at zero
    times_s = [start_s + k / 30 for k in range(60)]
    late = sample_tour(write_video(tmp_path / "b.mkv", images, Made(times_s=times_s)), tmp_path / "b")
    assert [f.time_s for f in late.frames] == pytest.approx([f.time_s + start_s for f in early.frames], abs=2e-3)
    assert [f.sharpness for f in late.frames] == [f.sharpness for f in early.frames]


def test_slow_and_fast_recordings_give_what_they_have(tmp_path):
    path = write_video(tmp_path / "v.mp4", pan(1, 240, 1), Made(fps=120))
    tour = sample_tour(path, tmp_path / "frames")
    assert len(tour.frames) == 7
    assert tour.source.frame_count == 240
    assert tour.source.fps == pytest.approx(120, rel=0.01)
    tour = sample_tour(write_video(tmp_path / "v.mp4", pan(1, 12, 10), Made(fps=2)), tmp_path / "frames")
    assert len(tour.frames) == 12
    assert "sample.slow_source" in {finding.code for finding in tour.findings}


def test_tours_nothing_can_come_out_of(subtests, tmp_path):
    for images, words in [
        (list(flat([100])), "too short: 1 frames"),
        (pan(1, 14, 3), "too short: 2 frames"),
        (list(flat([0] * 60)), "too dark: 100%"),
        (list(flat([200] * 60)), "blank: 100%"),
    ]:
        with subtests.test(words=words):
            path = write_video(tmp_path / "v.mp4", images)
            with pytest.raises(ReconError, match=words) as caught:
                sample_tour(path, tmp_path / "frames")
            assert str(path) in str(caught.value)
            assert "\n" not in str(caught.value)
    with pytest.raises(ReconError, match="no such file"):
        sample_tour(Path(tmp_path / "no.mp4"), tmp_path / "frames")


def test_until_s_reads_no_further_and_says_so(tmp_path):
    walk = DATA / "straight_walk.mp4"
    whole = sample_tour(walk, tmp_path / "whole")
    part = sample_tour(walk, tmp_path / "part", SampleOptions(until_s=3.0))
    assert part.frames[-1].time_s < 3.0
    assert part.source.duration_s == pytest.approx(3.0, abs=0.2)
    # The last tick has lost the later half of its frames, among which the sharpest may have been.
    assert part.frames[:-1] == whole.frames[: len(part.frames) - 1]
    assert [finding.code for finding in part.findings] == ["sample.shortened"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Ten pictures of 320 lines, each of another place."""
    path = tmp_path_factory.mktemp("pictures")
    rng = np.random.default_rng(0)
    wall = cv2.resize(rng.integers(0, 255, (60, 120, 3), dtype=np.uint8), (960, 480), interpolation=cv2.INTER_CUBIC)
    for number in range(10):
        cv2.imwrite(str(path / f"{number:03d}.png"), wall[:320, 30 * number : 30 * number + 480])
    return path


def test_frames_are_found_again_with_more_lines_in_the_same_file(folder, tmp_path):
    sampled = sample_tour(folder, tmp_path / "frames", SampleOptions(short_side=160), image_fps=3.0)
    wanted = sampled.frames[2:7]
    assert take_larger_pictures(folder, wanted, tmp_path / "larger", 320, 3.0)
    assert {path.name for path in (tmp_path / "larger").iterdir()} == {frame.image for frame in wanted}
    for frame in wanted:
        small, large = (np.asarray(cv2.imread(str(tmp_path / place / frame.image))) for place in ("frames", "larger"))
        assert large.shape[:2] == (320, 480)
        shrunk = cv2.resize(large, (small.shape[1], small.shape[0]), interpolation=cv2.INTER_AREA)
        assert np.abs(shrunk.astype(float) - small).mean() < 10.0  # those of neighbours differ by 60
    assert not take_larger_pictures(folder, sampled.frames, tmp_path / "other", 320, 2.0)
