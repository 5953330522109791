"""Depth that a tool wrote beside its poses, brought to the frames of the tour."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import file_digest, sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recon.arrays import load_arrays
from recon.errors import ReconError
from recon.given_files import list_files
from recon.pose_sources.exr import decode_exr

_GRID_PX = 14
"""Networks see pictures in tiles of so many pixels."""


@dataclass(frozen=True, eq=False)
class GivenDepth:
    """Depth along the optical axis, one map for each picture that the tool was given."""

    path: Path
    read: Callable[[int], NDArray[np.float32] | None]
    """The map (h, w) of the picture at a position; None where there is none. Raises ReconError."""

    def digest(self) -> bytes:
        """Of the file, or of all files of the folder."""
        whole = sha256()
        for path in list_files(self.path) or (self.path,):
            with path.open("rb") as file:
                whole.update(file_digest(file, "sha256").digest())
        return whole.digest()

    def sample(
        self, position: int, frame: tuple[int, int], picture: tuple[int, int], step_px: int
    ) -> NDArray[np.float32] | None:
        """Depth at every n-th pixel of a frame, NaN where unknown.

        Args:
            position: Of the picture in the source.
            frame: Width and height of the frame.
            picture: Width and height of the upright pictures that frames were made from.
            step_px: The pixels between two samples.

        Raises:
            ReconError: If the file cannot be read.
        """
        depth = self.read(position)
        if depth is None:
            return None
        height, width = depth.shape
        x, y = (np.arange(0, side, step_px) + 0.5 for side in frame)
        if is_stretched((width, height), picture):
            x, y = x * width / frame[0], y * height / frame[1]
        else:
            scale = max(width / frame[0], height / frame[1])
            x, y = (x - frame[0] / 2) * scale + width / 2, (y - frame[1] / 2) * scale + height / 2
        columns, rows = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
        inside = ((rows >= 0) & (rows < height))[:, None] & ((columns >= 0) & (columns < width))[None, :]
        found = depth[np.clip(rows, 0, height - 1)[:, None], np.clip(columns, 0, width - 1)[None, :]]
        return np.where(inside & np.isfinite(found) & (found > 0), found, np.nan).astype(np.float32)


def make_array_depth(path: Path) -> GivenDepth:
    """Of the array `depth`, (N, h, w) or (N, h, w, 1), of a `.npz` file."""

    @lru_cache(maxsize=1)
    def load() -> NDArray[np.float32]:
        return _load(path, 3)

    return GivenDepth(path, lambda position: load()[position] if position < len(load()) else None)


def make_folder_depth(folder: Path) -> GivenDepth:
    """Of the arrays `depth`, (h, w), of the files `frame_N.npz` of a folder, as Depth-Anything-3 streams them."""

    def read(position: int) -> NDArray[np.float32] | None:
        path = folder / f"frame_{position}.npz"
        return _load(path, 2) if path.is_file() else None

    return GivenDepth(folder, read)


def _load(path: Path, dimensions: int) -> NDArray[np.float32]:
    try:
        (maps,) = load_arrays(path, ("depth",))
        return maps.reshape(maps.shape[:dimensions]).astype(np.float32, copy=False)
    except (OSError, ValueError) as error:
        raise ReconError(f"{path}: depth cannot be read: {str(error).splitlines()[0]}") from error


def make_zipped_depth(path: Path) -> GivenDepth:
    """Of an archive with a picture `NNNNN.exr` for each number, as ViPE writes it."""

    def read(position: int) -> NDArray[np.float32] | None:
        try:
            with zipfile.ZipFile(path) as archive:
                name = f"{position:05d}.exr"
                return decode_exr(archive.read(name)) if name in archive.namelist() else None
        except (OSError, ValueError, NotImplementedError, RuntimeError, zipfile.BadZipFile) as error:
            raise ReconError(f"{path}: depth cannot be read: {str(error).splitlines()[0]}") from error

    return GivenDepth(path, read)


def is_stretched(size: tuple[int, int], picture: tuple[int, int]) -> bool:
    """Whether a network's picture shows all of the tour's: its shape differs by no more than sides were rounded."""
    width, height = size
    scale = max(width / picture[0], height / picture[1]), min(width / picture[0], height / picture[1])
    return abs(scale[0] - scale[1]) * min(picture) <= _GRID_PX
