"""Floor, ceiling and walls of an upright point cloud, so that what stands in the room remains.

Gravity is known, so a floor is a height and a wall is a line on the floor plan with extent in both directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recon.geometry import Array


@dataclass(frozen=True, kw_only=True)
class PlaneOptions:
    """When a set of points is part of the building. Lengths in metres (nominal ones where the model has no scale)."""

    floor_band_m: float = 0.10
    """Points up to this high above the floor belong to it: carpet, skirting board and reconstruction noise."""
    ceiling_band_m: float = 0.15
    """The same below the ceiling; ceilings are far from a hand-held camera, so their points are noisier."""
    wall_band_m: float = 0.08
    """Half thickness of a wall: pictures and sockets go with it, a cupboard of 0.3 m depth does not."""
    wall_min_length_m: float = 1.5
    """Shorter vertical faces are furniture."""
    wall_min_height_m: float = 1.5
    """Vertical faces that span less are furniture such as counters, beds and sideboards."""
    wall_max_gap_m: float = 2.0
    """A wall's points have no wider hole along the wall: a shelf before the wall hides about this much."""
    wall_min_points: int = 30
    """Fewer points on a line happen by chance in a cloud of some thousand points."""
    cupboard_max_length_m: float = 2.6
    """A face up to this long ..."""
    cupboard_max_depth_m: float = 0.9
    """... with a longer wall at most this far behind it is a cupboard or a shelf, and stays."""
    tries: int = 400
    """Random lines tried per wall; an apartment has some twenty walls, so each gets about that many."""
    refine: int = 60
    """So many of the lines with most points are fitted; the longest wall of these is taken."""


@dataclass(frozen=True, eq=False)
class Wall:
    """A vertical plane: normal @ xy = offset, from `start` to `end` along the wall (normal turned by 90 degrees)."""

    normal: Array  # (2,)
    offset: float
    start: float
    end: float


@dataclass(frozen=True, eq=False)
class Planes:
    """The building's shell and which points belong to it."""

    floor_z: float
    ceiling_z: float | None
    walls: tuple[Wall, ...]
    on_floor: NDArray[np.bool_]  # (N,)
    on_ceiling: NDArray[np.bool_]  # (N,)
    on_wall: NDArray[np.bool_]  # (N,)

    @property
    def is_shell(self) -> NDArray[np.bool_]:
        """Points of floor, ceiling or a wall, (N,)."""
        return self.on_floor | self.on_ceiling | self.on_wall


def find_planes(
    points: Array, floor_z: float | None, camera_z: float, metre: float, options: PlaneOptions, seed: int
) -> Planes:
    """Label the points that belong to floor, ceiling and walls.

    Args:
        points: (N, 3) in a z-up world.
        floor_z: Height of the floor, or None to take the strongest level below the cameras.
        camera_z: Typical height of the cameras in the same world.
        metre: Length of one (nominal) metre in the world's unit.
        options: Thresholds.
        seed: For the random lines.

    Returns:
        Labels (N,) each. Points under the floor and above the ceiling go with them. Nothing for no points.
    """
    z = points[:, 2]
    if floor_z is None:
        floor_z = _strongest_level(z[z < camera_z - 0.5 * metre], options.floor_band_m * metre)
    floor = floor_z if floor_z is not None else float(np.min(z, initial=camera_z))
    ceiling = _ceiling_level(z[z > camera_z + 0.4 * metre], options.ceiling_band_m * metre)
    on_floor = z < floor + options.floor_band_m * metre
    on_ceiling = z > ceiling - options.ceiling_band_m * metre if ceiling is not None else np.zeros(len(z), dtype=bool)
    walls, on_wall = _find_walls(points, ~(on_floor | on_ceiling), metre, options, np.random.default_rng(seed))
    return Planes(floor, ceiling, walls, on_floor, on_ceiling, on_wall)


def _strongest_level(z: Array, band: float) -> float | None:
    """Height whose band of +-`band` holds most points, None for no points."""
    if len(z) == 0:
        return None
    ordered = np.sort(z)
    counts = np.searchsorted(ordered, ordered + band, side="right") - np.searchsorted(ordered, ordered - band)
    best = ordered[int(np.argmax(counts))]
    return float(np.median(ordered[np.abs(ordered - best) <= band]))


def _ceiling_level(z: Array, band: float) -> float | None:
    """The strongest level if it is a ceiling: it holds a third of the points, and hardly any lie above it.

    Walls and tall furniture also give points above the camera, but at all heights.
    """
    level = _strongest_level(z, band)
    if level is None or np.mean(np.abs(z - level) <= band) < 0.33 or np.mean(z > level + band) > 0.03:
        return None
    return level


