from __future__ import annotations

import numpy as np
import pytest

from instructions.perception.landmarks.shell import ShellOptions, find_shell


def face(x: tuple[float, float], y: tuple[float, float], z: tuple[float, float], per_m2: int, seed: int) -> np.ndarray:
    """Points on a box's worth of space; a face is flat because one of its spans is a few millimetres."""
    rng = np.random.default_rng(seed)
    spans = sorted((abs(high - low) for low, high in (x, y, z)), reverse=True)
    count = int(spans[0] * spans[1] * per_m2)
    return rng.uniform([x[0], y[0], z[0]], [x[1], y[1], z[1]], (count, 3))


ROOM = [
    face((0, 5), (0, 4), (-0.01, 0.01), 60, 0),  # floor
    face((0, 5), (0, 4), (2.59, 2.61), 40, 1),  # ceiling
    face((0, 5), (-0.01, 0.01), (0.1, 2.5), 150, 2),
    face((-0.01, 0.01), (0, 4), (0.1, 2.5), 150, 3),
]
CUPBOARD = face((2, 4), (0.49, 0.51), (0.1, 2.0), 150, 4)
TABLE = face((3, 4.2), (2, 2.8), (0.72, 0.76), 200, 5)


@pytest.mark.parametrize("metre", [1.0, 0.2])
def test_floor_ceiling_and_walls_go_and_furniture_stays(metre):
    parts = [*ROOM, CUPBOARD, TABLE]
    points = np.vstack(parts) * metre
    shell = find_shell(points, None, 1.5 * metre, metre, ShellOptions(), 0)
    shares = [part.mean() for part in np.split(shell.is_shell, np.cumsum([len(part) for part in parts])[:-1])]
    assert shell.floor_z == pytest.approx(0.0, abs=0.02 * metre)
    assert shell.ceiling_z == pytest.approx(2.6 * metre, abs=0.02 * metre)
    assert min(shares[:4]) > 0.95
    assert max(shares[4:]) < 0.1


def test_walls_above_the_camera_are_no_ceiling():
    shell = find_shell(np.vstack([ROOM[0], *ROOM[2:]]), 0.0, 1.5, 1.0, ShellOptions(), 0)
    assert shell.ceiling_z is None
    assert len(shell.walls) == 2
