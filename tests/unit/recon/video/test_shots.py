import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon.errors import ReconError
from recon.records import Frame
from recon.video import shots
from recon.video.shots import (
    ClipOptions,
    CutFinder,
    make_clips,
    measure_shift,
    measure_shifted_correlation,
    shot_of,
)
from tests.support.recon.made_videos import pan, texture

THUMB = (160, 90)


def find_cuts(images_rgb, fps: float = 30.0) -> CutFinder:
    finder = CutFinder()
    for number, image_rgb in enumerate(images_rgb):
        thumb = cv2.resize(image_rgb, THUMB, interpolation=cv2.INTER_AREA)
        finder.offer(number / fps, thumb[..., ::-1].copy())
    return finder


def codes(finder: CutFinder) -> set[str]:
    return {finding.code for finding in finder.findings(finder.cuts_s())}


def test_cuts_are_found_where_they_are_and_only_there():
    finder = find_cuts([*pan(1, 60, 2), *pan(2, 45, 2), *pan(3, 40, 2)])
    assert finder.cuts_s() == pytest.approx((2.0, 3.5))
    assert codes(finder) == {"shots.cuts"}
    finder = find_cuts(pan(1, 90, 4))
    assert finder.cuts_s() == ()
    assert finder.findings(finder.cuts_s()) == []
    finder = find_cuts([*pan(1, 45, 3), *pan(2, 15, 3), *pan(3, 45, 3)])
    assert finder.cuts_s() == pytest.approx((1.5, 2.0))
    images = pan(1, 60, 2)
    finder = find_cuts([(image * (0.35 if k < 30 else 1.0)).astype(np.uint8) for k, image in enumerate(images)])
    assert finder.cuts_s() == ()
    assert finder.findings(finder.cuts_s()) == []


def test_a_sudden_or_fast_turn_is_neither_cut_nor_jump(monkeypatch):
    wide = texture(1, 2400, 240)
    left_px = np.cumsum([3] * 30 + [90] + [3] * 30 + [80, 80] + [3] * 30)
    images = [wide[:, x : x + 320] for x in left_px]
    assert find_cuts(images).cuts_s() == ()
    with monkeypatch.context() as without_the_second_look:
        without_the_second_look.setattr(shots, "_SAME_SCENE", 1.0)
        without_the_second_look.setattr(shots, "_SAME_ACROSS_BREAK", 1.0)
        without_the_second_look.setattr(shots, "_MIN_SHOT_S", 0.0)
        assert find_cuts(images).cuts_s() != ()
    left_px = np.cumsum([2] * 30 + [60] * 12 + [2] * 30)
    assert "shots.jump" not in codes(find_cuts([wide[:, x : x + 320] for x in left_px]))


def test_a_jump_cut_within_one_place_is_told():
    wide = texture(1, 1400, 240)
    left_px = np.cumsum([3] * 45 + [90] + [3] * 45)
    finder = find_cuts([wide[:, x : x + 320] for x in left_px])
    (finding,) = finder.findings(finder.cuts_s())
    assert (finding.severity, finding.code) == ("warning", "shots.jump")
    assert "leaps 1 time within one place, at 1.50 s" in finding.message


def test_a_place_is_known_again_shifted_and_darker(subtests):
    for shift_px in [0, 8, 30]:
        with subtests.test(shift_px=shift_px):
            wide = texture(4, 300, 90)[..., 1]
            found = measure_shift(wide[:, 60:220], wide[:, 60 + shift_px : 220 + shift_px])
            assert found.right == pytest.approx(-shift_px / 160)
            assert found.down == 0
            assert found.correlation > 0.99
    for shift_px in [0, 20, 45]:
        with subtests.test(shift_px=shift_px):
            wide = texture(4, 300, 90)[..., 1]
            before, after = wide[:, :160], wide[:, shift_px : shift_px + 160]
            assert measure_shifted_correlation(before, (after * 0.5 + 20).astype(np.uint8)) > 0.9
            assert measure_shifted_correlation(before, texture(5, 160, 90)[..., 1]) < 0.45


