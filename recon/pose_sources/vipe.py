"""ViPE's artifacts: `pose/NAME.npz` (`inds`, `data`: 4x4 world_from_cam, OpenCV axes), and beside it
`intrinsics/NAME.npz` and `depth/NAME.zip`, a picture `NNNNN.exr` of metres for each of the video's.

Intrinsics are `fx fy cx cy` per picture, in pixels of the video ViPE read; `intrinsics/NAME_camera.txt` names the
camera type per picture. `inds` number the video's pictures from 0.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recon.arrays import load_arrays
from recon.errors import ReconError
from recon.given_files import read_given_text
from recon.pose_sources.depth import make_zipped_depth
from recon.pose_sources.records import Lens, PoseSource
from recon.pose_sources.rigid import make_median_lens, make_numbered_source


def read_vipe(path: Path) -> PoseSource:
    """Read one video's poses, and its intrinsics and depth where they lie beside them.

    Args:
        path: `pose/NAME.npz`.

    Raises:
        ReconError: If a file cannot be read, has other arrays, or the camera is no pinhole camera.
    """
    numbers, matrices = _arrays(path, "4x4 matrices")
    if matrices.ndim != 3:
        raise ReconError(f"{path}: data has shape {matrices.shape}, need (N, 4, 4)")
    beside = path.parent.parent / "intrinsics"
    lens = _lens(beside / path.name, beside / f"{path.stem}_camera.txt") if (beside / path.name).is_file() else None
    maps = path.parent.parent / "depth" / f"{path.stem}.zip"
    depth = make_zipped_depth(maps) if maps.is_file() else None
    return make_numbered_source(path, "vipe", matrices, numbers.tolist(), lens, depth=depth)


def _lens(path: Path, types: Path) -> Lens:
    _, values = _arrays(path, "fx fy cx cy")
    lines = read_given_text(types, "replace").splitlines() if types.is_file() else []
    other = sorted({line.split(":")[-1].strip() for line in lines} - {"PINHOLE"})
    if other or values.ndim != 2 or values.shape[1] != 4:
        named = f"camera type {', '.join(other)}" if other else f"`data` has shape {values.shape}"
        raise ReconError(f"{path}: {named}; only pinhole cameras (fx fy cx cy per picture) can be read")
    return make_median_lens(values, path, None, is_prepared=False)


def _arrays(path: Path, what: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """`inds` and `data` of a file; nothing in it is executed."""
    try:
        numbers, data = load_arrays(path, ("inds", "data"))
        values = data.astype(np.float64)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise ReconError(f"{path}: no ViPE file: {reason}. It needs `inds` (N,) and `data` ({what})") from error
    whole = numbers.ndim == 1 and np.issubdtype(numbers.dtype, np.integer)
    if not whole or len(numbers) != len(values) or len(numbers) == 0:
        raise ReconError(f"{path}: `inds` {numbers.shape} {numbers.dtype} do not number `data` {values.shape}")
    if numbers[0] < 0 or np.any(np.diff(numbers) <= 0):
        raise ReconError(f"{path}: `inds` must rise from 0 or more; they number the video's pictures")
    return numbers.astype(np.int64), values
