import cv2
import numpy as np
import pytest

from recon.errors import ReconError
from recon.matching.xfeat import XFeat


def picture(shift_px=0):
    """Blobs of many sizes, 360 lines; shifted to the left."""
    rng = np.random.default_rng(5)
    wall = np.full((360, 800, 3), 128.0)
    for scale in (6, 14, 40):
        noise = rng.normal(0, 1, (360 // scale + 2, 800 // scale + 2, 3))
        wall += 28 * cv2.resize(noise, (800, 360), interpolation=cv2.INTER_CUBIC)
    return np.clip(wall[:, shift_px : shift_px + 640], 0, 255).astype(np.uint8)


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
