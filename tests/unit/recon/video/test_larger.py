import cv2
import numpy as np
import pytest

from recon.video.larger import take_larger_pictures
from recon.video.sampling import SampleOptions, sample_tour


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
