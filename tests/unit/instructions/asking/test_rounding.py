"""Numbers as people say them stay near the truth and read back as what was meant."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from instructions.asking.draws import Draw
from instructions.asking.rounding import IMPERIAL_SHARE, MOST_OFF, say_exactly, say_length, say_ratio
from tests.support.judges.spatial_checker import Checker


@given(st.floats(0.05, 30.0), st.integers(0, 10_000))
def test_what_is_said_is_never_more_than_a_fifth_off(value: float, seed: int):
    spoken = say_length(value, Draw("length", seed))
    assert abs(spoken.in_m - value) <= MOST_OFF * value * (1 + 1e-9)
    read = Checker.read_length(spoken.text)
    assert read is not None
    assert abs(read - spoken.in_m) <= 0.006 * spoken.in_m


@given(st.floats(1.2, 30.0), st.integers(0, 10_000))
def test_ratios_are_said_so_too(value: float, seed: int):
    spoken = say_ratio(value, Draw("ratio", seed))
    assert abs(spoken.value - value) <= MOST_OFF * value * (1 + 1e-9)
    assert spoken.text == "twice" or spoken.text.endswith(" times")
    assert spoken.value > 1.0
    assert value >= 2 or abs(spoken.value - value) <= 0.05 + 1e-9


def test_shares_are_those_of_people():
    rng = np.random.default_rng(0)
    values = np.exp(rng.uniform(np.log(0.05), np.log(20.0), 4000))
    spoken = [say_length(float(value), Draw("share", place)) for place, value in enumerate(values)]
    units = Counter(one.unit for one in spoken)
    imperial = (units["ft"] + units["in"]) / len(spoken)
    assert abs(imperial - IMPERIAL_SHARE) < 0.04
    near = np.mean([abs(one.in_m - value) <= 0.1 * value for one, value in zip(spoken, values, strict=True)])
    assert near >= 0.60


def test_a_stick_of_86_cm_is_a_meter_to_most():
    said = Counter(say_length(0.86, Draw("stick", seed)).text for seed in range(2000))
    coarse = sum(count for text, count in said.items() if text in ("1 meter", "1 m"))
    assert 0.5 < coarse / 2000 < 0.75
    assert {"3 feet"} <= set(said)
    assert any("cm" in text for text in said)


def test_exactness_has_two_decimals():
    assert say_exactly(1.8649).text == "1.86 meters"
