"""Poses as a source states them, before they are given to frames, and how they are read and trusted.

Rounding in the matrices of other tools is mended, anything else refused with what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pycolmap
from numpy.typing import ArrayLike, NDArray

from recon.errors import ReconError
from recon.findings import Finding
from recon.geometry import Array, Camera, Pose
from recon.given_files import describe_unread, read_given_text
from recon.pose_sources.depth import GivenDepth, is_stretched
from recon.ranges import ClockShift, NotNegative, Number, Share

PoseFormat = Literal["colmap", "tum", "nerfstudio", "vipe", "depth-anything-3", "predictions"]


@dataclass(frozen=True, kw_only=True)
class PosedPicture:
    """One pose and how its picture is known: exactly one of time, name and position is set."""

    world_from_cam: Pose
    """OpenCV camera axes, whatever the file uses."""
    time_s: float | None = None
    """Presentation time in the clock of the source."""
    name: str | None = None
    """Image file, relative to a folder that the source does not name."""
    position: int | None = None
    """Number of the picture in the video or folder, from 0."""


@dataclass(frozen=True)
class Lens:
    """Intrinsics as a source states them, in pixels with pixel centres at +0.5."""

    model: str
    """COLMAP's name."""
    params: tuple[float, ...]
    """In COLMAP's order."""
    size: tuple[int, int] | None = None
    """Width and height of the pictures they are for; none means the upright pictures of the tour itself."""
    spread: float = 0.0
    """Relative range of the focal length over the pictures, where the source has one lens for each."""
    is_prepared: bool = False
    """For pictures as a network saw them: both sides multiples of 14, resized each by its own factor, or resized by one
    and cut about the middle."""

    @classmethod
    def of_all(cls, model: str, params: Array, size: tuple[int, int] | None, is_prepared: bool = False) -> Lens:
        """The median of the parameters (N, P) of all pictures."""
        middle = np.median(params, axis=0)
        spread = float(np.ptp(params[:, 0]) / middle[0]) if middle[0] else 0.0
        return cls(model, tuple(middle.tolist()), size, spread, is_prepared)

    def camera_for(self, frame: tuple[int, int], picture: tuple[int, int], where: str) -> Camera:
        """The camera of the tour's frames.

        Args:
            frame: Width and height of a frame.
            picture: Width and height of the upright pictures the frames were made from.
            where: The source, for the error.

        Raises:
            ReconError: If the pictures the lens is for have another shape.
        """
        width, height = self.size or picture
        if self.is_prepared and not is_stretched((width, height), picture):
            camera = Camera(self.model, width, height, self.params).to_colmap()
            return _undo_cut(camera, frame)
        if not self.is_prepared and abs(width * frame[1] - height * frame[0]) > 0.01 * width * frame[1]:
            is_turned = abs(width * frame[0] - height * frame[1]) <= 0.01 * width * frame[0]
            why = (
                "One of them is turned by a quarter: use the video"
                if is_turned
                else "Were they cropped? Use the pictures"
            )
            raise ReconError(
                f"{where}: the intrinsics are for pictures of {width}x{height}, the frames are {frame[0]}x{frame[1]}, "
                f"which is another shape. {why} that the poses were made from, or give --pose-source.intrinsics."
            )
        camera = Camera(self.model, width, height, self.params).to_colmap()
        if not (0.2 * width < camera.principal_point_x < 0.8 * width and camera.mean_focal_length() > 0.2 * width):
            raise ReconError(
                f"{where}: focal length {camera.mean_focal_length():.0f} and centre {camera.principal_point_x:.0f} "
                f"px do not fit pictures {width} px wide. Give --pose-source.intrinsics in pixels of the upright video."
            )
        camera.rescale(*frame)
        return Camera.from_colmap(camera)


def _undo_cut(cut: pycolmap.Camera, frame: tuple[int, int]) -> Camera:
    """The camera of frames of which the middle, of another shape, was cut out."""
    scale = max(cut.width / frame[0], cut.height / frame[1])
    focal = np.array([cut.focal_length_x, cut.focal_length_y]) / scale
    center = np.array([cut.principal_point_x - cut.width / 2, cut.principal_point_y - cut.height / 2]) / scale
    return Camera("PINHOLE", *frame, (*focal.tolist(), *(center + np.array(frame) / 2).tolist()))


@dataclass(frozen=True, eq=False)
class PoseSource:
    """The poses of one connected world."""

    label: str
    """File or folder, for people."""
    format: PoseFormat
    pictures: tuple[PosedPicture, ...]
    """In the order of the source."""
    lens: Lens | None
    findings: tuple[Finding, ...] = ()
    """What was left out or guessed when it was read."""
    given: int | None = None
    """How many pictures the tool was given, which positions number; None where they number all of the tour's."""
    depth: GivenDepth | None = None
    """In the unit of the poses, as the tool says; by position."""


