import numpy as np
import pytest
from made_models import CAMERA, walk_scene

from recon.geometry import Camera
from recon.matching.calibrate import set_focal, vote_focal
from recon.matching.matching import MatchOptions, verify


def pairs_of(scene, reach=3):
    frames = sorted(scene.reg_image_ids())
    xy = {i: np.array([p.xy for p in scene.image(i).points2D], np.float32) for i in frames}
    seen = {i: {p.point3D_id: k for k, p in enumerate(scene.image(i).points2D) if p.has_point3D()} for i in frames}
    for i in frames:
        for j in range(i + 1, i + reach + 1):
            if j in seen:
                common = sorted(seen[i].keys() & seen[j].keys())
                matches = np.array([(seen[i][p], seen[j][p]) for p in common], np.uint32)
                yield verify(xy[i], xy[j], matches, MatchOptions())


def test_many_pairs_find_the_focal_length_from_a_wrong_guess():
    pairs = list(pairs_of(walk_scene(noise_px=0.3)))
    guess = Camera("SIMPLE_RADIAL", CAMERA.width, CAMERA.height, (900.0, CAMERA.cx, CAMERA.cy, 0.0))

    vote = vote_focal(guess, pairs)

    assert vote is not None
    assert vote.focal_px == pytest.approx(CAMERA.fx, rel=0.03)
    assert set_focal(guess, vote.focal_px).fx == vote.focal_px
    assert set_focal(guess, vote.focal_px).distortion == guess.distortion


def test_too_few_pairs_do_not_vote():
    assert vote_focal(CAMERA, list(pairs_of(walk_scene(frames=5)))) is None
