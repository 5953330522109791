"""Scores of choices, comparisons, rankings and votes by hand."""

import pytest

from instructions.regions.scoring import VcrRow, score_comparison, score_pairwise, score_ranking, score_vcr


def test_both_must_be_right_on_one_row():
    rows = [
        VcrRow((0.9, 0.1, 0.0, 0.0), 0, (0.1, 0.9, 0.0, 0.0), 1),
        VcrRow((0.9, 0.1, 0.0, 0.0), 0, (0.1, 0.9, 0.0, 0.0), 0),
        VcrRow((0.9, 0.9, 0.0, 0.0), 0, (0.1, 0.9, 0.0, 0.0), 1),  # a tie is no choice
    ]
    found = score_vcr(rows)
    assert (found.answer, found.rationale, found.both) == pytest.approx((2 / 3, 2 / 3, 1 / 3))
    assert score_vcr([]).rows == 0
    with pytest.raises(ValueError, match="3 answer scores, need 4"):
        VcrRow((1, 2, 3), 0, (1, 2, 3, 4), 0)


def test_comparison_counts_pairs_that_people_tell_apart():
    assert score_comparison([3, 2, 1], [3, 2, 1]) == 100.0
    assert score_comparison([1, 2, 3], [3, 2, 1]) == -100.0
    assert score_comparison([1, 1, 1], [3, 2, 1]) == 0.0  # ties of the model count half
    assert score_comparison([3, 2, 1], [1, 1, 1]) is None
    with pytest.raises(ValueError, match="need as many"):
        score_comparison([1], [1, 2])


def test_the_true_one_of_many_must_stand_alone_at_the_top():
    found = score_ranking([([0.9, 0.1, 0.2], 0), ([0.9, 0.9, 0.2], 0), ([0.1, 0.9, 0.2], 0)])
    assert (found.first, found.in_five) == pytest.approx((1 / 3, 1.0))
    assert found.reciprocal == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)


def test_pairs_without_a_majority_are_left_out_and_counted():
    found = score_pairwise({"correct": [("A", "A", "B"), ("A", "B", "tie"), ("tie", "tie", "A"), ("B", "B", "B")]})
    one = found["correct"]
    assert (one.wins_a, one.wins_b, one.ties, one.no_majority) == (1, 1, 1, 1)
    assert one.share_a == 0.5
