"""Depth maps of a run folder: one compressed file per registered frame, every fourth pixel, NaN where unknown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from instructions.facts.depth import track_depth
from recon.records import SceneModel

STEP_PX = 4
"""Tracks lie further apart than this, so a denser grid would only store the interpolation."""


def write_depth(model: SceneModel, folder: Path) -> None:
    """Write folder/FRAME.npz for each frame of the model: `depth` (h, w) float16 in the model's unit, `step_px`."""
    for frame in model.frames:
        write_depth_map(folder, frame, track_depth_map(model, frame))


def track_depth_map(model: SceneModel, frame: int) -> NDArray[np.float32]:
    """Depth (h, w) interpolated between the tracks of a frame, at every `STEP_PX`-th pixel."""
    return track_depth(model, frame).grid(model.camera.width, model.camera.height, step_px=STEP_PX)


def write_depth_map(folder: Path, frame: int, depth: NDArray[np.float32]) -> None:
    """Write one map (h, w), sampled at every `STEP_PX`-th pixel."""
    np.savez_compressed(folder / f"{frame:06d}.npz", depth=depth.astype(np.float16), step_px=STEP_PX)


def read_depth(folder: Path, frame: int) -> NDArray[np.float32]:
    """Depth (h, w) at the centres of every `STEP_PX`-th pixel of one frame."""
    with np.load(folder / f"{frame:06d}.npz", allow_pickle=False) as file:
        return file["depth"].astype(np.float32)
