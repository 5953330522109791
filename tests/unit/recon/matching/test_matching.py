import numpy as np

from recon.matching.sift import match_descriptors


def unit_vectors(count, seed):
    vectors = np.random.default_rng(seed).normal(size=(count, 64)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def matches_by_definition(first, second):
    """Row by row: mutual nearest neighbours, near enough, and clearly nearer than the second nearest."""
    similarity = first @ second.T
    found = []
    for row, of_row in enumerate(similarity):
        column = int(of_row.argmax())
        off, runner_up = 2.0 - 2.0 * of_row[column], 2.0 - 2.0 * np.sort(of_row)[-2]
        if int(similarity[:, column].argmax()) == row and off < 0.7**2 and off < 0.8**2 * runner_up:
            found.append((row, column))
    return found


def test_matches_are_mutual_near_and_clear(subtests):
    for count in [30, 700, 1300]:
        with subtests.test(count=count):
            second = unit_vectors(count, 0)
            rng = np.random.default_rng(1)
            first = second[rng.permutation(count)[: count - 5]] + rng.normal(0, 0.07, (count - 5, 64)).astype(
                np.float32
            )
            first /= np.linalg.norm(first, axis=1, keepdims=True)
            second[-2] = second[-1]  # an ambiguous pair

            found = match_descriptors(first, second)

            assert [tuple(pair) for pair in found.tolist()] == matches_by_definition(first, second)
            assert len(found) > 0.5 * count
    for first, second in [(0, 10), (10, 0), (1, 10), (10, 1)]:
        with subtests.test(first=first, second=second):
            assert len(match_descriptors(unit_vectors(first, 0), unit_vectors(second, 1))) == 0
