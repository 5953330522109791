"""Boxes of what is flat: on its plane, and no deeper for what pictures put before or behind it."""

from __future__ import annotations

import numpy as np
import pytest

from instructions.perception.boxes import flat_box, upright_box
from instructions.perception.models.light.labels import is_planar
from recon.geometry import Array
from tests.support.cases import each_case

DEPTH = 0.1


def see_window(yaw_deg: float) -> tuple[Array, Array]:
    """Points (N, 3) on a window of 1.2 by 1 m and along the lines of sight behind it, and the eyes (4, 3)."""
    rng = np.random.default_rng(0)
    along, normal = (np.array([np.cos(a), np.sin(a), 0.0]) for a in np.radians((yaw_deg, yaw_deg + 90.0)))
    on_it = rng.uniform(-0.6, 0.6, (300, 1)) * along + rng.uniform(0.9, 1.9, (300, 1)) * [0.0, 0.0, 1.0]
    eyes = np.array([side * along - 3.0 * normal + [0.0, 0.0, 1.5] for side in (-1.5, -0.5, 0.5, 1.5)])
    behind = rng.uniform(0.0, 0.5, (120, 1))
    seen_from = eyes[rng.integers(0, 4, 120)]
    deeper = on_it[:120] + behind * (on_it[:120] - seen_from) / 3.0
    return np.concatenate([on_it, deeper]) + rng.normal(0.0, 0.01, (420, 3)), eyes


@each_case("yaw_deg", (0.0, 34.0, 90.0, 171.0))
def test_a_window_lies_on_its_plane(yaw_deg: float):
    points, eyes = see_window(yaw_deg)
    box = flat_box(points, eyes, DEPTH, None, 0.0)
    across = np.degrees(np.arctan2(box.rotation[1][0], box.rotation[0][0])) - yaw_deg
    assert abs((across + 90.0) % 180.0 - 90.0) <= 4.0
    assert box.half_extents[1] == pytest.approx(DEPTH / 2)
    assert 2 * box.half_extents[0] == pytest.approx(1.2, abs=0.12)
    assert 2 * box.half_extents[2] == pytest.approx(1.0, abs=0.08)
    assert np.linalg.norm(np.array(box.center) - [0.0, 0.0, 1.4]) < 0.07
    assert min(upright_box(points, None, 0.0).half_extents[:2]) > 2 * box.half_extents[1]


def test_kinds_go_by_their_last_word():
    assert all(map(is_planar, ("door", "glass door", "window", "mirror", "television", "screen", "curtain")))
    assert not any(map(is_planar, ("sofa", "door mat", "cabinet", "window seat")))
