"""What a writer must be able to do. The embedded grammar and language models share this."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from instructions.records import Instruction, Observation, SceneObject
from recon.records import Scene
from trajectories.records import Trajectory


class InstructionWriter(Protocol):
    """Writes checked navigation texts for the walks of one scene."""

    def __call__(
        self,
        scene: Scene,
        trajectories: Sequence[Trajectory],
        objects: Sequence[SceneObject],
        observations: Sequence[Observation],
        *,
        seed: int = 0,
    ) -> list[Instruction]:
        """Accepted and rejected instructions, in time order per trajectory."""
        ...
