import numpy as np
import pytest

from recon.geometry import Camera
from recon.matching.calibrate import set_focal, vote_focal
from recon.matching.interfaces import PairMatch
from recon.matching.sift import verify
from tests.support.recon.made_models import CAMERA, walk_scene

NOTHING = np.zeros((100, 2), np.uint32)
ABOUT_THE_MIDDLE = np.array([[0.0, -1.0, 240.0], [1.0, 0.0, -320.0], [-240.0, 320.0, 0.0]])
STRAIGHT_ON = PairMatch(NOTHING, NOTHING, ABOUT_THE_MIDDLE, None)
"""A camera that goes along its axis without a turn: any focal length fits its fundamental matrix."""


def pairs_of(scene, reach=3):
    frames = sorted(scene.reg_image_ids())
    xy = {i: np.array([p.xy for p in scene.image(i).points2D], np.float32) for i in frames}
    seen = {i: {p.point3D_id: k for k, p in enumerate(scene.image(i).points2D) if p.has_point3D()} for i in frames}
    for i in frames:
        for j in range(i + 1, i + reach + 1):
            if j in seen:
                common = sorted(seen[i].keys() & seen[j].keys())
                matches = np.array([(seen[i][p], seen[j][p]) for p in common], np.uint32)
                yield verify(xy[i], xy[j], matches, 2.0, 15)


def test_many_pairs_find_the_focal_length_from_a_wrong_guess():
    pairs = list(pairs_of(walk_scene(noise_px=0.3)))
    guess = Camera("SIMPLE_RADIAL", CAMERA.width, CAMERA.height, (900.0, CAMERA.cx, CAMERA.cy, 0.0))
    vote = vote_focal(guess, pairs)
    assert vote is not None
    assert vote.focal_px == pytest.approx(CAMERA.fx, rel=0.03)
    assert set_focal(guess, vote.focal_px).fx == vote.focal_px
    assert set_focal(guess, vote.focal_px).distortion == guess.distortion


def test_too_few_pairs_do_not_vote():
    assert vote_focal(CAMERA, [STRAIGHT_ON] * 9) is None
    assert vote_focal(CAMERA, [STRAIGHT_ON] * 10) is not None


def test_pairs_that_say_nothing_leave_what_is_expected(subtests):
    for expected_px in [400.0, 600.0]:
        with subtests.test(expected_px=expected_px):
            guess = Camera("SIMPLE_RADIAL", 640, 480, (expected_px, 320.0, 240.0, 0.0))
            vote = vote_focal(guess, [STRAIGHT_ON] * 40)
            assert vote is not None
            assert vote.focal_px == pytest.approx(expected_px, rel=0.01)
            assert vote.sigma == pytest.approx(0.3, rel=0.15)  # lenses are asked about down to 0.4


def test_what_is_expected_decides_where_pairs_leave_it_open():
    """Pairs with much noise support long lenses as much as the right one; those with little are believed."""
    wide = Camera("SIMPLE_RADIAL", CAMERA.width, CAMERA.height, (0.75 * CAMERA.width, CAMERA.cx, CAMERA.cy, 0.0))
    votes = [vote_focal(wide, list(pairs_of(walk_scene(noise_px=noise_px)))) for noise_px in (0.2, 3.0)]
    sure, unsure = (vote for vote in votes if vote is not None)
    assert sure.sigma < 0.05 < unsure.sigma
    for vote in (sure, unsure):
        assert abs(np.log(vote.focal_px / CAMERA.fx)) < 2 * vote.sigma + 0.02
