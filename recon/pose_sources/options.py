"""How given poses are read and trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recon.errors import ReconError
from recon.pose_sources.records import Lens, PoseFormat
from recon.ranges import ClockShift, NotNegative, Number, Share


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