def test_a_flash_and_a_title_do_not_split_the_walk():
    images = pan(1, 90, 3)
    images[40:43] = [np.full_like(images[0], 255)] * 3
    images[70:80] = [texture(9)] * 10
    finder = find_cuts(images)
    assert finder.cuts_s() == ()
    assert "shots.flash" in codes(finder)


def test_the_picture_at_a_cut_belongs_to_the_new_shot_and_no_clip_crosses_it():
    assert [shot_of(time_s, (2.0, 3.5)) for time_s in (0.0, 1.99, 2.0, 3.49, 3.5, 9.0)] == [0, 0, 1, 1, 2, 2]
    frames = frames_at(np.arange(0, 130, 0.5), cuts_s=(20.0, 20.4, 75.0))
    clips = make_clips(frames, ClipOptions(length_s=30, overlap_s=5))
    shot = {frame.index: frame.shot for frame in frames}
    assert all({shot[index] for index in clip.frames} == {clip.shot} for clip in clips)


def frames_at(times_s, cuts_s=()) -> list[Frame]:
    return [
        Frame(k, float(t), f"{k:06d}.jpg", 64, 48, 1.0, shot_of(float(t), cuts_s))
        for k, t in enumerate(times_s, start=1)
    ]


def test_clips_of_a_long_tour_and_of_none(subtests):
    frames = frames_at(np.arange(0, 285, 1 / 3))
    clips = make_clips(frames)
    time_s = {frame.index: frame.time_s for frame in frames}
    spans = [(time_s[clip.frames[0]], time_s[clip.frames[-1]]) for clip in clips]
    assert [clip.name for clip in clips] == ["000", "001", "002"]
    assert spans[0] == pytest.approx((0, 100), abs=0.4)
    assert spans[1] == pytest.approx((90, 190), abs=0.4)
    assert spans[2] == pytest.approx((180, 285), abs=0.4)  # 5 s more than a clip: less than the overlap
    shared = set(clips[0].frames) & set(clips[1].frames)
    assert len(shared) == 30
    assert make_clips([]) == []
    frames = frames_at([*np.arange(0, 95, 0.5), *np.arange(1_000_000, 1_000_095, 0.5)])
    clips = make_clips(frames)
    assert len(clips[0].frames) == 190
    assert len(clips) <= 3
    for length_s, count in [(50, 1), (109, 1), (112, 2), (199, 2), (203, 3), (300, 4)]:
        with subtests.test(length_s=length_s, count=count):
            assert len(make_clips(frames_at(np.arange(0, length_s, 1 / 3)))) == count


@given(
    st.lists(st.floats(0.05, 8.0), min_size=0, max_size=80),
    st.lists(st.floats(0.0, 200.0), max_size=5).map(sorted),
    st.floats(1.0, 60.0),
    st.floats(0.0, 0.9),
)
def test_every_frame_is_in_a_clip_and_clips_are_in_order(steps, cuts_s, length_s, overlap_share):
    frames = frames_at(np.cumsum([0.0, *steps]), cuts_s)
    options = ClipOptions(length_s=length_s, overlap_s=overlap_share * length_s)
    clips = make_clips(frames, options)
    time_s = {frame.index: frame.time_s for frame in frames}
    assert {index for clip in clips for index in clip.frames} == {frame.index for frame in frames}
    assert [clip.name for clip in clips] == [f"{k:03d}" for k in range(len(clips))]
    firsts = [clip.frames[0] for clip in clips]
    assert firsts == sorted(firsts)
    for clip in clips:
        assert list(clip.frames) == list(range(clip.frames[0], clip.frames[-1] + 1))
        assert time_s[clip.frames[-1]] - time_s[clip.frames[0]] <= options.length_s + options.overlap_s + 1e-6


def test_options_check_themselves(subtests):
    for wrong in [(100, 100), (10, 20), (100, -1), (10, 9.9)]:
        with subtests.test(wrong=wrong), pytest.raises(ReconError, match=r"--clips\..*Try"):
            ClipOptions(length_s=wrong[0], overlap_s=wrong[1])
