"""What exports and the report read: everything one finished run knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from instructions.records import Instruction, Observation, SceneObject, SpatialLine
from recon.records import Scene
from trajectories.records import Trajectory


@dataclass(frozen=True, eq=False)
class RunData:
    """All records of one run. Tuples may be empty; a tour without a reconstruction has a scene without models."""

    scene: Scene
    trajectories: tuple[Trajectory, ...]
    objects: tuple[SceneObject, ...]
    observations: tuple[Observation, ...]
    spatial_lines: tuple[SpatialLine, ...]
    instructions: tuple[Instruction, ...]
    frames_dir: Path
    """Folder that holds `Frame.image` of every frame."""
    provenance: Mapping[str, object]
    """Versions, options, source licence and hashes, as the manifest has them."""
