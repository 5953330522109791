"""Options of the features of a tour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recon.ranges import AtLeastOne, Positive


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
