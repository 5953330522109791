"""What a distance that was learned from one picture leaves unknown: along the line of sight much, across it nothing."""

from dataclasses import replace

import numpy as np
import pytest

from instructions.facts.bodies import Body
from instructions.records import Obb

EYE = np.array([0.0, 0.0, 1.5])
BOX = Obb((3.0, 1.0, 0.5), (0.3, 0.2, 0.5), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
RANGE_SIGMA, FACE_SIGMA = 0.15, 0.05


def test_places_and_sizes_are_as_far_off_as_the_distance_makes_them() -> None:
    body = replace(Body.of_box(BOX), eye=EYE, range_sigma=RANGE_SIGMA)
    ray = body.center - EYE
    worst = float(np.hypot(FACE_SIGMA, RANGE_SIGMA * np.linalg.norm(ray)))
    rng = np.random.default_rng(0)
    factors = 1.0 + RANGE_SIGMA * rng.normal(size=20_000)
    centers = EYE + factors[:, None] * ray + FACE_SIGMA * rng.normal(size=(20_000, 3))
    for direction in (*np.eye(3), ray / np.linalg.norm(ray)):
        assert body.sigma_along(worst, direction) == pytest.approx((centers @ direction).std(), rel=0.03)
    tall = 1.0
    sizes = factors * tall + FACE_SIGMA * (rng.normal(size=20_000) - rng.normal(size=20_000))
    assert body.size_sigma(worst, tall) == pytest.approx(sizes.std(), rel=0.03)


def test_what_many_views_measured_is_as_well_known_in_every_direction() -> None:
    body = Body.of_box(BOX)
    assert body.sigma_along(FACE_SIGMA, np.array([0.0, 1.0, 0.0])) == FACE_SIGMA
    assert body.size_sigma(FACE_SIGMA, 1.0) == pytest.approx(2**0.5 * FACE_SIGMA)
