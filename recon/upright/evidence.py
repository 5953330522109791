"""What looking at the pictures adds to an upright scene: which points lie on floor, ceiling or walls, and sizes.

The package knows no networks; whoever composes the stages hands one of these in (`instructions.perception.sizes`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from recon.records import SceneModel, SizeWitness, Tracks


class SceneEvidence(Protocol):
    """What the pictures say of one sub-model."""

    def surfaces(self, tracks: Tracks) -> NDArray[np.uint8]:
        """What each point (P,) lies on: `UNNAMED`, `FLOOR`, `CEILING`, `WALL` or `THING` of `recon.records`."""
        ...

    def sizes(self, model: SceneModel) -> Sequence[SizeWitness]:
        """Things of known size in an upright model with a floor, in its unit; its scale is only the prior."""
        ...
