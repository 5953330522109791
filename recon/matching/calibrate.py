"""One focal length for the whole tour, voted for by all good pairs of frames before any mapping.

A fundamental matrix of a camera with the right focal length becomes an essential matrix, whose two singular values are
equal (Hartley and Zisserman, section 9.6). Each pair says little; hundreds agree within about 2 %.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from recon.geometry import Array, Camera
from recon.matching.interfaces import PairMatch


@dataclass(frozen=True)
class FocalVote:
    """The focal length most pairs agree on."""

    focal_px: float
    pairs: int
    """Pairs that voted."""
    agreement: float
    """Share of the pairs that support it, by a soft count."""


def vote_focal(camera: Camera, matched: Iterable[PairMatch], min_inliers: int = 60) -> FocalVote | None:
    """Find the focal length that makes most fundamental matrices essential.

    Args:
        camera: Size and optical centre; its focal length is not used.
        matched: Verified pairs. Planes and turns on the spot say nothing and are left out.
        min_inliers: Pairs with fewer matches are too noisy.

    Returns:
        None if fewer than 30 pairs can vote.
    """
    good = [m.fundamental for m in matched if m.homography is None and len(m.inliers) >= min_inliers]
    fundamentals = np.array([f for f in good if f is not None])
    if len(fundamentals) < _MIN_PAIRS:
        return None
    to_center = np.array([[1.0, 0.0, camera.cx], [0.0, 1.0, camera.cy], [0.0, 0.0, 1.0]])
    centered = to_center.T @ fundamentals @ to_center
    ratios = np.geomspace(_LEAST, _MOST, _STEPS)
    support = np.array([_support(centered, ratio * max(camera.width, camera.height)) for ratio in ratios])
    best = int(support.argmax())
    log_ratio = np.log(ratios[best])
    if 0 < best < _STEPS - 1:
        left, middle, right = support[best - 1 : best + 2]
        step = np.log(ratios[1] / ratios[0])
        log_ratio += 0.5 * step * (left - right) / (left - 2.0 * middle + right)
    focal = float(np.exp(log_ratio)) * max(camera.width, camera.height)
    return FocalVote(focal, len(fundamentals), float(support[best]))


_MIN_PAIRS = 30
"""Pairs that vote; the peak of fewer moves with each of them. Set by hand."""
_LEAST, _MOST, _STEPS = 0.4, 2.5, 90  # focal length over the longer side: fisheye to short telephoto, 2 % apart
_UNEQUAL = 0.03  # relative difference of the singular values that halves a pair's support


def _support(centered: Array, focal: float) -> float:
    """Mean support of fundamental matrices (N, 3, 3), taken about the optical centre, for one focal length."""
    scale = np.array([focal, focal, 1.0])
    singular = np.linalg.svd(centered * scale[:, None] * scale[None, :], compute_uv=False)
    unequal = (singular[:, 0] - singular[:, 1]) / singular[:, 0]
    return float((1.0 / (1.0 + (unequal / _UNEQUAL) ** 2)).mean())


def set_focal(camera: Camera, focal_px: float) -> Camera:
    """The same SIMPLE_RADIAL camera with another focal length."""
    return replace(camera, params=(focal_px, *camera.params[1:]))
