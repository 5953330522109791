"""ALIKED and LightGlue: what goes in and comes out, with random weights, and with their own where these are at hand."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from recon.errors import ReconError
from recon.matching import aliked
from recon.matching.aliked import Aliked, pack_offset, unpack_offset
from recon.matching.interfaces import CompactKeypoints

torch = pytest.importorskip("torch")
feature = pytest.importorskip("kornia.feature")

FEW = 100


@pytest.fixture(autouse=True)
def few_keypoints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aliked, "_MAX_KEYPOINTS", FEW)


@pytest.fixture(scope="module")
def random_networks(tmp_path_factory: pytest.TempPathFactory) -> Aliked:
    """Of the right shapes, trained on nothing."""
    folder = tmp_path_factory.mktemp("weights")
    torch.manual_seed(0)
    torch.save(feature.ALIKED("aliked-n16").state_dict(), folder / "keypoints.pth")
    torch.save(feature.LightGlue(features=None, input_dim=128).state_dict(), folder / "matcher.pth")
    return Aliked(folder / "keypoints.pth", folder / "matcher.pth")


def picture(shift: int = 0) -> np.ndarray:
    """Soft blots of all sizes, (240, 320, 3), moved to the left by some pixels."""
    rng = np.random.default_rng(5)
    noise = sum(cv2.resize(rng.normal(size=(240 // k, 400 // k)), (400, 240)) * k**0.5 for k in (4, 8, 16, 40))
    scaled = cv2.normalize(np.asarray(noise), np.empty(0), 0, 255, cv2.NORM_MINMAX).astype(np.uint8)
    return np.repeat(scaled[:, shift : shift + 320, None], 3, axis=2)


def unit_vectors(count: int) -> np.ndarray:
    vectors = np.random.default_rng(1).normal(size=(count, 128)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_descriptors_survive_their_bytes():
    vectors = unit_vectors(500)
    assert np.abs(unpack_offset(pack_offset(vectors)) - vectors).max() <= 0.5 / 256 + 1e-6
    assert pack_offset(vectors).shape == (500, 128)


def test_a_descriptor_keeps_its_sign_and_its_direction():
    space = Aliked(Path("a"), Path("b")).space(np.zeros((0, 128), np.uint8))
    vectors = unit_vectors(50)
    keypoints = aliked.Keypoints(np.zeros((50, 2), np.float32), pack_offset(vectors))
    compact = space.compact(keypoints)
    assert compact.vectors == pytest.approx(vectors, abs=0.004)
    assert np.linalg.norm(compact.vectors, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_keypoints_are_bounded_in_number_and_place(random_networks: Aliked):
    found = random_networks.detect(picture(), None)
    assert len(found.xy) == len(found.descriptors) == FEW
    assert (found.xy > 0).all()
    assert (found.xy < (320, 240)).all()


def test_keypoints_count_from_the_corner_of_the_first_pixel_the_surest_first(random_networks: Aliked, monkeypatch):
    """The network counts from its centre."""

    def network(batch):
        assert batch.shape == (1, 3, 240, 320)
        assert 0.0 <= float(batch.min()) < float(batch.max()) <= 1.0
        found = feature.aliked.ALIKEDFeatures(
            torch.tensor([[0.0, 0.0], [10.25, 20.0]]), torch.eye(2, 128), torch.tensor([0.3, 0.9])
        )
        return [found]

    monkeypatch.setattr(aliked, "_load_detector", lambda weights: (torch, network, "cpu"))
    found = random_networks.detect(picture(), None)

    assert found.xy.tolist() == [[10.75, 20.5], [0.5, 0.5]]
    assert unpack_offset(found.descriptors).argmax(axis=1).tolist() == [1, 0]


def test_no_keypoint_lies_under_the_mask(random_networks: Aliked):
    mask = np.full((120, 160), 255, np.uint8)  # of frames half as large as the picture
    mask[:, 80:] = 0
    everywhere, masked = random_networks.detect(picture(), None), random_networks.detect(picture(), mask)
    assert (everywhere.xy[:, 0] > 165).sum() > 10
    assert len(masked.xy) == FEW
    assert masked.xy[:, 0].max() < 162


def test_a_picture_smaller_than_the_deepest_cell_has_no_keypoints(subtests, random_networks: Aliked):
    for lines, some in [(32, False), (33, True)]:
        with subtests.test(lines=lines, some=some):
            found = random_networks.detect(picture()[:lines], None)
            assert bool(len(found.xy)) is some
            assert found.descriptors.shape == (len(found.xy), 128)


def test_a_frame_without_keypoints_matches_nothing(random_networks: Aliked):
    none = CompactKeypoints(np.zeros((0, 2), np.float32), np.zeros((0, 128), np.float32))
    some = random_networks.space(np.zeros((0, 128), np.uint8)).compact(random_networks.detect(picture(), None))
    assert random_networks.match(none, some).matches.shape == (0, 2)
    assert random_networks.match(some, none).matches.shape == (0, 2)


@pytest.mark.filterwarnings("error")
def test_the_matcher_is_given_both_frames_in_their_order_with_one_size(random_networks: Aliked, monkeypatch):
    """And what it says goes through verification as rows of the first and of the second."""
    asked = {}

    def network(given):
        asked.update(given)
        return {"matches": [torch.tensor([[0, 2], [1, 0]])]}

    monkeypatch.setattr(aliked, "_load_matcher", lambda weights: (torch, network, "cpu"))
    first = CompactKeypoints(np.array([[1, 2], [300, 100]], np.float32), unit_vectors(2))
    first.xy.setflags(write=False)  # as they are read from a file; torch warns of such arrays
    second = CompactKeypoints(np.array([[5, 6], [7, 8], [9, 220.5]], np.float32), unit_vectors(3))

    match = random_networks.match(first, second)

    assert match.matches.tolist() == [[0, 2], [1, 0]]
    assert asked["image0"]["keypoints"][0].tolist() == first.xy.tolist()
    assert asked["image1"]["descriptors"].shape == (1, 3, 128)
    assert asked["image0"]["image_size"].tolist() == asked["image1"]["image_size"].tolist() == [[300, 221]]
    assert len(match.inliers) == 0  # two are too few


def test_a_file_that_is_no_network_is_one_line(random_networks: Aliked, tmp_path: Path):
    path = tmp_path / "aliked.pth"
    path.write_bytes(b"no network")
    with pytest.raises(ReconError, match="no weights of this network") as caught:
        Aliked(path, path).detect(picture(), None)
    assert "\n" not in str(caught.value)
    with pytest.raises(ReconError, match="no weights of this network"):  # a network, but another
        Aliked(random_networks.matcher, path).detect(picture(), None)


def test_a_file_that_would_run_code_runs_none(tmp_path: Path):
    class Trap:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "ran",))

    torch.save({"weight": Trap()}, tmp_path / "trap.pth")
    with pytest.raises(ReconError, match="no weights of this network"):
        Aliked(tmp_path / "trap.pth", tmp_path / "trap.pth").detect(picture(), None)
    assert not (tmp_path / "ran").exists()


def test_a_shifted_picture_has_shifted_keypoints(aliked_folder: Path):
    features = Aliked(aliked_folder / "aliked-n16.pth", aliked_folder / "aliked_lightglue.pth")
    found = [features.detect(picture(shift), None) for shift in (0, 24)]
    space = features.space(found[0].descriptors)
    match = features.match(*(space.compact(one) for one in found))
    assert len(match.inliers) > 50
    moved = found[0].xy[match.inliers[:, 0]] - found[1].xy[match.inliers[:, 1]]
    assert np.median(moved, axis=0) == pytest.approx([24, 0], abs=0.3)
