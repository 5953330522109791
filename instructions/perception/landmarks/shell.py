"""The building's shell (floor, ceiling and walls) in an upright point cloud, so that what stands in the room remains.

Gravity is known, so a floor is a height and a wall is a line on the floor plan with extent in both directions: it has
to be long, high and filled enough, which tells it from a cupboard. Which planes a cloud has before gravity is known is
another question (`recon.planes`: any direction, no ends, normals right to a degree); the two share the fit of
a plane to its points, `recon.geometry.fit_plane`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray
from scipy.spatial import KDTree

from recon.geometry import Array, fit_plane
from recon.ranges import AtLeastOne, HalfTurn, NotNegative, Share, Step


@dataclass(frozen=True, kw_only=True)
class ShellOptions:
    """When a set of points is part of the building. Lengths in metres (nominal ones where the model has no scale)."""

    floor_band_m: NotNegative = 0.10
    """Points up to this high above the floor belong to it: carpet, skirting board and reconstruction noise."""
    ceiling_band_m: NotNegative = 0.15
    """The same below the ceiling; ceilings are far from a hand-held camera, so their points are noisier."""
    wall_band_m: NotNegative = 0.08
    """Half thickness of a wall: pictures and sockets go with it, a cupboard of 0.3 m depth does not."""
    wall_min_length_m: NotNegative = 2.0
    """Shorter vertical faces are furniture."""
    wall_min_height_m: NotNegative = 1.0
    """A wall is seen over at least this much of its height; the rest may be hidden or plain."""
    wall_min_top_m: NotNegative = 1.6
    """A wall reaches this far above the floor; counters, beds and sideboards do not."""
    wall_max_gap_m: NotNegative = 3.0
    """A wall's points have no wider hole along the wall: a cupboard or a passage is narrower."""
    wall_min_points: AtLeastOne = 30
    """Fewer points on a line happen by chance in a cloud of some thousand points."""
    grid_vote_deg: HalfTurn = 8.0
    """Surfaces within this angle of two directions at right angles vote for them; single normals are noisy."""
    grid_share: Share = 0.4
    """Where this share of all upright surfaces votes for one pair (chance would be 0.19), walls stand along it ..."""
    grid_deg: HalfTurn = 3.0
    """... within this angle."""
    cupboard_max_length_m: NotNegative = 2.6
    """A face up to this long ..."""
    cupboard_max_depth_m: NotNegative = 0.9
    """... with a longer wall at most this far behind it is a cupboard or a shelf, and stays."""
    wall_min_cover: Share = 0.25
    """Share of a wall's face that has points on it; less is a chance alignment of furniture."""
    voxel_m: Step = 0.05
    """Points in one cube of this side count once, so that texture does not decide what is a wall."""
    max_flatness: Share = 0.25
    """Largest ratio of the variance across a surface to that along it; 0.25 is half as thick as wide."""
    normal_neighbours: Annotated[int, Ge(3), Le(1_000_000)] = 16
    """Points that decide which way a surface faces."""
    tries: AtLeastOne = 300
    """Surface points tried per wall; an apartment has some twenty walls, so each gets about fifteen."""
    refine: AtLeastOne = 30
    """So many different proposals, those with most points, are fitted; the one with most area is taken."""


@dataclass(frozen=True, eq=False)
class Wall:
    """A vertical plane: normal @ xy = offset, from `start` to `end` along the wall (normal turned by 90 degrees)."""

    normal: Array  # (2,)
    offset: float
    start: float
    end: float

    @property
    def direction(self) -> Array:
        """Along the wall, (2,)."""
        return np.array([-self.normal[1], self.normal[0]])

    def distance(self, points: Array) -> Array:
        """Distance of points (N, 3) from the wall and its continuation by a metre or so: (N,), inf beyond that."""
        along = points[:, :2] @ self.direction
        reach = 0.25 * (self.end - self.start)
        beside = (along >= self.start - reach) & (along <= self.end + reach)
        return np.where(beside, np.abs(points[:, :2] @ self.normal - self.offset), np.inf)


