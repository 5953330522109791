import cv2
import numpy as np
import pytest

from recon.errors import ReconError
from recon.matching.interfaces import Keypoints
from recon.matching.xfeat import SIDE, XFeat, heat_map, match_alike, pack_signed, refine_peaks, unpack_signed


def unit_vectors(count, seed=0):
    vectors = np.random.default_rng(seed).normal(size=(count, 64)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def picture(shift_px=0):
    """Blobs of many sizes, 360 lines; shifted to the left."""
    rng = np.random.default_rng(5)
    wall = np.full((360, 800, 3), 128.0)
    for scale in (6, 14, 40):
        noise = rng.normal(0, 1, (360 // scale + 2, 800 // scale + 2, 3))
        wall += 28 * cv2.resize(noise, (800, 360), interpolation=cv2.INTER_CUBIC)
    return np.clip(wall[:, shift_px : shift_px + 640], 0, 255).astype(np.uint8)


def test_a_pixel_of_a_cell_becomes_that_pixel_of_the_picture():
    logits = np.zeros((65, 80, 80), np.float32)
    logits[3 * 8 + 5, 10, 20] = 20.0

    heat = heat_map(logits)

    assert heat.shape == (SIDE, SIDE)
    assert np.unravel_index(heat.argmax(), heat.shape) == (10 * 8 + 3, 20 * 8 + 5)
    assert heat.max() == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("offset", [(0.0, 0.0), (0.3, -0.2), (-0.4, 0.1)])
def test_a_peak_is_found_between_pixels(offset):
    y, x = np.mgrid[0:SIDE, 0:SIDE].astype(np.float64)
    heat = np.exp(-((x - 100 - offset[0]) ** 2 + (y - 50 - offset[1]) ** 2) / (2 * 0.7**2)).astype(np.float32)

    (found,) = refine_peaks(heat, np.array([[100, 50]]))

    assert found == pytest.approx([100 + offset[0], 50 + offset[1]], abs=0.12)


def test_vectors_survive_storage_and_keep_their_length():
    vectors = unit_vectors(200)
    stored = pack_signed(vectors)

    assert stored.shape == (200, 128)
    assert np.abs(unpack_signed(stored) / 512.0 - vectors).max() < 0.002
    assert np.linalg.norm(stored / 512.0, axis=1) == pytest.approx(np.ones(200), abs=0.01)


def test_axes_of_a_tour_change_no_angle_between_vectors(tmp_path):
    vectors = unit_vectors(300)
    stored = pack_signed(vectors)
    compact = XFeat(tmp_path / "none.onnx").space(stored).compact(Keypoints(np.zeros((300, 2), np.float32), stored))

    assert np.abs(compact.vectors @ compact.vectors.T - vectors @ vectors.T).max() < 0.01


def test_only_mutual_and_alike_vectors_match():
    first = unit_vectors(3)
    second = np.stack([first[2], -first[1], first[0]])

    assert match_alike(first, second, 0.82).tolist() == [[0, 2], [2, 0]]
    assert match_alike(first[:0], second, 0.82).shape == (0, 2)


@pytest.mark.parametrize(("similarity", "matches"), [(0.81, 0), (0.83, 1)])
def test_the_bar_of_likeness(similarity, matches):
    one = np.zeros((1, 64), np.float32)
    one[0, 0] = 1.0
    other = np.zeros((1, 64), np.float32)
    other[0, :2] = similarity, np.sqrt(1 - similarity**2)

    assert len(match_alike(one, other, 0.82)) == matches


def test_a_file_that_is_no_network_is_one_line(tmp_path):
    path = tmp_path / "xfeat.onnx"
    path.write_bytes(b"no network")
    pytest.importorskip("onnxruntime")
    with pytest.raises(ReconError, match="no network that onnxruntime can load") as caught:
        XFeat(path).detect(picture(), None)
    assert "\n" not in str(caught.value)


def test_a_shifted_picture_has_shifted_keypoints(light_models):
    features = XFeat(light_models / "features-xfeat" / "xfeat.onnx")
    found = [features.detect(picture(shift), None) for shift in (0, 24)]
    space = features.space(np.concatenate([one.descriptors for one in found]))
    compact = [space.compact(one) for one in found]

    match = features.match(compact[0], compact[1])

    assert len(match.inliers) > 300
    moved = found[0].xy[match.inliers[:, 0]] - found[1].xy[match.inliers[:, 1]]
    assert np.median(np.abs(moved - (24, 0)), axis=0) == pytest.approx([0, 0], abs=0.5)


def test_no_keypoint_lies_under_the_mask(light_models):
    features = XFeat(light_models / "features-xfeat" / "xfeat.onnx")
    mask = np.full((360, 640), 255, np.uint8)
    mask[:, 320:] = 0

    assert len(features.detect(picture(), None).xy[features.detect(picture(), None).xy[:, 0] > 330]) > 100
    assert features.detect(picture(), mask).xy[:, 0].max() < 322
