import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recon.matching.interfaces import spread_over_picture

SIZE = (640, 360)


def make_crowded(seed: int) -> np.ndarray:
    """1000 strong keypoints on a poster of 100 x 100 px, then 1000 weaker ones everywhere."""
    rng = np.random.default_rng(seed)
    poster = rng.uniform((200, 100), (300, 200), (1000, 2))
    return np.vstack([poster, rng.uniform((0, 0), SIZE, (1000, 2))]).astype(np.float32)


def test_a_poster_does_not_take_all_places():
    xy = make_crowded(0)
    chosen = spread_over_picture(xy, SIZE, 600)
    assert len(chosen) == 600
    assert (chosen < 1000).mean() < 0.15  # the poster has 4 % of the picture, and the strongest 600 would all be on it
    cells, counts = np.unique(xy[chosen] // 60, axis=0, return_counts=True)
    assert len(cells) == 11 * 6
    assert counts.max() <= 11


def test_each_cell_gives_its_strongest_and_few_all_stay(subtests):
    xy = np.array([[10, 10], [20, 20], [300, 300], [30, 30], [310, 310], [630, 10]], np.float32)
    assert spread_over_picture(xy, SIZE, 3).tolist() == [0, 2, 5]
    assert spread_over_picture(xy, SIZE, 4).tolist() == [0, 1, 2, 5]
    for count in [6, 7, 1000]:
        with subtests.test(count=count):
            assert spread_over_picture(make_crowded(1)[:6], SIZE, count).tolist() == list(range(6))


@given(st.integers(1, 300), st.integers(1, 400), st.integers(0, 9))
def test_as_many_as_asked_for_each_once_and_in_order(count, there_are, seed):
    xy = np.random.default_rng(seed).uniform((0, 0), SIZE, (there_are, 2)).astype(np.float32)
    chosen = spread_over_picture(xy, SIZE, count)
    assert len(chosen) == min(count, there_are)
    assert (np.diff(chosen) > 0).all()