@dataclass(frozen=True, eq=False)
class Shell:
    """The building's shell and which points belong to it."""

    floor_z: float
    ceiling_z: float | None
    walls: tuple[Wall, ...]
    on_floor: NDArray[np.bool_]  # (N,)
    on_ceiling: NDArray[np.bool_]  # (N,)
    on_wall: NDArray[np.bool_]  # (N,)

    def wall_distance(self, points: Array) -> Array:
        """Distance of points (N, 3) to the nearest wall, (N,); inf without walls."""
        return np.min([np.full(len(points), np.inf), *(wall.distance(points) for wall in self.walls)], axis=0)

    @property
    def is_shell(self) -> NDArray[np.bool_]:
        """Points of floor, ceiling or a wall, (N,)."""
        return self.on_floor | self.on_ceiling | self.on_wall


def find_shell(
    points: Array, floor_z: float | None, camera_z: float, metre: float, options: ShellOptions, seed: int
) -> Shell:
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
    walls, on_wall = _find_walls(points, ~(on_floor | on_ceiling), floor, metre, options, np.random.default_rng(seed))
    return Shell(floor, ceiling, walls, on_floor, on_ceiling, on_wall)


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
    points: Array,
    free: NDArray[np.bool_],
    floor_z: float,
    metre: float,
    options: ShellOptions,
    rng: np.random.Generator,
) -> tuple[tuple[Wall, ...], NDArray[np.bool_]]:
    """Take the wall with most area out of the upright surfaces, again and again, until none is left."""
    upright, normals = _upright_surfaces(points[free] / metre, options)
    grid_deg = _grid_direction(normals, options)
    walls: list[Wall] = []
    while len(upright) >= options.wall_min_points:
        wall = _largest_wall(upright, normals, floor_z / metre, grid_deg, options, rng)
        if wall is None:
            break
        left = ~_members(upright, wall, 1.0, options)
        upright, normals = upright[left], normals[left]
        walls.append(Wall(wall.normal, wall.offset * metre, wall.start * metre, wall.end * metre))
    walls = [wall for wall in walls if not _stands_before_a_wall(wall, walls, metre, options)]
    on_wall = np.zeros(len(points), dtype=bool)
    for wall in walls:
        on_wall |= _members(points, wall, metre, options)
    return tuple(walls), on_wall & free


def _upright_surfaces(points_m: Array, options: ShellOptions) -> tuple[Array, Array]:
    """Thinned points whose surroundings are an upright surface, (N, 3), with its unit normal on the plan, (N, 2)."""
    count = options.normal_neighbours
    if len(points_m) < count:
        return np.zeros((0, 3)), np.zeros((0, 2))
    cells = np.floor((points_m - points_m.min(axis=0)) / options.voxel_m).astype(np.int64)
    points_m = points_m[np.sort(np.unique(cells, axis=0, return_index=True)[1])]
    if len(points_m) < count:
        return np.zeros((0, 3)), np.zeros((0, 2))
    near = points_m[KDTree(points_m).query(points_m, k=count)[1]]
    spread = near - near.mean(axis=1, keepdims=True)
    widths, axes = np.linalg.eigh(np.einsum("nki,nkj->nij", spread, spread))
    normal = axes[:, :, 0]
    flat = widths[:, 0] < options.max_flatness * widths[:, 1]
    upright = flat & (np.abs(normal[:, 2]) < 0.3)
    plan = normal[upright, :2]
    return points_m[upright], plan / np.linalg.norm(plan, axis=1, keepdims=True)


def _grid_direction(normals: Array, options: ShellOptions) -> float | None:
    """Direction of the building's walls in degrees, 0 to 90; None if they do not stand at right angles."""
    angle_deg = np.degrees(np.arctan2(normals[:, 1], normals[:, 0])) % 90.0
    votes = np.bincount(angle_deg.astype(np.int64) % 90, minlength=90)
    width = int(options.grid_vote_deg)
    around = np.array([np.take(votes, range(peak - width, peak + width + 1), mode="wrap").sum() for peak in range(90)])
    best = int(np.argmax(around))
    if around[best] < options.grid_share * max(len(angle_deg), 1):
        return None
    off = (angle_deg - best + 45.0) % 90.0 - 45.0
    return float(best + np.median(off[np.abs(off) <= width])) % 90.0


def _is_along(normal: Array, grid_deg: float | None, options: ShellOptions) -> bool:
    if grid_deg is None:
        return True
    off = (np.degrees(np.arctan2(normal[1], normal[0])) - grid_deg + 45.0) % 90.0 - 45.0
    return bool(abs(off) <= options.grid_deg)


