"""What perception must be able to do, one Protocol per ability. Embedded and learned implementations share these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from instructions.records import Observation, SceneObject
from recon.findings import Finding
from recon.records import Frame, SceneModel


@dataclass(frozen=True)
class LandmarkResult:
    """Objects of one model with what each frame sees of them. Observations are sorted by frame, then by object."""

    objects: tuple[SceneObject, ...]
    observations: tuple[Observation, ...]
    findings: tuple[Finding, ...] = field(default=())


class LandmarkFinder(Protocol):
    """Finds the things worth naming in one model."""

    def __call__(
        self, model: SceneModel, frames_dir: Path | None, frames: Sequence[Frame], *, seed: int = 0
    ) -> LandmarkResult:
        """Objects and observations of `model`; `frames_dir` None means that no pictures are at hand."""
        ...


class DepthEstimator(Protocol):
    """Gives depth along the optical axis for one registered frame."""

    def __call__(self, model: SceneModel, frame: int, image_path: Path | None = None) -> NDArray[np.float32]:
        """(height, width) of the model's camera, in the model's unit; NaN where unknown."""
        ...
