"""Options of the features of a tour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Le

from recon.matching.aliked import AlikedOptions
from recon.matching.xfeat import XFeatOptions
from recon.ranges import AtLeastOne, Count, Positive, Share


@dataclass(frozen=True, kw_only=True)
class FeatureOptions:
    """What kind of keypoints a frame gets and how many, and the first guess of the camera."""

    kind: Literal["auto", "sift", "xfeat", "aliked"] = "auto"
    """SIFT, learned keypoints (XFeat; needs the light models), learned ones that a network matches too (ALIKED with
    LightGlue; for GPUs), or SIFT first and XFeat where a clip comes out short, torn or in pieces. The sizes and
    thresholds below are those of SIFT."""
    max_features: AtLeastOne = 1800
    """Keypoints kept per frame, spread over the picture; textured rooms have 1000 to 3500."""
    enough_features: AtLeastOne = 1500
    """As many of them are matched between frames that have plenty in common with their neighbours. All, a fifth more
    expensive, are needed where neighbours overlap little; else frames are lost there."""
    plenty: Count = 300
    """Matches that such a frame has, by that many keypoints, with the frames right before and after it."""
    picture_side: Annotated[int, Ge(64), Le(4320)] = 288
    """Keypoints are looked for in the picture shrunk to this shorter side, in pixels. The finest detail of a compressed
    video differs from frame to frame: without it, fewer keypoints have as many matches, at 60 % of the time."""
    contrast_threshold: Share = 0.008
    """OpenCV's threshold; a fifth of its default, so that blank walls and dark frames keep a few hundred keypoints."""
    edge_threshold: Positive = 10.0
    """Ratio of curvatures above which a keypoint slides along an edge."""
    focal_ratio: Positive = 0.75
    """Focal length over the longer side that is expected, and taken where no pairs tell: phones that film lie between
    0.7 and 0.9, wide lenses of gimbals and action cameras between 0.4 and 0.6."""
    xfeat: XFeatOptions = XFeatOptions()
    """Learned keypoints"""
    aliked: AlikedOptions = AlikedOptions()
    """Learned keypoints for GPUs"""

    @property
    def are_learned(self) -> bool:
        """Whether a network finds them from the first look on."""
        return self.kind in ("xfeat", "aliked")