def _members(points: Array, wall: Wall, metre: float, options: ShellOptions) -> NDArray[np.bool_]:
    along = points[:, :2] @ wall.direction
    across = points[:, :2] @ wall.normal - wall.offset
    margin = options.wall_band_m * metre
    return (np.abs(across) <= margin) & (along >= wall.start - 2 * margin) & (along <= wall.end + 2 * margin)


def _stands_before_a_wall(face: Wall, walls: Sequence[Wall], metre: float, options: ShellOptions) -> bool:
    """Whether a short face is the front of a cupboard: a longer wall runs behind it at a cupboard's depth."""
    if face.end - face.start > options.cupboard_max_length_m * metre:
        return False
    for wall in walls:
        turned = float(face.normal @ wall.normal)
        if abs(turned) < np.cos(np.radians(8.0)) or wall.end - wall.start < 1.3 * (face.end - face.start):
            continue
        middle = face.normal * face.offset + face.direction * (face.start + face.end) / 2
        apart = abs(float(middle @ wall.normal) - wall.offset) / metre
        along = float(middle @ wall.direction)
        if options.wall_band_m * 2 < apart < options.cupboard_max_depth_m and wall.start <= along <= wall.end:
            return True
    return False


def _largest_wall(
    points: Array,
    normals: Array,
    floor_z: float,
    grid_deg: float | None,
    options: ShellOptions,
    rng: np.random.Generator,
) -> Wall | None:
    """The wall with most area among those that some random surface points propose; points in nominal metres."""
    tried = rng.choice(len(points), size=min(options.tries, len(points)), replace=False)
    offsets = np.einsum("ij,ij->i", normals[tried], points[tried, :2])
    counts = np.array(
        [
            _supports(points, normals, normals[row], offset, options).sum()
            for row, offset in zip(tried, offsets, strict=True)
        ]
    )
    best, best_area = None, 0.0
    waiting = [int(one) for one in np.argsort(-counts, kind="stable") if counts[one] >= options.wall_min_points]
    for _ in range(options.refine):
        if not waiting:
            break
        normal, offset = normals[tried[waiting[0]]], float(offsets[waiting[0]])
        wall, area = _fit_wall(points, normals, normal, offset, floor_z, options)
        if wall is not None and area > best_area and _is_along(wall.normal, grid_deg, options):
            best, best_area = wall, area
        like = _supports(points[tried[waiting]], normals[tried[waiting]], normal, offset, options)
        like[0] = True
        waiting = [one for one, is_like in zip(waiting, like, strict=True) if not is_like]
    return best


def _supports(points: Array, normals: Array, normal: Array, offset: float, options: ShellOptions) -> NDArray[np.bool_]:
    """Which surface points lie on a wall and face the way it does."""
    # Written out: products this small would only wake the threads of the matrix library.
    across = points[:, 0] * normal[0] + points[:, 1] * normal[1] - offset
    facing = normals[:, 0] * normal[0] + normals[:, 1] * normal[1]
    return (np.abs(across) <= options.wall_band_m) & (np.abs(facing) > 0.85)


def _fit_wall(
    points: Array, normals: Array, normal: Array, offset: float, floor_z: float, options: ShellOptions
) -> tuple[Wall | None, float]:
    """Fit the line again to its points; its longest stretch and supported area if it is as long and high as a wall."""
    for _ in range(2):
        members = points[_supports(points, normals, normal, offset, options)]
        if len(members) < options.wall_min_points:
            return None, 0.0
        normal, offset = fit_plane(members[:, :2])
    members = points[_supports(points, normals, normal, offset, options)]
    if len(members) < options.wall_min_points:
        return None, 0.0
    along = members[:, :2] @ np.array([-normal[1], normal[0]])
    order = np.argsort(along, kind="stable")
    stretches = np.split(order, np.flatnonzero(np.diff(along[order]) > options.wall_max_gap_m) + 1)
    best = max(stretches, key=len)
    start, end = np.percentile(along[best], [1, 99])
    low, high = np.percentile(members[best, 2], [3, 97])
    side = 0.25
    cells = np.unique(np.floor(np.column_stack([along[best], members[best, 2]]) / side).astype(np.int64), axis=0)
    area = len(cells) * side**2
    is_wall = end - start >= options.wall_min_length_m and high - low >= options.wall_min_height_m
    is_wall = is_wall and high - floor_z >= options.wall_min_top_m
    is_covered = area >= options.wall_min_cover * (end - start) * (high - low)
    return (Wall(normal, offset, float(start), float(end)), area) if is_wall and is_covered else (None, 0.0)