@dataclass(frozen=True, kw_only=True)
class PoseSourceOptions:
    """How the poses of `--poses` are read and trusted."""

    format: PoseFormat | Literal["auto"] = "auto"
    """Format of the file or folder; `auto` goes by file names."""
    metric: bool = False
    """The poses are in metres, from a sensor or a metric method; else the scale comes from the camera height."""
    metric_sigma: Share = 0.02
    """Relative standard deviation of those metres: depth and inertial sensors are good to 1 or 2 %."""
    time_offset_s: ClockShift = 0.0
    """Added to the times of the poses (s), so that they count like the video's: from the start of the file."""
    max_gap_s: NotNegative = 0.1
    """A frame between two poses at most this far apart (s) is given a pose between them: 10 poses per second do."""
    tolerance_s: NotNegative = 0.02
    """A frame that does not lie so takes the nearest pose up to this far off (s): half a frame of video."""
    intrinsics: tuple[Number, Number, Number, Number] | None = None
    """fx fy cx cy in pixels of the upright original pictures, pixel centres at +0.5; wins over the source's own."""
    distortion: tuple[Number, Number, Number, Number] = (0.0, 0.0, 0.0, 0.0)
    """k1 k2 p1 p2 of OpenCV's model; only read together with the intrinsics."""
    refine: bool = False
    """Adjust the poses to the pictures too; they keep the place and scale of the given ones as a whole."""

    def __post_init__(self) -> None:
        if self.intrinsics is not None and not min(self.intrinsics) > 0:
            raise ReconError(f"--pose-source.intrinsics is {self.intrinsics}, need four positive numbers: fx fy cx cy.")

    @property
    def lens(self) -> Lens | None:
        """The lens that was given by flag."""
        return None if self.intrinsics is None else Lens("OPENCV", (*self.intrinsics, *self.distortion))


_ROUNDING = 2e-3  # largest entry of R R^T - I that four decimals can cause; scales and shears are far above


def make_not_finite_findings(name: str, count: int, total: int) -> list[Finding]:
    """What is said of poses that were left out because a value of theirs is not finite: nothing if there are none."""
    message = (
        f"{count} of {total} poses have values that are not finite, as tools write them where they lost track; left out"
    )
    return [Finding("warning", "poses.not_finite", f"poses {name}", message)] if count else []


def make_numbered_source(
    path: Path,
    format: PoseFormat,
    matrices: Iterable[ArrayLike],
    numbers: Sequence[int],
    lens: Lens | None,
    *,
    is_inverse: bool = False,
    given: int | None = None,
    depth: GivenDepth | None = None,
) -> PoseSource:
    """The source of numbered pictures, by world_from_cam or its inverse; what is not finite is left out, and told.

    Raises:
        ReconError: If a matrix is not rigid, or none is finite.
    """
    poses = [rigid_pose(matrix, f"{path}: pose {row}") for row, matrix in enumerate(matrices)]
    pictures = tuple(
        PosedPicture(world_from_cam=pose.inverse() if is_inverse else pose, position=int(number))
        for number, pose in zip(numbers, poses, strict=True)
        if pose is not None
    )
    if not pictures:
        raise ReconError(f"{path}: none of {len(poses)} poses is finite")
    left_out = make_not_finite_findings(path.name, len(poses) - len(pictures), len(poses))
    return PoseSource(str(path), format, pictures, lens, tuple(left_out), given, depth)


def make_median_lens(
    values: NDArray[np.float64], path: Path, size: tuple[int, int] | None, *, is_prepared: bool
) -> Lens:
    """The pinhole lens of pictures with fx fy cx cy (N, 4) each; of a prepared one without a size twice its centre.

    Raises:
        ReconError: If none of them is finite.
    """
    values = values[np.isfinite(values).all(axis=1)]
    if not len(values):
        raise ReconError(f"{path}: no intrinsics are finite. Give --pose-source.intrinsics")
    if is_prepared and size is None:
        width, height = 2 * np.median(values[:, 2:], axis=0)
        size = round(width), round(height)
    return Lens.of_all("PINHOLE", values, size, is_prepared)


def read_text(path: Path) -> str:
    """The text of a source.

    Raises:
        ReconError: If it cannot be read.
    """
    try:
        return read_given_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise ReconError(f"{path}: cannot be read: {describe_unread(error)}") from error


def rigid_pose(matrix: ArrayLike, where: str) -> Pose | None:
    """The pose of a (3, 4) or (4, 4) matrix whose rotation may be rounded; None where a value is not finite.

    Raises:
        ReconError: If it has another shape, is left-handed, or scales or shears.
    """
    try:
        values = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ReconError(f"{where}: is not a matrix of numbers") from error
    if values.shape not in ((3, 4), (4, 4)):
        raise ReconError(f"{where}: a transform has shape {values.shape}, need (4, 4)")
    if not np.all(np.isfinite(values)):
        return None
    if len(values) == 4 and np.abs(values[3] - [0, 0, 0, 1]).max() > 1e-6:
        raise ReconError(f"{where}: the last row is {values[3].tolist()}, need 0 0 0 1. Is the matrix transposed?")
    rotation = values[:3, :3]
    volume = float(np.linalg.det(rotation))
    if volume < 0:
        raise ReconError(
            f"{where}: left-handed (determinant {volume:.3g}): one axis is mirrored. Convert the poses to right-handed "
            "axes; flip two camera axes, not one"
        )
    off = float(np.abs(rotation @ rotation.T - np.eye(3)).max())
    if off > _ROUNDING:
        size = volume ** (1 / 3)
        scaled = size > 1e-9 and np.abs(rotation @ rotation.T / size**2 - np.eye(3)).max() <= _ROUNDING
        what = f"scaled by {size:.4g}" if scaled else f"R R^T differs from identity by {off:.2g}"
        raise ReconError(f"{where}: not rigid: {what}. Give camera-to-world matrices of rotation and translation only")
    u, _, vt = np.linalg.svd(rotation)
    return Pose(u @ vt, values[:3, 3])
