"""Who looks: the eye of a view with its own ahead, right and up, from which left, behind and wide are meant.

Upright scenes: up is z and ahead is the optical axis laid on the floor, so a rolled or pitched camera changes nothing.
Without a vertical, right and ahead are the camera's own x and z.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import dist, radians
from typing import Literal

import numpy as np

from instructions.records import Obb
from recon.geometry import Array, Pose, angle_between_deg
from recon.records import SceneModel

MOST_PITCH_DEG = 60.0
"""A camera that looks further up or down has no ahead that a person would name."""
_UP = np.array([0.0, 0.0, 1.0])
_GRID = np.array([-0.75, -0.25, 0.25, 0.75])
"""Places on a face, as shares of its half sides."""


@dataclass(frozen=True, eq=False)
class Viewer:
    """The eye of a view; unit vectors in the world."""

    eye: Array  # (3,)
    ahead: Array  # (3,)
    right: Array  # (3,)
    pitch_deg: float | None
    """Of the optical axis above the horizon; None without a vertical."""

    @classmethod
    def of(cls, world_from_cam: Pose, *, upright: bool) -> Viewer:
        """The viewer of a frame, where one looks straight up or down with the image's up for ahead."""
        if not upright:
            return cls(world_from_cam.center, world_from_cam.forward, world_from_cam.right, None)
        axis = world_from_cam.forward
        pitch = float(np.degrees(np.arcsin(np.clip(axis[2], -1.0, 1.0))))
        ahead = np.array([axis[0], axis[1], 0.0])
        if np.linalg.norm(ahead) < 1e-9:
            image_up = -world_from_cam.rotation[:, 1]
            ahead = np.array([image_up[0], image_up[1], 0.0])
        ahead = ahead / np.linalg.norm(ahead)
        return cls(world_from_cam.center, ahead, np.cross(ahead, _UP), pitch)

    @property
    def has_sides(self) -> bool:
        """Whether left and ahead mean something here."""
        return self.pitch_deg is None or abs(self.pitch_deg) <= MOST_PITCH_DEG

    def lateral(self, point: Array) -> float:
        """How far to the right of the eye a point lies; negative to the left."""
        return float((point - self.eye) @ self.right)

    def distance_ahead(self, point: Array) -> float:
        """How far ahead of the eye a point lies."""
        return float((point - self.eye) @ self.ahead)

    def range(self, point: Array) -> float:
        """Distance from the eye."""
        return float(np.linalg.norm(point - self.eye))

    def measure_bearing_deg(self, point: Array) -> float:
        """Direction of a point from straight ahead, clockwise (to the right) positive, in (-180, 180]."""
        return float(np.degrees(np.arctan2(self.lateral(point), self.distance_ahead(point))))

    def turn_quarter(self, side: Literal["left", "right"]) -> Viewer:
        """The same eye after a turn on the spot by 90 degrees."""
        ahead, right = (self.right, -self.ahead) if side == "right" else (-self.right, self.ahead)
        return replace(self, ahead=ahead, right=right)

    def step_aside(self, side: Literal["left", "right"], length: float) -> Viewer:
        """The viewer after a step sideways, still looking the same way; in the unit of the world."""
        return replace(self, eye=self.eye + (length if side == "right" else -length) * self.right)

    def measure_column(self, point: Array) -> float:
        """Where a level picture shows a point from side to side: tangent of its bearing, to the right positive.

        Raises:
            ValueError: For a point that is not ahead.
        """
        ahead = self.distance_ahead(point)
        if ahead <= 0:
            raise ValueError(f"point {point} is {ahead:.2f} ahead, no level picture shows it")
        return self.lateral(point) / ahead


@dataclass(frozen=True, eq=False)
class Standpoint:
    """From where a relation is meant."""

    viewer: Viewer
    pose: Pose
    turn_sigma: float = 0.0
    """Of where it looks, in radians."""
    eye_sigma: float = 0.0
    """Of where it is, in the model's unit."""

    def is_near(self, other: Standpoint, length: float, turn_deg: float) -> bool:
        """Whether another one is within a length, in the model's unit, and a turn: both show about the same."""
        if dist(self.viewer.eye, other.viewer.eye) > length:
            return False
        return angle_between_deg(self.pose.forward, other.pose.forward) <= turn_deg


def find_standpoint(model: SceneModel, frame: int) -> Standpoint:
    """Where a frame with a pose was taken from, and how well that is known."""
    pose, sigma = model.world_from_cam[frame], model.pose_sigma.get(frame)
    turn_sigma, eye_sigma = (radians(sigma.rotation_deg), sigma.position) if sigma else (0.0, 0.0)
    return Standpoint(Viewer.of(pose, upright=model.is_upright), pose, turn_sigma, eye_sigma)


def measure_free_share(eye: Array, target: Obb, others: Sequence[Obb], grow: float = 0.0) -> float:
    """Share (0 to 1) of the faces turned to an eye (3,) that no other box hides, each grown on every side by how badly
    it is known; 0 where the eye is inside the target or another box.
    """
    points = _sample_faces(eye, target)
    if not len(points):
        return 0.0
    hidden = np.zeros(len(points), dtype=bool)
    for box in others:
        hidden |= _crosses(eye, points, box, grow)
    return float(1.0 - hidden.mean())


def _sample_faces(eye: Array, box: Obb) -> Array:
    """Points of the faces that are turned to the eye, (N, 3)."""
    center, half, axes = np.array(box.center), np.array(box.half_extents), np.array(box.rotation)
    local = (np.asarray(eye) - center) @ axes
    out = []
    for axis in range(3):
        if abs(local[axis]) <= half[axis]:
            continue
        other = [one for one in range(3) if one != axis]
        face = np.zeros((len(_GRID) ** 2, 3))
        face[:, other[0]], face[:, other[1]] = (grid.ravel() for grid in np.meshgrid(_GRID, _GRID))
        face[:, axis] = np.sign(local[axis])
        out.append(center + (face * half) @ axes.T)
    return np.concatenate(out) if out else np.zeros((0, 3))


def _crosses(eye: Array, points: Array, box: Obb, grow: float) -> np.ndarray:
    """Which straight ways from the eye to the points go through a box: the slabs of its sides."""
    center, axes = np.array(box.center), np.array(box.rotation)
    half = np.array(box.half_extents) + grow
    start = (np.asarray(eye) - center) @ axes
    way = (points - eye) @ axes
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (-half - start) / way, (half - start) / way
    near, far = np.fmin(one, other).max(axis=1), np.fmax(one, other).min(axis=1)
    return (near <= far) & (far > 0) & (near < 1)