def _find_walls(
    points: Array, free: NDArray[np.bool_], metre: float, options: PlaneOptions, rng: np.random.Generator
) -> tuple[tuple[Wall, ...], NDArray[np.bool_]]:
    """Take the longest wall out of the free points, again and again, until none is left."""
    free = free.copy()
    walls: list[Wall] = []
    while free.sum() >= options.wall_min_points:
        wall = _longest_wall(points[free], metre, options, rng)
        if wall is None:
            break
        free &= ~_members(points, wall, metre, options)
        walls.append(wall)
    walls = [wall for wall in walls if not _stands_before_a_wall(wall, walls, metre, options)]
    on_wall = np.zeros(len(points), dtype=bool)
    for wall in walls:
        on_wall |= _members(points, wall, metre, options)
    return tuple(walls), on_wall


def _members(points: Array, wall: Wall, metre: float, options: PlaneOptions) -> NDArray[np.bool_]:
    along = points[:, :2] @ np.array([-wall.normal[1], wall.normal[0]])
    across = points[:, :2] @ wall.normal - wall.offset
    margin = options.wall_band_m * metre
    return (np.abs(across) <= margin) & (along >= wall.start - 2 * margin) & (along <= wall.end + 2 * margin)


def _stands_before_a_wall(face: Wall, walls: Sequence[Wall], metre: float, options: PlaneOptions) -> bool:
    """Whether a short face is the front of a cupboard: a longer wall runs behind it at a cupboard's depth."""
    if face.end - face.start > options.cupboard_max_length_m * metre:
        return False
    for wall in walls:
        turned = float(face.normal @ wall.normal)
        if abs(turned) < np.cos(np.radians(8.0)) or wall.end - wall.start < 1.3 * (face.end - face.start):
            continue
        middle = face.normal * face.offset + np.array([-face.normal[1], face.normal[0]]) * (face.start + face.end) / 2
        apart = abs(float(middle @ wall.normal) - wall.offset) / metre
        along = float(middle @ np.array([-wall.normal[1], wall.normal[0]]))
        if options.wall_band_m * 2 < apart < options.cupboard_max_depth_m and wall.start <= along <= wall.end:
            return True
    return False


def _longest_wall(points: Array, metre: float, options: PlaneOptions, rng: np.random.Generator) -> Wall | None:
    """The longest of the walls that the best lines through two neighbouring points lead to."""
    xy = points[:, :2]
    first = rng.integers(len(xy), size=options.tries)
    others = rng.integers(len(xy), size=(options.tries, 64))
    steps = xy[others] - xy[first][:, None]
    lengths = np.linalg.norm(steps, axis=2)
    # Two points of one wall: not so near that noise decides the direction, not so far that they span two rooms.
    usable = (lengths > 0.5 * metre) & (lengths < 2.5 * metre)
    pick = np.argmax(usable, axis=1)
    row = np.flatnonzero(usable.any(axis=1))
    if len(row) == 0:
        return None
    direction = steps[row, pick[row]] / lengths[row, pick[row], None]
    normals = np.stack([direction[:, 1], -direction[:, 0]], axis=1)
    offsets = np.einsum("ij,ij->i", normals, xy[first[row]])
    counts = np.array(
        [
            np.count_nonzero(np.abs(xy @ normal - offset) <= options.wall_band_m * metre)
            for normal, offset in zip(normals, offsets, strict=True)
        ]
    )
    best: Wall | None = None
    for candidate in np.argsort(-counts, kind="stable")[: options.refine]:
        if counts[candidate] < options.wall_min_points:
            break
        wall = _refined(points, normals[candidate], float(offsets[candidate]), metre, options)
        if wall is not None and (best is None or wall.end - wall.start > best.end - best.start):
            best = wall
    return best


def _refined(points: Array, normal: Array, offset: float, metre: float, options: PlaneOptions) -> Wall | None:
    """Fit the line again to its points, then keep its best gapless stretch if that is as long and high as a wall."""
    band = options.wall_band_m * metre
    for _ in range(2):
        members = points[np.abs(points[:, :2] @ normal - offset) <= band]
        if len(members) < options.wall_min_points:
            return None
        center = members[:, :2].mean(axis=0)
        _, _, axes = np.linalg.svd(members[:, :2] - center, full_matrices=False)
        normal = axes[1]
        offset = float(center @ normal)
    members = points[np.abs(points[:, :2] @ normal - offset) <= band]
    along = members[:, :2] @ np.array([-normal[1], normal[0]])
    order = np.argsort(along, kind="stable")
    stretches = np.split(order, np.flatnonzero(np.diff(along[order]) > options.wall_max_gap_m * metre) + 1)
    best = max(stretches, key=len)
    if len(best) < options.wall_min_points:
        return None
    low, high = np.percentile(members[best, 2], [2, 98])
    start, end = np.percentile(along[best], [1, 99])
    if end - start < options.wall_min_length_m * metre or high - low < options.wall_min_height_m * metre:
        return None
    return Wall(normal, offset, float(start), float(end))
