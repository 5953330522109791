"""What a kind of keypoints has to do, and what keypoints are: the same for SIFT and for learned ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from recon.ranges import AtLeastOne, Positive
from recon.video.picture import Image


@dataclass(frozen=True, kw_only=True)
class FeatureOptions:
    """What kind of keypoints a frame gets and how many, and the first guess of the camera."""

    kind: Literal["auto", "sift", "xfeat"] = "auto"
    """SIFT, learned keypoints (XFeat; needs the light models), or SIFT first and XFeat where a clip comes out short,
    torn or in pieces."""
    max_features: AtLeastOne = 1800
    """SIFT keypoints kept per frame, spread over the picture; textured rooms have 1000 to 3500."""
    focal_ratio: Positive = 0.75
    """Focal length over the longer side that is expected, and taken where no pairs tell: phones that film lie between
    0.7 and 0.9, wide lenses of gimbals and action cameras between 0.4 and 0.6."""

    @property
    def are_learned(self) -> bool:
        """Whether a network finds them from the first look on."""
        return self.kind == "xfeat"


Indices = NDArray[np.uint32]  # (M, 2): row in the first, row in the second frame

UNIT = 512.0  # of a descriptor of length 1 in bytes; what is above 255 is cut
LEAST_MATCHES = 15  # of two frames that verify a pair, or tell a pose or a turn: three times the five that fix a pose
ENOUGH, PLENTY = 1500, 300
"""Keypoints of a frame that are matched, the first ones, where it has `PLENTY` of matches with its neighbours. Where
they overlap little all are matched, a fifth more expensive; else frames are lost there."""


@dataclass(frozen=True, eq=False)
class Keypoints:
    """Features of one frame as they are stored, for every kind in the same form."""

    xy: NDArray[np.float32]  # (K, 2) pixels, pixel centres at +0.5
    descriptors: NDArray[np.uint8]  # (K, 128): RootSIFT, or learned vectors as their kind packs them


@dataclass(frozen=True, eq=False)
class CompactKeypoints:
    """Features of one frame, ready for matching."""

    xy: NDArray[np.float32]  # (K, 2) pixels, pixel centres at +0.5
    vectors: NDArray[np.float32]  # (K, D) unit vectors on the strongest principal axes, strongest first

    def first(self, count: int) -> CompactKeypoints:
        """The first `count` keypoints; row numbers stay."""
        return CompactKeypoints(self.xy[:count], self.vectors[:count])


@dataclass(frozen=True, eq=False)
class PairMatch:
    """What two frames have in common."""

    matches: Indices
    inliers: Indices
    fundamental: NDArray[np.float64] | None  # (3, 3), x2^T F x1 = 0
    homography: NDArray[np.float64] | None  # (3, 3), set where it explains nearly all inliers


class DescriptorSpace:
    """The principal axes of a tour's descriptors."""

    def __init__(
        self,
        sample: NDArray[np.uint8] | NDArray[np.float32],
        unpack: Callable[[NDArray[np.uint8]], NDArray] | None = None,
    ) -> None:
        """Find the axes of a sample (S, D) of what `unpack` makes of stored descriptors; by default, their bytes."""
        self._unpack = unpack
        centered = sample - sample.sum(axis=0, dtype=np.float32) / np.float32(max(1, len(sample)))
        _, _, axes = np.linalg.svd(centered.T @ centered)
        self._axes = axes[:_DIMENSIONS].T

    def compact(self, keypoints: Keypoints) -> CompactKeypoints:
        """The same keypoints with descriptors as unit vectors of at most 64 dimensions."""
        stored = keypoints.descriptors if self._unpack is None else self._unpack(keypoints.descriptors)
        vectors = stored.astype(np.float32) @ self._axes
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        return CompactKeypoints(keypoints.xy, vectors)


_DIMENSIONS = 64  # principal axes kept of the 128 of a descriptor: half of the products of matching


class Features(Protocol):
    """A kind of keypoints: how they are found, and how those of two frames are matched.

    It goes to tasks, so it can be pickled; a network is loaded by the task that needs it.
    """

    @property
    def name(self) -> str:
        """As `--features.kind` calls it."""
        ...

    @property
    def is_gray(self) -> bool:
        """Whether `detect` takes gray pictures (H, W), else RGB (H, W, 3)."""
        ...

    @property
    def gaps(self) -> tuple[int, ...]:
        """Which neighbours are matched: frames from one of a pair to the other."""
        ...

    @property
    def enough(self) -> int:
        """The first so many keypoints are matched between frames that have plenty in common with their neighbours."""
        ...

    @property
    def plenty(self) -> int:
        """Matches that such a frame has, by `enough` keypoints, with the frames right before and after it."""
        ...

    def detect(self, picture: Image, mask: Image | None) -> Keypoints:
        """Keypoints in pixels of the picture, the most telling first; none where the mask (H, W) is 0."""
        ...

    def space(self, sample: NDArray[np.uint8]) -> DescriptorSpace:
        """How descriptors are made ready for matching, from a sample (S, 128) of the tour's."""
        ...

    def match(self, first: CompactKeypoints, second: CompactKeypoints) -> PairMatch:
        """The matches of two frames, and which of them one geometry explains."""
        ...


_CELLS = 6  # along the shorter side
CANDIDATES = 1.5
"""Keypoints to choose from, per keypoint kept: all that there are would bring in the weak ones of blank walls, with
which the office walk bent by 1.6 m."""


def spread_over_picture(
    xy: NDArray[np.float32] | NDArray[np.int64], size: tuple[int, int], count: int
) -> NDArray[np.int64]:
    """Choose `count` keypoints, evenly over the cells of a grid and the strongest of each cell.

    The strongest alone crowd on one poster and leave the walls to chance. On the made apartment, 1300 chosen so gave
    0.3 to 0.7 cm where the 2000 strongest gave 2.0 and the 1300 strongest 2.1, at three quarters of the CPU time of
    matching and mapping.

    Args:
        xy: (K, 2) pixels, the strongest keypoint first.
        size: (width, height) of the picture.
        count: How many; all are chosen if there are no more.

    Returns:
        Rows of `xy` in rising order, so that the strongest chosen one is first.
    """
    if len(xy) <= count:
        return np.arange(len(xy))
    side = min(size) / _CELLS
    columns = int(size[0] // side) + 1
    cell = (xy[:, 1] // side).astype(np.int64) * columns + (xy[:, 0] // side).astype(np.int64)
    by_cell = np.argsort(cell, kind="stable")
    begins = np.flatnonzero(np.diff(cell[by_cell], prepend=-1))
    lengths = np.diff(np.append(begins, len(cell)))
    rank = np.empty(len(cell), np.int64)  # place among the keypoints of the same cell
    rank[by_cell] = np.arange(len(cell)) - np.repeat(begins, lengths)
    return np.sort(np.argsort(rank, kind="stable")[:count])
