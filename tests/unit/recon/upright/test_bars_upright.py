"""The vertical from a path and the spread of a scale: one case on each side of each bar."""

import numpy as np
import pytest

from recon.geometry import Pose
from recon.upright.gravity import _PATH_SIGMA_DEG, _path_evidence
from recon.upright.metric_scale import scale_from_depth


def path(wide: float, thick: float) -> list[Pose]:
    """A walk of length 1 along x that swings by `wide` along y and by `thick` along z; the three do not correlate."""
    phase = 2.0 * np.pi * np.arange(64) / 64
    centers = np.column_stack([np.cos(phase), wide * np.cos(2 * phase), thick * np.cos(3 * phase)])
    return [Pose(np.eye(3), center) for center in centers]


WIDEST_DEG = np.degrees(np.sqrt(15.0) * np.radians(_PATH_SIGMA_DEG))
"""As thick, seen along a direction of the path, as still tells that it is level: four times what floors do."""


def test_a_path_is_level_as_far_as_it_exceeds_its_thickness(subtests):
    for share, told in [(0.95, 2), (1.05, 1)]:
        with subtests.test(share=share, told=told):
            wide = 0.5
            thick = wide * np.tan(np.radians(share * WIDEST_DEG))
            assert len(_path_evidence(path(wide, thick)).directions) == told
    for share, told in [(0.95, 1), (1.05, 0)]:
        with subtests.test(share=share, told=told):
            thick = np.tan(np.radians(share * WIDEST_DEG))
            assert len(_path_evidence(path(thick, thick)).directions) == told
    for count, told in [(8, 2), (7, 0)]:
        with subtests.test(count=count, told=told):
            centers = [(np.cos(k), 0.5 * np.sin(k), 0.0) for k in range(count)]
            assert len(_path_evidence([Pose(np.eye(3), np.array(center)) for center in centers]).directions) == told


def test_the_sigma_of_a_scale_is_the_deviation_of_ratios_without_outliers():
    ratios = np.exp(np.random.default_rng(0).normal(0.0, 0.1, 20_000))
    assert scale_from_depth(np.ones(20_000), ratios).sigma == pytest.approx(0.1, rel=0.03)
    logs = np.array([-0.2, -0.1, 0.0, 0.1, 0.2] * 5)
    assert scale_from_depth(np.ones(25), np.exp(logs)).sigma == pytest.approx(0.14826, rel=1e-4)
