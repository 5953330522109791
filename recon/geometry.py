"""Poses, similarities and cameras. Names carry direction: `a_from_b` moves points from b to a, so inner names cancel.

Camera axes are OpenCV's (x right, y down, z forward); pixel centres lie at +0.5 as in COLMAP. All lengths are in the
unit of the frame named (metres only where a `Scale` says so). See `docs/conventions.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:  # COLMAP and SciPy cost half a second; `roomtour show` reads poses' records and needs neither
    import pycolmap

Array = NDArray[np.float64]


def require_shape(name: str, array: NDArray, shape: tuple[int | None, ...]) -> None:
    """Raise ValueError unless `array` has `shape` (None matches any length) and is finite."""
    fits = array.ndim == len(shape) and all(
        want is None or have == want for have, want in zip(array.shape, shape, strict=True)
    )
    if not fits:
        raise ValueError(f"{name} has shape {array.shape}, need {shape}")
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name} has values that are not finite")


@dataclass(frozen=True, eq=False)
class Pose:
    """Rigid motion x_a = rotation @ x_b + translation; name the variable a_from_b."""

    rotation: Array  # (3, 3)
    translation: Array  # (3,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rotation", np.asarray(self.rotation, dtype=np.float64))
        object.__setattr__(self, "translation", np.asarray(self.translation, dtype=np.float64))
        require_shape("Pose.rotation", self.rotation, (3, 3))
        require_shape("Pose.translation", self.translation, (3,))
        off = float(np.abs(self.rotation @ self.rotation.T - np.eye(3)).max())
        if off > 1e-6 or np.linalg.det(self.rotation) < 0:
            raise ValueError(f"Pose.rotation is not a rotation: R R^T differs from identity by {off:.2e}")

    @classmethod
    def identity(cls) -> Pose:
        """The motion that moves nothing."""
        return cls(np.eye(3), np.zeros(3))

    @classmethod
    def from_quat_wxyz(cls, quat_wxyz: ArrayLike, translation: ArrayLike) -> Pose:
        """Build from a quaternion (w, x, y, z), normalised here, and a translation."""
        quat = np.asarray(quat_wxyz, dtype=np.float64)
        from scipy.spatial.transform import Rotation

        return cls(Rotation.from_quat(quat[[1, 2, 3, 0]]).as_matrix(), np.asarray(translation, dtype=np.float64))

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> Pose:
        """Build from a (3, 4) or (4, 4) matrix."""
        matrix = np.asarray(matrix, dtype=np.float64)
        return cls(matrix[:3, :3], matrix[:3, 3])

    @classmethod
    def from_rigid3d(cls, rigid: pycolmap.Rigid3d) -> Pose:
        """Build from pycolmap's type; direction is kept."""
        return cls.from_matrix(rigid.matrix())

    def to_rigid3d(self) -> pycolmap.Rigid3d:
        """The same motion as pycolmap's type."""
        import pycolmap

        return pycolmap.Rigid3d(pycolmap.Rotation3d(self.rotation), self.translation)

    @cached_property
    def quat_wxyz(self) -> Array:
        """Unit quaternion (w, x, y, z) with w >= 0."""
        from scipy.spatial.transform import Rotation

        x, y, z, w = Rotation.from_matrix(self.rotation).as_quat(canonical=True)
        return np.array([w, x, y, z])

    def matrix(self) -> Array:
        """The motion as a (4, 4) matrix."""
        out = np.eye(4)
        out[:3, :3] = self.rotation
        out[:3, 3] = self.translation
        return out

    def inverse(self) -> Pose:
        """b_from_a of an a_from_b."""
        return Pose(self.rotation.T, -self.rotation.T @ self.translation)

    @overload
    def __matmul__(self, other: Pose) -> Pose: ...
    @overload
    def __matmul__(self, other: Array) -> Array: ...
    def __matmul__(self, other: Pose | Array) -> Pose | Array:
        """Compose with a pose, or move points of shape (3,) or (N, 3)."""
        if isinstance(other, Pose):
            return Pose(self.rotation @ other.rotation, self.rotation @ other.translation + self.translation)
        return np.asarray(other) @ self.rotation.T + self.translation

    @property
    def forward(self) -> Array:
        """For a world_from_cam: unit optical axis in the world, (3,)."""
        return self.rotation[:, 2]

    @property
    def right(self) -> Array:
        """For a world_from_cam: unit vector to the image's right in the world, (3,)."""
        return self.rotation[:, 0]

    @property
    def center(self) -> Array:
        """For a world_from_cam: the camera centre in the world, (3,)."""
        return self.translation

    def depths(self, points: ArrayLike) -> Array:
        """For a world_from_cam: depth of world points (N, 3) along the optical axis, (N,); negative behind."""
        return (np.asarray(points, dtype=np.float64) - self.center) @ self.forward


