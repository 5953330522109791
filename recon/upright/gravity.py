"""Which way is up in a free-scale reconstruction: from the walker's cameras and path, then from walls and floor.

Every piece of evidence is a direction that should be parallel to the vertical (camera up, floor, ceiling) or
perpendicular to it (image rows, walls, the way walked). They are joined by robust least squares, so that no single
plane decides: a ramp, a pitched roof or a leaning picture loses its weight.

How the camera was held: people turn about the vertical, whatever way up the pictures are. Between any two frames a
camera rotates about some axis of the world. Where a tour turns more than it nods, these axes are the vertical, however
the camera is rolled and pitched. Where the vertical then lies in the pictures is the roll.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from recon.errors import ReconError
from recon.geometry import Array, Pose, angle_between_deg
from recon.numerals import count
from recon.planes import Plane, find_planes
from recon.records import FLOOR

_FRAMES = 60  # so many frames, evenly, say as much as all
_TURNED = 0.25
"""Root mean square over pairs of frames of the sine of half the turn: a quarter turn somewhere on the way has 0.35."""
_TURNED_FAR = 0.4  # from here on nobody nods as much, so the path need not speak for the axis
_NODS = 0.3
"""Turning about a second axis, relative to the first: a camera that nods as much as it turns is no evidence."""
_LEVEL_WALK = 0.5
"""Spread of the path along the axis over its second spread across it: a walk bends sideways more than it bobs. A camera
that nods in a straight corridor turns about a level axis, and its walk bends along it."""
_STEADY = 0.9
"""Length of the mean of the rolls as unit vectors: the camera is held in one way, and not along the axis."""
_UPRIGHT_DEG = 15.0  # a smaller roll is told better by the walls
_DOUBTFUL_DEG = 60.0  # from here on, either side of the pictures may be the upper one
_BELOW, _DOWN_DEG, _OVERTURNED = 0.2, 10.0, -1.0
"""Points below the cameras, beyond half of them, and degrees by which these look down that say as much of what is down;
together they speak for pictures on their head below this sum. On eight upright tours 0.54 to 1.0 of the points lie
below, and the cameras look down by 6 to 28 degrees."""


def find_roll_deg(world_from_cam: Sequence[Pose], xyz: Array) -> float:
    """Find by how many degrees, clockwise, the pictures have to be turned to stand upright, in (-180, 180].

    Of the two ways up, the one nearer to that of the pictures is believed, unless points and looks speak against it;
    of two sideways ways the one for which they speak: there is more to see on floors, and people look down.

    Returns:
        0 for less than 15 degrees, and where the tour does not tell.
    """
    if len(world_from_cam) < 3:
        return 0.0
    axis, turned = _find_turning_axis(world_from_cam)
    if turned < _TURNED:
        return 0.0
    centers = np.array([pose.center for pose in world_from_cam])
    off = centers - centers.mean(axis=0)
    across = np.linalg.svd(off - np.outer(off @ axis, axis), compute_uv=False)[1]
    if turned < _TURNED_FAR and np.linalg.norm(off @ axis) > _LEVEL_WALK * across:
        return 0.0
    ups = np.array([axis @ pose.rotation for pose in world_from_cam])
    mean = complex((-ups[:, 1] - 1j * ups[:, 0]).mean())
    if abs(mean) < _STEADY * np.hypot(ups[:, 0], ups[:, 1]).mean() or abs(mean) < 1.0 - _STEADY:
        return 0.0
    if mean.real < 0.0:
        axis, mean = -axis, -mean
    roll_deg = float(np.degrees(np.angle(mean)))
    if len(xyz) == 0:
        return roll_deg if _UPRIGHT_DEG <= abs(roll_deg) <= _DOUBTFUL_DEG else 0.0
    below = float(np.mean((xyz - np.median(centers, axis=0)) @ axis < 0.0))
    down_deg = -float(np.degrees(np.arcsin(np.median([pose.forward @ axis for pose in world_from_cam]))))
    speaks_for = (below - 0.5) / _BELOW + down_deg / _DOWN_DEG
    if speaks_for < (0.0 if abs(roll_deg) > _DOUBTFUL_DEG else _OVERTURNED):
        return roll_deg - 180.0 if roll_deg > 0.0 else roll_deg + 180.0
    return roll_deg if abs(roll_deg) >= _UPRIGHT_DEG else 0.0


def _find_turning_axis(world_from_cam: Sequence[Pose]) -> tuple[Array, float]:
    """The axis of the world about which the camera turns, (3,), and how much; 0 where it turns about others too."""
    chosen = np.unique(np.linspace(0, len(world_from_cam) - 1, _FRAMES).round().astype(int))
    rotations = np.array([world_from_cam[at].rotation for at in chosen])
    one, other = np.triu_indices(len(chosen), 1)
    turned = Rotation.from_matrix(rotations[other] @ rotations[one].transpose(0, 2, 1))
    halves = turned.as_quat()[:, :3]  # axis times the sine of half the angle
    strength, axes = np.linalg.eigh(halves.T @ halves / len(halves))
    nods, turns = np.sqrt(np.maximum(strength[1:], 0.0)).tolist()
    return axes[:, 2], turns if nods <= _NODS * turns else 0.0


def turn_picture(world_from_cam: Pose, clockwise_deg: float) -> Pose:
    """The same camera with its picture turned clockwise."""
    cosine, sine = np.cos(np.radians(clockwise_deg)), np.sin(np.radians(clockwise_deg))
    cam_from_turned = np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    return Pose(world_from_cam.rotation @ cam_from_turned, world_from_cam.translation)


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
    roll_deg: float | None = None,
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
        roll_deg: Clockwise turn by which the film's pictures stand upright, where it is known; else `find_roll_deg`
            finds it in this model.
        seed: For the plane search.

    Raises:
        ReconError: For no pose.
    """
    if not world_from_cam:
        raise ReconError("vertical: the model has no registered frame. Check the reconstruction before this stage")
    if roll_deg is None:
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
    columns = np.array([-pose.rotation[:, 1] for pose in world_from_cam])
    length = float(np.linalg.norm(columns.sum(axis=0)))
    column = columns.sum(axis=0) / length if length > 1e-9 * count else columns[0]
    return _Evidence(
        np.vstack([rows, column]),
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
