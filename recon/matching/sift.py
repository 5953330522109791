"""SIFT keypoints, spread over the picture, their matches, and what of matches one epipolar geometry explains.

Own code because it is cheap on a CPU. COLMAP's own extractor needs about four times the CPU of OpenCV's for the same
keypoints. On pairs of 1700 keypoints, its RANSAC takes 8 to 19 ms for the same inliers that MAGSAC finds in 1.4 ms, and
one matrix product over the 64 principal axes of the tour's descriptors halves the matching time at no loss of inliers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
import pycolmap
from numpy.typing import NDArray

from recon.geometry import Array
from recon.matching.interfaces import (
    CANDIDATES,
    ENOUGH,
    LEAST_MATCHES,
    PLENTY,
    UNIT,
    CompactKeypoints,
    DescriptorSpace,
    FeatureOptions,
    Indices,
    Keypoints,
    PairMatch,
    spread_over_picture,
)
from recon.video.picture import Image

MAX_RATIO = 0.8  # best distance over second best. Above it a match is ambiguous.
_MAX_DISTANCE = 0.7  # euclidean distance of unit descriptors; unrelated ones lie near 1.2
_PLANAR_SHARE = 0.9
"""A homography that explains this share of the inliers makes the pair a plane, a turn on the spot, or no motion."""


@dataclass(frozen=True, eq=False)
class Nearest:
    """The most similar of the second frame's descriptors for each of the first's, by cosine."""

    rows: NDArray[np.intp]  # (K1,)
    similarity: NDArray[np.float32]  # (K1,)
    runner_up: NDArray[np.float32]  # (K1,) similarity of the second best; empty if not asked
    is_mutual: NDArray[np.bool_]  # (K1,)


def find_nearest(first: NDArray[np.float32], second: NDArray[np.float32], *, with_runner_up: bool) -> Nearest:
    """Compare unit descriptors (K1, D) and (K2, D), at least one each."""
    best = np.empty(len(first), np.intp)
    top, runner_up = np.empty((2, len(first)), np.float32)
    top_of_second = np.full(len(second), -np.inf, np.float32)
    # A few hundred rows at a time stay in the processor's cache: a fifth faster than the whole matrix at once.
    for start in range(0, len(first), _ROWS_AT_ONCE):
        block = slice(start, start + _ROWS_AT_ONCE)
        similarity = first[block] @ second.T
        rows = np.arange(len(similarity))
        best[block] = similarity.argmax(axis=1)
        top[block] = similarity[rows, best[block]]
        np.maximum(top_of_second, similarity.max(axis=0), out=top_of_second)
        if with_runner_up:
            similarity[rows, best[block]] = -1.0
            runner_up[block] = similarity.max(axis=1)
    return Nearest(best, top, runner_up, top_of_second[best] == top)


def match_descriptors(first: NDArray[np.float32], second: NDArray[np.float32]) -> Indices:
    """Mutual nearest neighbours of unit descriptors (K1, D) and (K2, D) that pass the ratio test; (M, 2) indices."""
    if len(first) < 2 or len(second) < 2:
        return np.zeros((0, 2), np.uint32)
    found = find_nearest(first, second, with_runner_up=True)
    near = found.similarity > 1.0 - _MAX_DISTANCE**2 / 2.0
    clear = np.maximum(1.0 - found.similarity, 0.0) < MAX_RATIO**2 * (1.0 - found.runner_up)
    rows = np.flatnonzero(found.is_mutual & near & clear)
    return np.column_stack([rows, found.rows[rows]]).astype(np.uint32)


_ROWS_AT_ONCE = 512  # 512 by 1800 similarities are 4 MB


def verify(
    first_xy: NDArray[np.float32],
    second_xy: NDArray[np.float32],
    matches: Indices,
    max_error_px: float,
    min_inliers: int,
) -> PairMatch:
    """Keep the matches that one fundamental matrix explains. Deterministic: OpenCV's MAGSAC has its own fixed seed.

    Args:
        first_xy: (K1, 2) keypoints of the first frame.
        second_xy: (K2, 2) of the second.
        matches: Rows of both.
        max_error_px: Distance to the epipolar line that still counts as the same point.
        min_inliers: Fewer agreeing matches happen by chance; none is kept then.
    """
    nothing = PairMatch(matches, np.zeros((0, 2), np.uint32), None, None)
    if len(matches) < min_inliers:
        return nothing
    a, b = first_xy[matches[:, 0]].astype(np.float64), second_xy[matches[:, 1]].astype(np.float64)
    fundamental, by_lines = _robust(cv2.findFundamentalMat, a, b, max_error_px, confidence=0.999, maxIters=2000)
    if by_lines.sum() < min_inliers:
        # A perfectly flat or turning pair has no single fundamental matrix, but its matches are as good as any.
        fundamental, by_lines = None, np.ones(len(a), bool)
    homography, by_plane = _robust(
        cv2.findHomography, a[by_lines], b[by_lines], max_error_px, confidence=0.99, maxIters=500
    )
    if by_plane.sum() <= _PLANAR_SHARE * by_plane.size:
        homography = None
    if fundamental is None:
        by_lines = by_plane
    if (fundamental is None and homography is None) or by_lines.sum() < min_inliers:
        return nothing
    return PairMatch(matches, matches[by_lines], fundamental, homography)


def _robust(
    estimate: Callable[..., tuple], first_xy: Array, second_xy: Array, max_error_px: float, **search: float
) -> tuple[Array | None, NDArray[np.bool_]]:
    """MAGSAC's (3, 3) model and which point pairs it explains; None and no pair if it finds no model."""
    none = np.zeros(len(first_xy), bool)
    try:
        model, mask = estimate(
            first_xy, second_xy, method=cv2.USAC_MAGSAC, ransacReprojThreshold=max_error_px, **search
        )
    except cv2.error:  # it fails an assertion of its own where all samples are degenerate
        return None, none
    if model is None or mask is None or model.shape != (3, 3):
        return None, none
    return np.asarray(model, np.float64), mask.ravel() > 0


