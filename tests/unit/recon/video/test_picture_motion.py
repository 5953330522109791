import numpy as np
import pytest

from recon.video.picture_motion import PictureMotion
from tests.support.recon.made_videos import pan, texture

WIDTH, HEIGHT = 160, 90


def speeds(images, fps):
    motion = PictureMotion()
    return [motion.offer(7.0 + k / fps, image) for k, image in enumerate(images)]


def test_a_pan_is_measured_in_longer_sides_per_second(subtests):
    for fps, per_s in [(10, 0.2), (30, 0.6), (60, 0.9)]:
        with subtests.test(fps=fps, per_s=per_s):
            step_px = round(per_s * WIDTH / fps)
            found = speeds(pan(1, fps, step_px, WIDTH, HEIGHT), fps)
            assert found[0] == 0.0
            assert found[-1] == pytest.approx(step_px * fps / WIDTH, rel=0.05)
    upright = [np.rot90(image) for image in pan(1, 12, 4, WIDTH, HEIGHT)]
    assert speeds(upright, 12)[-1] == pytest.approx(4 * 12 / WIDTH, rel=0.05)
    images = [*pan(1, 6, 6, WIDTH, HEIGHT), texture(5, WIDTH, HEIGHT), texture(6, WIDTH, HEIGHT)]
    assert speeds(images, 12)[-1] == pytest.approx(6 * 12 / WIDTH, rel=0.05)


def test_a_plain_wall_counts_up_to_twice():
    """Matches are few there, so neighbours have to lie closer."""
    wall = np.full((HEIGHT, 4 * WIDTH, 3), 120, np.uint8)
    for x in range(20, 4 * WIDTH, 80):
        for y in (20, 45, 70):
            wall[y : y + 6, x : x + 6] = 30
    images = [wall[:, 4 * k : 4 * k + WIDTH] for k in range(12)]
    assert speeds(images, 12)[-1] == pytest.approx(2 * 4 * 12 / WIDTH, rel=0.2)


def test_only_what_moves_the_whole_picture_has_a_speed():
    room, person = texture(1, WIDTH, HEIGHT), texture(2, 40, 80)
    images = []
    for k in range(12):
        image = room.copy()
        image[5:85, 8 * k : 8 * k + 40] = person
        images.append(image)
    assert max(speeds(images, 12)) < 0.02
    blank = [np.full((HEIGHT, WIDTH, 3), 90, np.uint8)] * 3
    cuts = [texture(seed, WIDTH, HEIGHT) for seed in range(8)]
    assert speeds(blank, 12) == [0.0] * 3
    assert max(speeds(cuts, 12)) == 0.0
    wide = texture(1, WIDTH + 8, HEIGHT)
    shaken = [wide[:, s : s + WIDTH] for s in (np.arange(60) % 2 * 2 + 2)]  # 2 px to and fro, 30 times a second
    assert max(speeds(shaken, 30)) < 0.16
