"""Depth maps of a run folder: one compressed file per registered frame, every fourth pixel, NaN where unknown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

STEP_PX = 4
"""Tracks lie further apart than this, so a denser grid would only store the interpolation."""


def write_depth_map(folder: Path, frame: int, depth: NDArray[np.float32]) -> None:
    """Write one map (h, w), sampled at every `STEP_PX`-th pixel."""
    np.savez_compressed(folder / f"{frame:06d}.npz", depth=depth.astype(np.float16), step_px=STEP_PX)


def read_depth(folder: Path, frame: int) -> NDArray[np.float32]:
    """Depth (h, w) at the centres of every `STEP_PX`-th pixel of one frame."""
    with np.load(folder / f"{frame:06d}.npz", allow_pickle=False) as file:
        return file["depth"].astype(np.float32)
