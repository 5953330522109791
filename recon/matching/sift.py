"""SIFT keypoints, spread over the picture, and their matches.

COLMAP's own extractor needs about four times the CPU of OpenCV's for the same keypoints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.matching.interfaces import UNIT, CompactKeypoints, DescriptorSpace, Keypoints, PairMatch
from recon.matching.matching import MatchOptions, match_descriptors, verify
from recon.matching.options import FeatureOptions
from recon.matching.spread import spread_over_picture
from recon.video.picture import Image


@dataclass(frozen=True)
class Sift:
    """See `Features`."""

    options: FeatureOptions = FeatureOptions()
    match_options: MatchOptions = MatchOptions()
    name: Literal["sift"] = "sift"
    is_grey: bool = True
    gaps: None = None

    @property
    def enough(self) -> int:
        """See `FeatureOptions.enough_features`."""
        return self.options.enough_features

    @property
    def plenty(self) -> int:
        """See `FeatureOptions.plenty`."""
        return self.options.plenty

    def detect(self, picture: Image, mask: Image | None) -> Keypoints:
        """SIFT keypoints of a grey picture (H, W), spread over it; none where the mask is 0.

        The first `enough_features` of them cover the picture by themselves.
        """
        height, width = picture.shape
        scale = min(1.0, self.options.picture_side / min(height, width))
        small_size = round(scale * width), round(scale * height)
        if scale < 1.0:
            picture = cv2.resize(picture, small_size, interpolation=cv2.INTER_AREA)  # pyright: ignore[reportAssignmentType]
            mask = None if mask is None else cv2.resize(mask, small_size, interpolation=cv2.INTER_NEAREST)  # pyright: ignore[reportAssignmentType]
        sift = cv2.SIFT.create(
            nfeatures=round(_CANDIDATES * self.options.max_features),
            contrastThreshold=self.options.contrast_threshold,
            edgeThreshold=self.options.edge_threshold,
            enable_precise_upscale=True,
        )
        keypoints, raw = sift.detectAndCompute(picture, mask)
        if raw is None or not len(keypoints):
            return Keypoints(np.zeros((0, 2), np.float32), np.zeros((0, 128), np.uint8))
        order = np.argsort([-point.response for point in keypoints], kind="stable")
        xy = np.asarray(cv2.KeyPoint.convert(keypoints), np.float32) + np.float32(0.5)
        xy *= np.array([width / small_size[0], height / small_size[1]], np.float32)
        chosen = order[_choose_keypoints(xy[order], (width, height), self.options)]
        root = np.sqrt(raw[chosen] / np.maximum(raw[chosen].sum(axis=1, keepdims=True), 1e-9))
        descriptors = np.minimum(np.round(UNIT * root), 255.0).astype(np.uint8)
        return Keypoints(xy[chosen], descriptors)

    def space(self, sample: NDArray[np.uint8]) -> DescriptorSpace:
        """The principal axes of a sample (S, 128)."""
        return DescriptorSpace(sample)

    def match(self, first: CompactKeypoints, second: CompactKeypoints) -> PairMatch:
        """Mutual nearest neighbours that pass the ratio test, verified."""
        matches = match_descriptors(first.vectors, second.vectors, self.match_options)
        return verify(first.xy, second.xy, matches, self.match_options)


def _choose_keypoints(xy: NDArray[np.float32], size: tuple[int, int], options: FeatureOptions) -> NDArray[np.int64]:
    """Rows of keypoints (strongest first) to keep: those that are enough, then the others; each strongest first."""
    enough = spread_over_picture(xy[: round(_CANDIDATES * options.enough_features)], size, options.enough_features)
    others = np.setdiff1d(spread_over_picture(xy, size, options.max_features), enough)
    return np.concatenate([enough, others])[: options.max_features]


_CANDIDATES = 1.5
"""Keypoints to choose from, per keypoint kept: all that there are would bring in the weak ones of blank walls, with
which the office walk bent by 1.6 m."""