def two_view_geometry(pair: PairMatch) -> pycolmap.TwoViewGeometry:
    """A pair with inliers as COLMAP stores it."""
    geometry, kind = pycolmap.TwoViewGeometry(), pycolmap.TwoViewGeometryConfiguration
    geometry.config = int(kind.UNCALIBRATED if pair.homography is None else kind.PLANAR_OR_PANORAMIC)
    if pair.fundamental is not None:
        geometry.F = pair.fundamental
    if pair.homography is not None:
        geometry.H = pair.homography
    geometry.inlier_matches = pair.inliers
    return geometry


@dataclass(frozen=True)
class Sift:
    """See `Features`."""

    max_features: int = FeatureOptions.max_features
    enough: int = ENOUGH
    picture_side: int = 288
    """Keypoints are looked for in the picture shrunk to this shorter side, in pixels. The finest detail of a compressed
    video differs from frame to frame: without it, fewer keypoints have as many matches, at 60 % of the time."""
    contrast_threshold: float = 0.008
    """OpenCV's threshold; a fifth of its default, so that blank walls and dark frames keep a few hundred keypoints."""
    plenty: int = PLENTY
    name: Literal["sift"] = "sift"
    is_gray: bool = True
    gaps: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 8, 16)  # the last two, long baselines, make the walk stiff

    def detect(self, picture: Image, mask: Image | None) -> Keypoints:
        """SIFT keypoints of a gray picture (H, W), spread over it; none where the mask is 0.

        The first `enough` of them cover the picture by themselves.
        """
        height, width = picture.shape
        scale = min(1.0, self.picture_side / min(height, width))
        small_size = round(scale * width), round(scale * height)
        if scale < 1.0:
            picture = cv2.resize(picture, small_size, interpolation=cv2.INTER_AREA)  # pyright: ignore[reportAssignmentType]
            mask = None if mask is None else cv2.resize(mask, small_size, interpolation=cv2.INTER_NEAREST)  # pyright: ignore[reportAssignmentType]
        sift = cv2.SIFT.create(
            nfeatures=round(CANDIDATES * self.max_features),
            contrastThreshold=self.contrast_threshold,
            enable_precise_upscale=True,
        )
        keypoints, raw = sift.detectAndCompute(picture, mask)
        if raw is None or not len(keypoints):
            return Keypoints(np.zeros((0, 2), np.float32), np.zeros((0, 128), np.uint8))
        order = np.argsort([-point.response for point in keypoints], kind="stable")
        xy = np.asarray(cv2.KeyPoint.convert(keypoints), np.float32) + np.float32(0.5)
        xy *= np.array([width / small_size[0], height / small_size[1]], np.float32)
        chosen = order[self._choose(xy[order], (width, height))]
        root = np.sqrt(raw[chosen] / np.maximum(raw[chosen].sum(axis=1, keepdims=True), 1e-9))
        descriptors = np.minimum(np.round(UNIT * root), 255.0).astype(np.uint8)
        return Keypoints(xy[chosen], descriptors)

    def space(self, sample: NDArray[np.uint8]) -> DescriptorSpace:
        """The principal axes of a sample (S, 128)."""
        return DescriptorSpace(sample)

    def match(self, first: CompactKeypoints, second: CompactKeypoints) -> PairMatch:
        """Mutual nearest neighbours that pass the ratio test, verified."""
        matches = match_descriptors(first.vectors, second.vectors)
        return verify(first.xy, second.xy, matches, _MAX_ERROR_PX, LEAST_MATCHES)

    def _choose(self, xy: NDArray[np.float32], size: tuple[int, int]) -> NDArray[np.int64]:
        """Rows of keypoints (strongest first) to keep: those that are enough, then the others; each strongest first."""
        enough = spread_over_picture(xy[: round(CANDIDATES * self.enough)], size, self.enough)
        others = np.setdiff1d(spread_over_picture(xy, size, self.max_features), enough)
        return np.concatenate([enough, others])[: self.max_features]


_MAX_ERROR_PX = 2.0  # of `verify`; keypoints are good to about 0.5 px
