"""Compare estimated poses with reference poses after the best similarity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from recon.geometry import Array, Pose, Sim3, turn_deg


@dataclass(frozen=True)
class PoseError:
    """Errors over the frames both have, in the unit of the reference."""

    frames: int
    rmse: float
    median: float
    largest: float
    rotation_median_deg: float
    reference_from_estimate: Sim3


def pose_error(estimate: Mapping[int, Pose], reference: Mapping[int, Pose]) -> PoseError:
    """Align camera centres with a similarity (Umeyama) and measure what is left.

    Raises:
        ValueError: If fewer than three frames are common, or their estimated centres coincide.
    """
    common = sorted(estimate.keys() & reference.keys())
    if len(common) < 3:
        raise ValueError(f"pose_error needs three common frames, got {len(common)}")
    estimated = np.array([estimate[frame].center for frame in common])
    true = np.array([reference[frame].center for frame in common])
    fit = Sim3.fit(true, estimated)
    off: Array = np.linalg.norm(fit @ estimated - true, axis=1)
    turned = [turn_deg(fit.rotation @ estimate[frame].rotation, reference[frame].rotation) for frame in common]
    return PoseError(
        frames=len(common),
        rmse=float(np.sqrt((off**2).mean())),
        median=float(np.median(off)),
        largest=float(off.max()),
        rotation_median_deg=float(np.median(turned)),
        reference_from_estimate=fit,
    )
