"""Which way is up in a free-scale reconstruction: from the walker's cameras and path, then from walls and floor.

Every piece of evidence is a direction that should be parallel to the vertical (camera up, floor, ceiling) or
perpendicular to it (image rows, walls, the way walked). They are joined by robust least squares, so that no single
plane decides: a ramp, a pitched roof or a leaning picture loses its weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recon.errors import ReconError
from recon.geometry import Array, Pose, angle_between_deg
from recon.numerals import count
from recon.planes import Plane, find_planes
from recon.records import FLOOR
from recon.upright.roll import find_roll_deg, turn_picture

_ROLL_SIGMA_DEG = 4.0  # hand-held roll of one frame
_ROLL_FRAMES = 20.0  # all frames together count as so many: roll is correlated in time
_PITCH_SIGMA_DEG = 20.0
"""People may hold the camera pitched for a whole tour; this decides only where nothing else does."""
_PATH_SIGMA_DEG = 3.0  # floors are level, but the hand sinks and rises over a walk
_PATH_FRAMES = 4.0
"""What a fit to the whole path weighs, in frames: its error is one error, however many frames it has. Set by hand."""
_PLANE_SIGMA_DEG = 1.5
"""A plane of a sparse cloud is this well known; walls themselves are plumb to a fraction of it."""
_PLANE_WITHIN_DEG = 15.0
"""Planes further than this from level or plumb, seen from the cameras' vertical, are no floors or walls."""
_PLANE_TOLERANCE = 0.008
"""Half thickness of a plane relative to the viewing distance: some 3 cm in a room of 3 to 4 m."""


@dataclass(frozen=True, eq=False)
class Vertical:
    """The vertical of one model."""

    up: Array  # (3,) unit vector in the model's frame
    source: str  # the evidence used, for people
    agreement_deg: float
    """Median disagreement of the planes with `up`; of the image rows where there are no planes."""
    roll_deg: float = 0.0
    """By how much the pictures have to be turned clockwise to stand upright; 0 where they nearly do."""


@dataclass(frozen=True, eq=False)
class _Evidence:
    directions: Array  # (N, 3) unit
    parallel: NDArray[np.bool_]  # (N,) parallel to the vertical, else perpendicular
    sigma: Array  # (N,) radians
    weight: Array  # (N,) how many independent measurements a row stands for

    def __add__(self, other: _Evidence) -> _Evidence:
        return _Evidence(
            np.vstack([self.directions, other.directions]),
            np.concatenate([self.parallel, other.parallel]),
            np.concatenate([self.sigma, other.sigma]),
            np.concatenate([self.weight, other.weight]),
        )

    def residuals(self, up: Array) -> Array:
        """Sine of the angle by which each row disagrees with `up`, (N,)."""
        cosine = np.clip(self.directions @ up, -1.0, 1.0)
        return np.where(self.parallel, np.sqrt(1.0 - cosine**2), np.abs(cosine))


def estimate_up(
    world_from_cam: Sequence[Pose],
    xyz: Array,
    *,
    viewing_distance: float | None = None,
    surfaces: NDArray[np.uint8] | None = None,
    seed: int = 0,
) -> Vertical:
    """Estimate the vertical.

    Args:
        world_from_cam: Camera poses in the model's own frame, in time order; at least one.
        xyz: (N, 3) well-triangulated points of the model; may be empty.
        viewing_distance: Typical distance from a camera to a point it sees, for the thickness of planes. By default the
            median distance of the points from the middle of the path.
        surfaces: What each point (N,) lies on (`recon.records`), where pictures say so: the floor is then
            looked for among its own points first.
        seed: For the plane search.

    Raises:
        ReconError: For no pose.
    """
    if not world_from_cam:
        raise ReconError("vertical: the model has no registered frame. Check the reconstruction before this stage")
    roll_deg = find_roll_deg(world_from_cam, xyz)
    world_from_cam = [turn_picture(pose, roll_deg) for pose in world_from_cam]
    rows, path = _camera_evidence(world_from_cam), _path_evidence(world_from_cam)
    up = _solve(rows + path, rows.directions[-1])
    held = f", rolled by {roll_deg:.0f} deg" if roll_deg else ""
    words = [f"cameras ({len(world_from_cam)} frames{held})"] + (["level walk"] if len(path.weight) else [])
    planes = _find_building_planes(xyz, up, world_from_cam, viewing_distance, surfaces, seed)
    if not planes:
        agreement = float(np.degrees(np.median(rows.residuals(up)[~rows.parallel])))
        return Vertical(up, " + ".join(words) + f"; image rows level within {agreement:.1f} deg", agreement, roll_deg)
    evidence = _plane_evidence(planes, up)
    up = _solve(rows + path + evidence, up)
    agreement = float(np.degrees(np.median(evidence.residuals(up))))
    level = int(evidence.parallel.sum())
    parts = [(len(planes) - level, "wall"), (level, "floor or ceiling plane")]
    words += [count(number, name) for number, name in parts if number]
    return Vertical(up, " + ".join(words) + f"; planes agree within {agreement:.1f} deg", agreement, roll_deg)


