import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recon.colmap.database import list_verified_pairs, open_database
from recon.colmap.match_tracks import chain_matches
from recon.matching.spread import spread_over_picture, thin_matches
from tests.support.recon.made_models import walk_scene, write_matches

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


def test_pairs_keep_some_matches_of_the_longest_tracks(tmp_path):
    most, path, frames = 40, tmp_path / "database.db", range(1, 9)
    write_matches(walk_scene(frames=8, points=200), path)

    def measure() -> tuple[dict[tuple[int, int], set[tuple[int, ...]]], float]:
        """The matches of each pair, and how many frames see an average track."""
        with open_database(path) as database:
            pairs = [(first, second) for first, second, _ in list_verified_pairs(database)]
            read = {pair: database.read_two_view_geometry(*pair).inlier_matches for pair in pairs}
        seen_by = np.bincount(chain_matches(path, frames, 8).tracks)
        return {pair: set(map(tuple, matches.tolist())) for pair, matches in read.items()}, float(seen_by.mean())

    before, length = measure()
    thin_matches(path, frames, most)
    after, new_length = measure()
    assert {pair: len(matches) for pair, matches in after.items()} == {
        pair: min(most, len(matches)) for pair, matches in before.items()
    }
    assert any(len(matches) > most for matches in before.values())
    assert all(after[pair] <= matches for pair, matches in before.items())
    assert new_length > length
