import numpy as np

from recon.matching.pairs import Vocabulary, pairs_at, revisit_candidates, word_weights
from recon.records import Frame


def frames(shots):
    return [Frame(k, k / 3.0, f"{k:06d}.jpg", 64, 48, 1.0, shot) for k, shot in enumerate(shots, start=1)]


def test_neighbours_are_matched_at_growing_distance_inside_a_shot():
    pairs = pairs_at(frames([0] * 40), (1, 2, 3, 4, 8))
    assert [b - a for a, b in pairs if a == 1] == [1, 2, 3, 4, 8]
    assert pairs == sorted(set(pairs))
    pairs = pairs_at(frames([0] * 5 + [1] * 5), (1, 2, 8))
    assert pairs
    assert all((a <= 5) == (b <= 5) for a, b in pairs)


def place_words(place, rng):
    """Words of a frame: those of its place and some that every frame has."""
    return np.concatenate([rng.integers(place * 20, place * 20 + 20, 60), rng.integers(900, 1000, 40)])


def test_a_place_seen_twice_is_found_in_every_block():
    """150 frames are compared in three products."""
    rng = np.random.default_rng(3)
    weights = word_weights([place_words(place % 75, rng) for place in range(150)], 1600)
    found = revisit_candidates(frames([0] * 150), weights)
    assert {(1 + k, 76 + k) for k in range(75)} <= set(found)


def test_candidates_per_frame_are_bounded_and_far_enough():
    rng = np.random.default_rng(1)
    weights = word_weights([rng.integers(0, 100, 50) for _ in range(60)], 100)
    found = revisit_candidates(frames([0] * 60), weights)
    assert 0 < len(found) <= 3 * 60
    assert all(b - a >= 20 for a, b in found)


def test_a_vocabulary_tells_clusters_of_descriptors_apart():
    rng = np.random.default_rng(2)
    centers = np.eye(8, 64, dtype=np.float32)
    sample = np.repeat(centers, 100, axis=0) + rng.normal(0, 0.01, (800, 64)).astype(np.float32)
    words = Vocabulary(sample, seed=0).words(sample).reshape(8, 100)
    used = [set(row.tolist()) for row in words]
    assert all(not (one & other) for k, one in enumerate(used) for other in used[:k])