def level_rotation(up: Array, world_from_cam: Pose) -> Array:
    """Rotation (3, 3) upright_from_world: `up` becomes +z and the camera's heading +x.

    Where the camera looks straight up or down, its image rows give the heading.
    """
    forward = world_from_cam.forward - (world_from_cam.forward @ up) * up
    if np.linalg.norm(forward) < 0.1:
        forward = np.cross(up, world_from_cam.right)
    x_axis = forward / np.linalg.norm(forward)
    return np.array([x_axis, np.cross(up, x_axis), up])


def _camera_evidence(world_from_cam: Sequence[Pose]) -> _Evidence:
    """Image rows are level; image columns, the last row, are plumb on average."""
    count = len(world_from_cam)
    rows = np.array([pose.right for pose in world_from_cam])
    columns = _mean_direction(np.array([-pose.rotation[:, 1] for pose in world_from_cam]))
    return _Evidence(
        np.vstack([rows, columns]),
        np.arange(count + 1) == count,
        np.radians(np.append(np.full(count, _ROLL_SIGMA_DEG), _PITCH_SIGMA_DEG)),
        np.append(np.full(count, min(1.0, _ROLL_FRAMES / count)), 1.0),
    )


def _path_evidence(world_from_cam: Sequence[Pose]) -> _Evidence:
    """The two main directions of the path are level, as far as they exceed its thickness (gait, hand)."""
    centers = np.array([pose.center for pose in world_from_cam])
    if len(centers) < 8:
        return _Evidence(np.zeros((0, 3)), np.zeros(0, dtype=bool), np.zeros(0), np.zeros(0))
    _, spread, axes = np.linalg.svd(centers - centers.mean(axis=0), full_matrices=False)
    floor = np.radians(_PATH_SIGMA_DEG)
    sigma = np.hypot(np.arctan2(spread[2], np.maximum(spread[:2], 1e-12)), floor)
    keep = sigma < 4 * floor
    return _Evidence(
        axes[:2][keep], np.zeros(int(keep.sum()), dtype=bool), sigma[keep], np.full(keep.sum(), _PATH_FRAMES)
    )


def _find_building_planes(
    xyz: Array,
    up: Array,
    world_from_cam: Sequence[Pose],
    viewing_distance: float | None,
    surfaces: NDArray[np.uint8] | None,
    seed: int,
) -> list[Plane]:
    if len(xyz) == 0:
        return []
    if viewing_distance is None:
        middle = np.median([pose.center for pose in world_from_cam], axis=0)
        viewing_distance = float(np.median(np.linalg.norm(xyz - middle, axis=1)))
    level, plumb = np.cos(np.radians(_PLANE_WITHIN_DEG)), np.sin(np.radians(_PLANE_WITHIN_DEG))
    tolerance = _PLANE_TOLERANCE * viewing_distance

    def is_level(normals: Array) -> NDArray[np.bool_]:
        return np.abs(normals @ up) > level

    def is_wanted(normals: Array) -> NDArray[np.bool_]:
        return is_level(normals) | (np.abs(normals @ up) < plumb)

    if surfaces is None:
        return find_planes(xyz, tolerance, is_wanted=is_wanted, seed=seed)
    floor = find_planes(xyz[surfaces == FLOOR], tolerance, is_wanted=is_level, most=1, seed=seed)
    free = np.ones(len(xyz), dtype=bool)
    for plane in floor:
        free &= np.abs(xyz @ plane.normal - plane.offset) > 3 * tolerance
    return floor + find_planes(xyz[free], tolerance, is_wanted=is_wanted, seed=seed)


def _plane_evidence(planes: Sequence[Plane], up: Array) -> _Evidence:
    normals = np.array([plane.normal for plane in planes])
    points = np.array([plane.points for plane in planes], dtype=np.float64)
    return _Evidence(
        normals,
        np.abs(normals @ up) > np.sqrt(0.5),
        np.full(len(planes), np.radians(_PLANE_SIGMA_DEG)),
        np.clip(points / 50.0, 0.5, 4.0),
    )


def _solve(evidence: _Evidence, start: Array) -> Array:
    """Direction with the least weighted residuals (Cauchy weights, reweighted), on the side of `start`."""
    up = start
    for _ in range(30):
        residuals = evidence.residuals(up)
        weight = evidence.weight / (evidence.sigma**2 * (1.0 + (residuals / evidence.sigma) ** 2))
        outer = np.einsum("n,ni,nj->nij", weight, evidence.directions, evidence.directions)
        # Parallel rows ask for I - v v^T: least where up equals v.
        matrix = outer[~evidence.parallel].sum(axis=0) - outer[evidence.parallel].sum(axis=0)
        _, vectors = np.linalg.eigh(matrix)
        new = vectors[:, 0] if vectors[:, 0] @ up >= 0 else -vectors[:, 0]
        moved, up = angle_between_deg(new, up), new
        if moved < 1e-6:
            break
    return up


def _mean_direction(vectors: Array) -> Array:
    """Direction of the sum; the first vector where the sum vanishes."""
    total = vectors.sum(axis=0)
    length = float(np.linalg.norm(total))
    return total / length if length > 1e-9 * len(vectors) else vectors[0]
