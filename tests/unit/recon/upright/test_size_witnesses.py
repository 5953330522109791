"""The scale out of things of known size: from made sizes whose true scale is known."""

from __future__ import annotations

import numpy as np
import pytest

from recon.errors import ReconError
from recon.records import ExpectedSize, Scale, SizeWitness
from recon.upright.metric_scale import WeighedScale, camera_height_witness, depth_witness, weigh_witnesses

TRUE = 2.5
"""Metres per unit of the made model."""


def sizes(name: str, *metres: float, usual: float, spread: float = 0.05, trust: float = 0.8) -> SizeWitness:
    """Things that are so large in truth, of a kind that is usually `usual`."""
    expected = (ExpectedSize(usual, spread, 1.0),)
    return SizeWitness(name, tuple(size / TRUE for size in metres), expected, noise=0.02, trust=trust)


def held_at(metres: float) -> SizeWitness:
    return camera_height_witness(metres / TRUE, 1.5, 0.15)


DOORS = sizes("door height", 2.0, 2.05, usual=2.04)
TABLES = sizes("table height", 0.74, usual=0.745)
SEATS = sizes("seat height", 0.45, usual=0.44)


def off(found: WeighedScale) -> float:
    return float(np.log(found.scale.factor / TRUE))


def test_three_kinds_that_agree_are_metric_however_the_camera_was_held(subtests):
    for height_m in [1.2, 1.5, 1.8]:
        with subtests.test(height_m=height_m):
            found = weigh_witnesses([held_at(height_m), DOORS, TABLES, SEATS])
            assert found.scale.status == "metric"
            assert abs(off(found)) < 0.03
            assert abs(off(found)) < 2 * found.scale.sigma < 0.16
            assert found.disputes == ()
            assert found.witnesses[0].weight == max(one.weight for one in found.witnesses)
            assert sum(one.weight for one in found.witnesses) == pytest.approx(1.0)


def test_three_kinds_that_say_something_are_needed():
    found = weigh_witnesses([held_at(1.5), DOORS, TABLES])
    assert found.scale.status == "assumed"
    assert abs(off(found)) < 0.03
    vague = sizes("plant height", 1.0, usual=1.0, spread=0.5)
    assert weigh_witnesses([held_at(1.5), DOORS, TABLES, vague]).scale.status == "assumed"


def test_wrong_names_and_things_do_not_win(subtests):
    for wrong_m in [0.4, 0.9, 4.0]:
        with subtests.test(wrong_m=wrong_m):
            wrong = sizes("door height", wrong_m, usual=2.04)
            found = weigh_witnesses(
                [held_at(1.4), wrong, TABLES, SEATS, sizes("bed height", 0.5, usual=0.53, spread=0.1)]
            )
            assert abs(off(found)) < 0.06
            assert [one.name for one in found.disputes] == ["door height"]
            assert next(one for one in found.witnesses if one.name == "door height").weight < 0.01
    found = weigh_witnesses([held_at(1.5), sizes("door height", 2.02, 2.05, 1.3, 2.04, usual=2.04), TABLES, SEATS])
    assert abs(off(found)) < 0.02
    assert found.disputes == ()


def test_many_things_of_one_make_are_worth_two():
    one = weigh_witnesses([held_at(1.5), sizes("seat height", 0.45, usual=0.44)])
    many = weigh_witnesses([held_at(1.5), sizes("seat height", *[0.45] * 50, usual=0.44)])
    assert many.scale.sigma > one.scale.sigma / 2
    assert many.scale.status == "assumed"
    assert many.witnesses[0].things == 50


def test_a_kind_of_two_sizes_takes_the_one_that_the_others_speak_for():
    coffee = SizeWitness(
        "table height", (0.44 / TRUE,), (ExpectedSize(0.745, 0.04, 0.7), ExpectedSize(0.43, 0.1, 0.3)), 0.03, 0.8
    )
    found = weigh_witnesses([held_at(1.5), DOORS, coffee])
    assert abs(off(found)) < 0.03
    assert next(one for one in found.witnesses if one.name == "table height").expected_m == 0.43


def test_sigma_holds_the_truth():
    """Tours whose things vary as the table says, a fifth of the names wrong: two sigma hold nine of ten and more."""
    rng = np.random.default_rng(0)
    usual = {
        "door": (2.04, 0.05),
        "table": (0.745, 0.05),
        "chair": (0.87, 0.11),
        "bed": (0.53, 0.15),
        "sofa": (0.8, 0.1),
    }
    inside, close, rounds = 0, 0, 300
    for _ in range(rounds):
        witnesses = [held_at(1.5 * np.exp(rng.normal(0, 0.15)))]
        for name, (size_m, spread) in usual.items():
            make = rng.normal(0, spread * np.sqrt(0.5))
            found = [size_m * np.exp(make + rng.normal(0, spread * np.sqrt(0.5))) for _ in range(rng.integers(1, 5))]
            found = [size if rng.random() > 0.2 else size * np.exp(rng.uniform(-1.3, 1.3)) for size in found]
            witnesses.append(sizes(name, *found, usual=size_m, spread=spread))
        weighed = weigh_witnesses(witnesses)
        inside += abs(off(weighed)) < 2 * weighed.scale.sigma
        close += abs(off(weighed)) < 0.08
    assert inside / rounds > 0.93
    assert close / rounds > 0.85


def test_scale_follows_the_unit():
    """The same model in millimetres: a thousandth of the factor, and nothing else changes."""

    def in_millimetres(one: SizeWitness) -> SizeWitness:
        return SizeWitness(
            one.name, tuple(1000 * size for size in one.measured), one.expected, one.noise, one.trust, one.kind
        )

    witnesses = [held_at(1.6), DOORS, TABLES, SEATS]
    metres, millimetres = weigh_witnesses(witnesses), weigh_witnesses([in_millimetres(one) for one in witnesses])
    assert millimetres.scale.factor == pytest.approx(metres.scale.factor / 1000)
    assert millimetres.scale.sigma == pytest.approx(metres.scale.sigma)


def test_learned_depth_and_one_kind_are_metric_if_they_agree():
    right = depth_witness(Scale("metric", TRUE * 1.03, 0.02, "depth"))
    wrong = depth_witness(Scale("metric", TRUE * 3.2, 0.02, "depth"))
    assert weigh_witnesses([held_at(1.5), right, DOORS]).scale.status == "metric"
    found = weigh_witnesses([held_at(1.5), wrong, DOORS, TABLES])
    assert found.scale.status == "assumed"
    assert abs(off(found)) < 0.03
    assert [one.name for one in found.disputes] == ["learned depth"]


def test_what_has_no_size_is_refused():
    with pytest.raises(ReconError, match="need sizes > 0"):
        SizeWitness("door height", (0.0,), (ExpectedSize(2.04, 0.05, 1.0),), 0.02, 0.8)
    with pytest.raises(ReconError, match="no witness"):
        weigh_witnesses([])
