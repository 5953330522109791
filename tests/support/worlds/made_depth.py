"""A room of boxes as a depth camera sees it: rays against planes and boxes, one by one, with what each pixel shows.

World: z up, floor at 0, the camera above the origin. Shares no code with what reads such images.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from recon.geometry import Array, Camera

WIDTH, HEIGHT, FOCAL = 320, 240, 250.0
FLOOR, WALL = -1, -2
CAMERA = Camera("PINHOLE", WIDTH, HEIGHT, (FOCAL, FOCAL, WIDTH / 2, HEIGHT / 2))


@dataclass(frozen=True)
class Crate:
    """A box with sides along the axes of the world."""

    name: str
    low: tuple[float, float, float]
    high: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class SeenRoom:
    """What the camera saw."""

    depth: NDArray[np.float32]  # (HEIGHT, WIDTH)
    shows: NDArray[np.int64]
    """Index of the crate, `FLOOR` or `WALL`, (HEIGHT, WIDTH)."""
    world_from_cam: Array  # (3, 3)
    height_m: float

    def points_cam(self) -> Array:
        """Points in camera axes, row by row, (HEIGHT * WIDTH, 3)."""
        y, x = np.mgrid[0:HEIGHT, 0:WIDTH] + 0.5
        rays = np.stack([(x - WIDTH / 2) / FOCAL, (y - HEIGHT / 2) / FOCAL, np.ones_like(x)], axis=-1)
        return (rays * self.depth[..., None]).reshape(-1, 3).astype(np.float64)


def look_at_room(
    crates: Sequence[Crate],
    *,
    height_m: float = 1.5,
    pitch_deg: float = -20.0,
    roll_deg: float = 0.0,
    wall_m: float = 6.0,
    noise_m: float = 0.0,
    seed: int = 0,
) -> SeenRoom:
    """The room from (0, 0, height) along +x, turned down by `-pitch_deg` and rolled clockwise by `roll_deg`."""
    level = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
    # In camera axes: a turn about x lifts the axis, a turn about z rolls.
    turn = level @ Rotation.from_euler("x", pitch_deg, degrees=True).as_matrix()
    turn = turn @ Rotation.from_euler("z", roll_deg, degrees=True).as_matrix()
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH] + 0.5
    rays_cam = np.stack([(x - WIDTH / 2) / FOCAL, (y - HEIGHT / 2) / FOCAL, np.ones_like(x)], axis=-1)
    rays = rays_cam @ turn.T
    eye = np.array([0.0, 0.0, height_m])
    best = np.full((HEIGHT, WIDTH), np.inf)
    shows = np.full((HEIGHT, WIDTH), WALL)
    with np.errstate(divide="ignore", invalid="ignore"):
        for which, along in ((FLOOR, -height_m / rays[..., 2]), (WALL, wall_m / rays[..., 0])):
            nearer = (along > 0) & (along < best)
            best[nearer], shows[nearer] = along[nearer], which
        for number, crate in enumerate(crates):
            one, two = (np.array(crate.low) - eye) / rays, (np.array(crate.high) - eye) / rays
            enters, leaves = np.minimum(one, two).max(axis=-1), np.maximum(one, two).min(axis=-1)
            nearer = (enters <= leaves) & (enters > 0) & (enters < best)
            best[nearer], shows[nearer] = enters[nearer], number
    best = best + np.random.default_rng(seed).normal(0.0, noise_m, best.shape) if noise_m else best
    return SeenRoom(best.astype(np.float32), shows, turn, height_m)
