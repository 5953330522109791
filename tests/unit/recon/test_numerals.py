"""Digits that an error allows, shares that are never nothing, and numbers too large for half precision."""

from __future__ import annotations

import numpy as np
import pytest

from recon.arrays import to_half
from recon.numerals import count, format_measured, percent
from tests.support.cases import each_case


@each_case(
    ("value", "sigma", "said"),
    [
        (1.834, 0.0, "1.83"),  # exact
        (1.834, 0.004, "1.83"),
        (1.834, 0.049, "1.83"),  # two standard deviations under a tenth
        (1.834, 0.051, "1.8"),
        (1.834, 0.49, "1.8"),
        (1.834, 0.51, "2"),
        (0.4, 0.6, "0.4"),  # one digit stays
        (0.036, 0.2, "0.04"),
        (123.4, 6.0, "120"),
        (0.0, 0.2, "0.0"),
    ],
)
def test_a_number_has_the_digits_that_its_error_allows(value: float, sigma: float, said: str):
    assert format_measured(value, sigma) == said


def test_only_all_is_a_hundred_per_cent_and_only_nothing_is_none():
    assert [percent(share) for share in (0.0, 0.001, 0.25, 0.999, 1.0)] == ["0 %", "< 1 %", "25 %", "99.9 %", "100 %"]


@pytest.mark.filterwarnings("error")
def test_what_half_precision_cannot_hold_is_the_most_it_can_or_unknown():
    values = np.array([1.5, 1e9, -np.inf, np.nan], dtype=np.float32)
    np.testing.assert_array_equal(to_half(values), [1.5, 65504.0, -65504.0, np.nan])
    np.testing.assert_array_equal(to_half(values, beyond=np.nan), [1.5, np.nan, np.nan, np.nan])


@pytest.mark.parametrize(
    ("number", "noun", "told"),
    [
        (1, "sub-model", "1 sub-model"),
        (0, "tour", "0 tours"),
        (2, "trajectory", "2 trajectories"),
        (2, "way", "2 ways"),
        (3, "box", "3 boxes"),
        (1, "query", "1 query"),
        (2, "floor or ceiling plane", "2 floor or ceiling planes"),
    ],
)
def test_a_number_takes_its_noun_along(number, noun, told):
    assert count(number, noun) == told
