"""Masks of the floor are of any size, and points that lie on the edge of a picture are still in it."""

import numpy as np
import pycolmap
import pytest

from recon.audit import floor_height, parallax
from recon.floor_masks import FloorMask
from tests.support.recon.made_models import scene_from_poses, walk_poses

HALVES = {
    "upper": (slice(0, 18), slice(0, 64)),
    "lower": (slice(18, 36), slice(0, 64)),
    "left": (slice(0, 36), slice(0, 40)),
    "right": (slice(0, 36), slice(40, 64)),
}


def small_mask(half: str) -> FloorMask:
    """A tenth of the picture's 640 x 360."""
    mask = np.zeros((36, 64), bool)
    mask[HALVES[half]] = True
    return mask


@pytest.fixture(scope="module")
def scene() -> pycolmap.Reconstruction:
    return scene_from_poses(walk_poses(8), 300, 0.0, 0)


def test_a_small_mask_tells_the_same_as_a_large_one(subtests, scene):
    for number, half in enumerate(HALVES):
        with subtests.test(number=number):
            small = {frame: small_mask(half) for frame in scene.reg_image_ids()}
            large = {frame: np.kron(mask, np.ones((10, 10), bool)) for frame, mask in small.items()}
            told = floor_height._find_called(scene, small).ids
            assert told.tolist() == floor_height._find_called(scene, large).ids.tolist()
            assert 20 < len(told) < len(scene.points3D) - 20


def test_a_keypoint_on_the_far_edge_is_asked_of_the_last_pixel(scene):
    model = pycolmap.Reconstruction(scene)
    for frame in model.reg_image_ids():
        for keypoint in model.image(frame).get_observation_point2D_idxs():
            model.image(frame).point2D(keypoint).xy = [640.0, 360.0]
    corner = np.zeros((36, 64), bool)
    corner[-1, -1] = True
    told = floor_height._find_called(model, dict.fromkeys(model.reg_image_ids(), corner)).ids
    assert len(told) == len(model.points3D)


def test_half_of_the_frames_need_a_partner(subtests, monkeypatch, tmp_path):
    for with_partner, told in [(5, 0.3), (4, None)]:
        with subtests.test(with_partner=with_partner, told=told):
            monkeypatch.setattr(parallax, "_shares", lambda frames, path, n=with_partner: ([0.3] * n, n))
            assert parallax.parallax_share_of(range(10), tmp_path) == told