@dataclass(frozen=True, eq=False)
class Sim3:
    """Similarity x_a = scale * rotation @ x_b + translation; name the variable a_from_b."""

    scale: float
    rotation: Array  # (3, 3)
    translation: Array  # (3,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rotation", np.asarray(self.rotation, dtype=np.float64))
        object.__setattr__(self, "translation", np.asarray(self.translation, dtype=np.float64))
        require_shape("Sim3.rotation", self.rotation, (3, 3))
        require_shape("Sim3.translation", self.translation, (3,))
        if not (np.isfinite(self.scale) and self.scale > 0):
            raise ValueError(f"Sim3.scale is {self.scale}, need a positive number")

    @classmethod
    def fit(cls, points_a: ArrayLike, points_b: ArrayLike) -> Sim3:
        """Least-squares a_from_b over point pairs (Umeyama 1991).

        Raises:
            ValueError: For fewer than three pairs or points that all coincide.
        """
        a, b = np.asarray(points_a, dtype=np.float64), np.asarray(points_b, dtype=np.float64)
        if a.shape != b.shape or a.ndim != 2 or a.shape[1] != 3 or len(a) < 3:
            raise ValueError(f"Sim3.fit needs two (N, 3) arrays with N >= 3, got {a.shape} and {b.shape}")
        mean_a, mean_b = a.mean(axis=0), b.mean(axis=0)
        variance_b = float(((b - mean_b) ** 2).sum() / len(b))
        if variance_b < 1e-18:
            raise ValueError("Sim3.fit: all points of b coincide")
        u, singular, vt = np.linalg.svd((a - mean_a).T @ (b - mean_b) / len(a))
        sign = np.diag([1.0, 1.0, np.sign(np.linalg.det(u) * np.linalg.det(vt))])
        rotation = u @ sign @ vt
        scale = float((singular * np.diag(sign)).sum() / variance_b)
        return cls(scale, rotation, mean_a - scale * rotation @ mean_b)

    def to_sim3d(self) -> pycolmap.Sim3d:
        """The same similarity as pycolmap's type."""
        import pycolmap

        return pycolmap.Sim3d(self.scale, pycolmap.Rotation3d(self.rotation), self.translation)

    def inverse(self) -> Sim3:
        """b_from_a of an a_from_b."""
        return Sim3(1.0 / self.scale, self.rotation.T, -self.rotation.T @ self.translation / self.scale)

    @overload
    def __matmul__(self, other: Sim3) -> Sim3: ...
    @overload
    def __matmul__(self, other: Array) -> Array: ...
    def __matmul__(self, other: Sim3 | Array) -> Sim3 | Array:
        """Compose with a similarity, or move points of shape (3,) or (N, 3)."""
        if isinstance(other, Sim3):
            return Sim3(self.scale * other.scale, self.rotation @ other.rotation, self @ other.translation)
        return self.scale * (np.asarray(other) @ self.rotation.T) + self.translation

    def move_camera(self, b_from_cam: Pose) -> Pose:
        """a_from_cam of a camera given as b_from_cam; the camera's own frame keeps no scale."""
        return Pose(self.rotation @ b_from_cam.rotation, self @ b_from_cam.translation)


