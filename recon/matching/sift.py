"""SIFT keypoints, spread over the picture, and their matches.

COLMAP's own extractor needs about four times the CPU of OpenCV's for the same keypoints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.matching.interfaces import (
    CANDIDATES,
    ENOUGH,
    LEAST_MATCHES,
    PLENTY,
    UNIT,
    CompactKeypoints,
    DescriptorSpace,
    FeatureOptions,
    Keypoints,
    PairMatch,
    spread_over_picture,
)
from recon.matching.matching import match_descriptors, verify
from recon.video.picture import Image


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
    is_grey: bool = True
    gaps: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 8, 16)  # the last two, long baselines, make the walk stiff

    def detect(self, picture: Image, mask: Image | None) -> Keypoints:
        """SIFT keypoints of a grey picture (H, W), spread over it; none where the mask is 0.

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
