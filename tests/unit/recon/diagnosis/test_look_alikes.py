import numpy as np
import pytest

from recon.diagnosis.contradictions import PairCheck
from recon.diagnosis.look_alikes import find_look_alikes


def checks(ambiguous, sound):
    return [
        PairCheck(k, k + 2, 100, 1.0, 1.0, contradicts=False, ambiguous=k < ambiguous) for k in range(ambiguous + sound)
    ]


def test_many_ambiguous_pairs_are_an_error_with_their_number():
    (finding,) = find_look_alikes(checks(47, 85))

    assert finding.severity == "error"
    assert finding.code == "merge.look_alikes"
    assert "47 of 132" in finding.message


@pytest.mark.parametrize(("ambiguous", "sound"), [(0, 0), (0, 300), (3, 100), (9, 0)])
def test_few_are_none(ambiguous, sound):
    assert find_look_alikes(checks(ambiguous, sound)) == []


def test_order_does_not_matter():
    some = checks(47, 85)
    shuffled = [some[k] for k in np.random.default_rng(0).permutation(len(some))]
    assert find_look_alikes(shuffled) == find_look_alikes(some)
