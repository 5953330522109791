"""Cameras of simulators, which no file of theirs tells: what an import assumes, and an export takes back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Simulator:
    """What a simulator's camera is."""

    eye_m: float
    """Above the agent's position."""
    down_deg: float
    fov_deg: float
    """Across the picture."""


PRESETS = {"thor-sample": Simulator(0.63, 29.0, 88.0)}
"""Measured on SPRITE's released sample; assumed for everything else."""
