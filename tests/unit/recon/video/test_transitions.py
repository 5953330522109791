import av
import cv2
import numpy as np
import pytest

from recon.video.sampling import sample_tour
from recon.video.shots import make_clips, make_short_shot_findings
from recon.video.transitions import TransitionFinder, TransitionOptions
from tests.support.paths import DATA
from tests.support.recon.made_videos import Made, pan, texture, write_video

FPS = 30


def find(images_rgb, options: TransitionOptions = TransitionOptions()):
    finder = TransitionFinder(options)
    for number, image_rgb in enumerate(images_rgb):
        thumb = cv2.resize(np.asarray(image_rgb, np.uint8), (160, 90), interpolation=cv2.INTER_AREA)
        finder.offer(number / FPS, np.ascontiguousarray(thumb[..., ::-1], dtype=np.uint8))
    return finder.transitions()


def dissolve(before: list, after: list, count: int) -> list[np.ndarray]:
    """The end of one shot mixed with the beginning of another."""
    shares = (np.arange(count) + 1) / (count + 1)
    mixed = [a * (1 - s) + b * s for a, b, s in zip(before[-count:], after[:count], shares, strict=True)]
    return [*before[:-count], *(np.round(image).astype(np.uint8) for image in mixed), *after[count:]]


def test_one_shot_a_cut_and_a_pan_are_no_dissolve(subtests):
    assert find(pan(1, 90, 2)) == ()
    assert find([*pan(1, 45, 1), *pan(2, 45, 1)]) == ()
    for step_px in [4, 8, 16]:
        with subtests.test(step_px=step_px):
            assert find(pan(3, 75, step_px)) == ()
    fine = np.asarray(texture(7, 2400, 240), np.float32) - 128
    wide = np.clip(0.3 * fine + np.linspace(40, 220, 2400)[None, :, None], 0, 255)
    speeds = [1] * 30 + [32] * 36 + [1] * 30  # 32 of 320 pixels from picture to picture, the shutter open for half
    places = np.cumsum(speeds)
    images = [
        np.mean([wide[:, x + k * s // 16 : x + k * s // 16 + 320] for k in range(8)], axis=0)
        for x, s in zip(places.tolist(), speeds, strict=True)
    ]
    assert find(images) == ()


def test_a_dissolve_is_found_where_it_is(subtests):
    for count, step_px in [(6, 1), (24, 1), (45, 0)]:
        with subtests.test(count=count, step_px=step_px):
            images = dissolve(pan(1, 75, step_px), pan(2, 75, step_px), count)
            (found,) = find(images)
            assert found.begin_s == pytest.approx((75 - count) / FPS, abs=0.5)
            assert found.end_s == pytest.approx(75 / FPS, abs=0.5)


def test_fades_through_black_and_of_the_dark_are_found(subtests):
    for count in [8, 15, 24]:
        with subtests.test(count=count):
            black = [np.zeros((240, 320, 3), np.uint8)] * (2 * count + 6)
            images = dissolve(dissolve(pan(1, 75, 1), black, count), pan(2, 75, 1), count)
            found = find(images)
            assert found
            assert found[0].begin_s == pytest.approx((75 - count) / FPS, abs=0.5)
            assert found[-1].end_s == pytest.approx((75 + 6 + count) / FPS, abs=0.5)
    dark = [image * 0.3 for image in pan(1, 75, 1)]
    assert find(dissolve(dark, [np.zeros((240, 320, 3))] * 45, 15)) != ()


def come_nearer(zoom: float) -> list[np.ndarray]:
    """A second of a camera that looks up and comes nearer to something textured and shaded, blurred while it moves."""
    rng = np.random.default_rng(0)
    right, down = np.linspace(-1, 1, 1200)[None, :, None], np.linspace(-1, 1, 900)[:, None, None]
    shade = 70 * np.sin(2.2 * right + 0.5) + 50 * np.sin(3 * down)
    wall = np.clip(np.asarray(texture(7, 1200, 900), np.float32) + shade, 0, 255).astype(np.float32)
    images = []
    for share in np.clip((np.arange(90) - 30) / 30, 0, 1):
        way = share * share * (3 - 2 * share)
        scale = 1 / (1.5 * (1 - way) + 1.5 / zoom * way)
        move = np.array([[scale, 0, 160 - (500 + 75 * way) * scale], [0, scale, 120 - (380 + 150 * way) * scale]])
        image = cv2.warpAffine(wall, move, (320, 240), flags=cv2.INTER_AREA)
        image = cv2.GaussianBlur(image, (0, 0), 0.3 + 16 * way * (1 - way))
        images.append(np.clip(image + rng.normal(0, 2, image.shape), 0, 255))
    return images


def test_a_blurred_approach_is_no_dissolve(subtests):
    for zoom in [1.4, 1.9]:
        with subtests.test(zoom=zoom):
            images = come_nearer(zoom)
            assert find(images) == ()


def turn_past(wide: np.ndarray, speeds: list[int], noise: float) -> list[np.ndarray]:
    """Pictures of 320 of the columns, further on by so many columns each, with a sensor's noise."""
    rng = np.random.default_rng(5)
    return [
        np.clip(wide[:, x : x + 320] + rng.normal(0, noise, (240, 320, 3)), 0, 255) for x in np.cumsum(speeds).tolist()
    ]


def test_a_turn_past_a_bare_shaded_wall_in_the_dark_is_no_dissolve():
    columns = np.arange(2400)
    shade = 60 + 22 * np.sin(columns / 190) + 8 * np.sin(columns / 77)
    wide = np.broadcast_to(shade[None, :, None], (240, 2400, 3))
    images = turn_past(wide, [1] * 20 + [12] * 70 + [1] * 20, 4.0)
    assert find(images) == ()


def test_light_that_changes_or_swings_is_no_dissolve(subtests):
    for count in [1, 8, 20]:
        with subtests.test(count=count):
            gains = np.clip((np.arange(90) - 40) / count, 0, 1) * -0.6 + 1
            assert find([image * gain for image, gain in zip(pan(1, 90, 1), gains, strict=True)]) == ()
    for step_px, steep in [(0, 5), (2, 2), (6, 5)]:
        with subtests.test(step_px=step_px, steep=steep):
            assert find(swing_light(pan(3, 160, step_px), steep)) == ()


def swing_light(images, steep: float) -> list[np.ndarray]:
    """Under an automatic exposure between half and one and a half of the light: the steeper, the sooner it is there."""
    gains = 1 + 0.5 * np.clip(steep * np.sin(2 * np.pi * np.arange(len(images)) / 150), -1, 1)
    return [np.clip(image * gain, 0, 255) for image, gain in zip(images, gains, strict=True)]


def test_a_turn_under_an_exposure_that_changes_is_no_dissolve():
    finder = TransitionFinder()
    with av.open(str(DATA / "straight_walk.mp4")) as container:
        for frame in container.decode(video=0):
            time_s = frame.time or 0.0
            gain = 1 + 0.5 * np.clip(5 * np.sin(2 * np.pi * time_s / 5), -1, 1)
            shown = np.clip(frame.to_ndarray(format="bgr24") * gain, 0, 255).astype(np.uint8)
            finder.offer(time_s, np.asarray(cv2.resize(shown, (160, 90), interpolation=cv2.INTER_AREA), np.uint8))
    assert finder.transitions() == ()


def test_a_dissolve_to_a_darker_or_brighter_shot_is_found(subtests):
    for before, after, step_px in [(1.0, 0.35, 0), (0.35, 1.0, 1)]:
        with subtests.test(before=before, after=after, step_px=step_px):
            one, other = (
                [image * gain for image in pan(seed, 75, step_px)] for seed, gain in ((1, before), (2, after))
            )
            (found,) = find(dissolve(one, other, 15))
            assert found.begin_s == pytest.approx(60 / FPS, abs=0.5)
            assert found.end_s == pytest.approx(75 / FPS, abs=0.5)


def test_where_everything_looks_mixed_for_long_nobody_edited(subtests):
    for last_s, found in [(3.4, [(0.0, 3.4)]), (3.6, [])]:
        with subtests.test(last_s=last_s, found=found):
            finder = TransitionFinder()
            finder._found = [(start_s, min(start_s + 1.2, last_s)) for start_s in np.arange(0.0, last_s - 0.5, 0.4)]
            finder._found.append((9.0, 9.6))
            assert [(one.begin_s, one.end_s) for one in finder.transitions()] == [*found, (9.0, 9.6)]


def test_a_tour_can_be_called_unedited():
    images = dissolve(pan(1, 60, 0), pan(2, 60, 0), 20)
    assert find(images, TransitionOptions(find=False)) == ()


def test_frames_inside_a_transition_are_in_no_clip(tmp_path):
    images = dissolve(pan(1, 90, 1), pan(2, 90, 1), 30)
    tour = sample_tour(write_video(tmp_path / "tour.mp4", images, Made(fps=FPS)), tmp_path / "frames")
    (one,) = tour.transitions
    inside = {frame.index for frame in tour.frames if one.begin_s <= frame.time_s < one.end_s}
    assert 2 <= len(inside) <= 4
    clips = make_clips(tour.frames, mixed_shots=tour.mixed_shots)
    assert len(clips) == 2
    assert {index for clip in clips for index in clip.frames} == {f.index for f in tour.frames} - inside
    assert "shots.transitions" in {finding.code for finding in tour.findings}
    assert "shots.cuts" not in {finding.code for finding in tour.findings}


def test_short_shots_are_named_with_their_total_length():
    (finding,) = make_short_shot_findings([(0.0, 3.0), (3.0, 3.5), (3.5, 4.25), (4.25, 9.0)])
    assert (finding.severity, finding.code) == ("warning", "shots.short")
    assert "2 of 4 shots" in finding.message
    assert "1.25 s in all" in finding.message
    assert "3.00-3.50, 3.50-4.25" in finding.message
    assert make_short_shot_findings([(0.0, 3.0), (3.0, 4.0)]) == []