@dataclass(frozen=True)
class Camera:
    """A COLMAP camera model: name, size in pixels and parameters in COLMAP's order."""

    model: str
    width: int
    height: int
    params: tuple[float, ...]

    def __post_init__(self) -> None:
        import pycolmap

        if self.model not in pycolmap.CameraModelId.__members__ or self.model == "INVALID":
            raise ValueError(f"Camera: COLMAP knows no camera model {self.model!r}")
        if not self._colmap.verify_params():
            raise ValueError(f"Camera: {self.model} does not take {len(self.params)} parameters")

    @cached_property
    def _colmap(self) -> pycolmap.Camera:
        return self.to_colmap()

    @classmethod
    def from_colmap(cls, camera: pycolmap.Camera) -> Camera:
        """Build from pycolmap's type."""
        return cls(camera.model.name, camera.width, camera.height, tuple(float(p) for p in camera.params))

    def to_colmap(self, camera_id: int = 1) -> pycolmap.Camera:
        """The same camera as pycolmap's type."""
        import pycolmap

        return pycolmap.Camera(
            camera_id=camera_id, model=self.model, width=self.width, height=self.height, params=list(self.params)
        )

    @property
    def fx(self) -> float:
        """Focal length in pixels along x."""
        return float(self._colmap.focal_length_x)

    @property
    def fy(self) -> float:
        """Focal length in pixels along y."""
        return float(self._colmap.focal_length_y)

    @property
    def cx(self) -> float:
        """Principal point x in pixels (pixel centres at +0.5)."""
        return float(self._colmap.principal_point_x)

    @property
    def cy(self) -> float:
        """Principal point y in pixels (pixel centres at +0.5)."""
        return float(self._colmap.principal_point_y)

    @property
    def distortion(self) -> tuple[float, ...]:
        """Parameters after focal length and principal point, in COLMAP's order."""
        taken = len(self._colmap.focal_length_idxs()) + len(self._colmap.principal_point_idxs())
        return self.params[taken:]

    def project(self, points_cam: ArrayLike) -> Array:
        """Pixels (N, 2) of points (N, 3) in camera axes; rows of points with z <= 0 are NaN."""
        points = np.atleast_2d(np.asarray(points_cam, dtype=np.float64))
        out = np.full((len(points), 2), np.nan)
        ahead = points[:, 2] > 1e-9
        if ahead.any():
            out[ahead] = self._colmap.img_from_cam(points[ahead])
        return out

    def rays(self, pixels: ArrayLike) -> Array:
        """Points (N, 3) at z = 1 in camera axes behind pixels (N, 2)."""
        pixels = np.atleast_2d(np.asarray(pixels, dtype=np.float64))
        plane = np.asarray(self._colmap.cam_from_img(pixels))
        return np.column_stack([plane, np.ones(len(plane))])

    def is_inside(self, pixels: ArrayLike) -> NDArray[np.bool_]:
        """Which pixels (N, 2) lie on the image; NaN rows do not."""
        pixels = np.atleast_2d(np.asarray(pixels, dtype=np.float64))
        with np.errstate(invalid="ignore"):
            return (
                (pixels[:, 0] >= 0) & (pixels[:, 0] < self.width) & (pixels[:, 1] >= 0) & (pixels[:, 1] < self.height)
            )


def angle_between_deg(a: ArrayLike, b: ArrayLike) -> float:
    """Angle between two vectors in degrees, 0 to 180."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return float(np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)))


def turn_deg(a: Array, b: Array) -> float:
    """Angle of the rotation (3, 3) that takes one to the other, 0 to 180."""
    from scipy.spatial.transform import Rotation

    return float(np.degrees(Rotation.from_matrix(a.T @ b).magnitude()))


def cross_matrices(vectors: Array) -> Array:
    """(..., 3, 3) matrices that cross from the left with vectors (..., 3)."""
    x, y, z = np.moveaxis(vectors, -1, 0)
    zero = np.zeros_like(x)
    return np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(*vectors.shape, 3)


def fit_plane(points: Array, weights: Array | None = None) -> tuple[Array, float]:
    """Total least squares: the plane (a line for points on a plan) with the least squared distance to points.

    Args:
        points: (N, D), N >= D.
        weights: (N,) of the squared distances; None weighs all alike.

    Returns:
        Unit normal (D,) and offset: normal @ x = offset on the plane. The sign of the normal is arbitrary.
    """
    if weights is None:
        mean = points.mean(axis=0)
        away = points - mean
    else:
        mean = weights @ points / weights.sum()
        away = (points - mean) * np.sqrt(weights)[:, None]
    normal = np.linalg.svd(away, full_matrices=False)[2][-1]
    return normal, float(mean @ normal)


def path_length(centers: Sequence[ArrayLike] | Array) -> float:
    """Length of the polyline through the centres, in their own unit."""
    points = np.asarray(centers, dtype=np.float64)
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum()) if len(points) > 1 else 0.0


def sample_depth(depth: NDArray[np.float32], xy: Array, step_px: int) -> Array:
    """Depth at pixels (N, 2), from the nearest sample of a map (h, w) taken at every `step_px`-th pixel: (N,)."""
    rows, columns = depth.shape
    nearest = np.rint((xy - 0.5) / step_px).astype(np.int64)
    return depth[np.clip(nearest[:, 1], 0, rows - 1), np.clip(nearest[:, 0], 0, columns - 1)].astype(np.float64)
