"""Poses of networks that look at many pictures at once: Depth-Anything-3, LingBot-Map, MapAnything, and of ViPE.

Pictures are numbered in the order in which the network was given them. Intrinsics are for what it saw: pictures resized
to sides that are multiples of 14, or cut about their middle to such.

* Depth-Anything-3, `results.npz`: `extrinsics` (N, 3, 4) cam_from_world, `intrinsics` (N, 3, 3), `depth`. Streaming:
  `camera_poses.txt`, 16 numbers a line, world_from_cam, `intrinsic.txt`, fx fy cx cy a line, and if it was asked to,
  `results_output/frame_N.npz` with `depth`.
* LingBot-Map, `cameras.json`: per picture `frame`, `c2w` (3, 4), `K` (3, 3).
* LingBot-Map and MapAnything, `predictions.npz`: `extrinsic` (N, 3 or 4, 4) world_from_cam, `intrinsic` (N, 3, 3). VGGT
  writes cam_from_world under these names: where a file holds depth and points of the world, they tell which it is.
* ViPE, `pose/NAME.npz` (`inds`, `data`: 4x4 world_from_cam, OpenCV axes), and beside it `intrinsics/NAME.npz`, `fx fy
  cx cy` per picture in pixels of the video that ViPE read, `intrinsics/NAME_camera.txt`, the camera type per picture,
  and `depth/NAME.zip`, a picture `NNNNN.exr` of metres for each of the video's. `inds` number these from 0.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recon.arrays import list_arrays, load_arrays
from recon.errors import ReconError, first_line
from recon.geometry import Array
from recon.given_files import read_given_text
from recon.pose_sources.depth import GivenDepth, make_array_depth, make_folder_depth, make_zipped_depth
from recon.pose_sources.nerfstudio import TRANSFORMS
from recon.pose_sources.records import Lens, PoseFormat, PoseSource, make_median_lens, make_numbered_source, read_text

STREAMED = "camera_poses.txt"
_STREAMED_LENS, _STREAMED_DEPTH = "intrinsic.txt", "results_output"
_SAMPLES = 7  # pixels along each side at which a file's points are held against its poses


def read_depth_anything(path: Path) -> PoseSource:
    """Read `results.npz` or, of a streamed run, `camera_poses.txt` and the intrinsics beside it.

    Raises:
        ReconError: If it cannot be read, has other arrays, or a matrix is not rigid.
    """
    if path.suffix.lower() == ".npz":
        matrices, intrinsics, depth = _load(path, ("extrinsics", "intrinsics", "depth"))
        return _make_source(path, "depth-anything-3", matrices, intrinsics, _find_size(depth), is_inverse=True)
    path = path / STREAMED if path.is_dir() else path
    rows = _read_table(path, 16).reshape(-1, 4, 4)
    beside = path.with_name(_STREAMED_LENS)
    intrinsics = None
    if beside.is_file():
        fx, fy, cx, cy = _read_table(beside, 4).T
        intrinsics = np.tile(np.eye(3), (len(fx), 1, 1))
        intrinsics[:, 0, 0], intrinsics[:, 1, 1], intrinsics[:, 0, 2], intrinsics[:, 1, 2] = fx, fy, cx, cy
    maps = path.with_name(_STREAMED_DEPTH)
    depth = make_folder_depth(maps) if maps.is_dir() else None
    return _make_source(path, "depth-anything-3", rows, intrinsics, None, depth=depth)


def read_predictions(path: Path) -> PoseSource:
    """Read `cameras.json` or `predictions.npz`.

    Raises:
        ReconError: If it cannot be read, has other arrays or fields, or a matrix is not rigid.
    """
    if path.suffix.lower() == ".npz":
        matrices, intrinsics = _load(path, ("extrinsic", "intrinsic"))
        held = list_arrays(path)
        if "depth" not in held:
            return _make_source(path, "predictions", matrices, intrinsics, None)
        (depth,) = _load(path, ("depth",))
        is_inverse = "world_points" in held and _is_cam_from_world(
            matrices, intrinsics, depth, _load(path, ("world_points",))[0], path
        )
        return _make_source(path, "predictions", matrices, intrinsics, _find_size(depth), is_inverse=is_inverse)
    try:
        rows = json.loads(read_text(path))
        order = sorted(range(len(rows)), key=lambda row: int(rows[row]["frame"]))
        matrices, intrinsics = ([rows[row][name] for row in order] for name in ("c2w", "K"))
        numbers = [int(rows[row]["frame"]) for row in order]
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ReconError(f"{path}: is no cameras.json: {error}. It needs a list of `frame`, `c2w` and `K`") from error
    return _make_source(path, "predictions", matrices, intrinsics, None, numbers=numbers)


def is_predictions(path: Path) -> bool:
    """Whether a JSON file is a list of cameras, as LingBot-Map writes it."""
    if path.name == TRANSFORMS:
        return False
    try:
        return read_given_text(path).lstrip().startswith("[")
    except (OSError, UnicodeDecodeError):
        return False


def tell_archive(path: Path) -> PoseFormat:
    """Whose arrays a `.npz` file holds, by their names; ViPE's where it cannot be read or has none of them."""
    try:
        held = list_arrays(path)
    except (OSError, ValueError):
        return "vipe"
    return "depth-anything-3" if "extrinsics" in held else "predictions" if "extrinsic" in held else "vipe"


def _make_source(
    path: Path,
    format: PoseFormat,
    matrices: Sequence[ArrayLike] | NDArray[Any],
    intrinsics: ArrayLike | None,
    size: tuple[int, int] | None,
    *,
    is_inverse: bool = False,
    numbers: Sequence[int] | None = None,
    depth: GivenDepth | None = None,
) -> PoseSource:
    numbers = numbers or range(len(matrices))
    lens = None if intrinsics is None else _find_lens(intrinsics, len(matrices), size, path)
    if size is not None:  # which only maps tell
        depth = make_array_depth(path)
    return make_numbered_source(
        path, format, matrices, numbers, lens, is_inverse=is_inverse, given=len(matrices), depth=depth
    )


def _find_lens(intrinsics: ArrayLike, count: int, size: tuple[int, int] | None, path: Path) -> Lens:
    """The median over the pictures; where no size is told, the principal point is the middle."""
    try:
        matrices = np.asarray(intrinsics, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ReconError(f"{path}: intrinsics are no matrices of numbers") from error
    if matrices.shape != (count, 3, 3):
        raise ReconError(f"{path}: intrinsics have shape {matrices.shape}, need ({count}, 3, 3), one for each pose")
    values = matrices[:, [0, 1, 0, 1], [0, 1, 2, 2]]
    return make_median_lens(values, path, size, is_prepared=True)


def _find_size(depth: NDArray[Any]) -> tuple[int, int]:
    """Width and height of maps (N, height, width) or (N, height, width, 1)."""
    return int(depth.shape[2]), int(depth.shape[1])


def _is_cam_from_world(matrices: Array, intrinsics: Array, depth: Array, points: Array, path: Path) -> bool:
    """Whether the file's own points of the world lie where its depth puts them if its matrices are cam_from_world."""
    depth = depth.reshape(depth.shape[:3])
    if points.shape != (*depth.shape, 3):
        raise ReconError(f"{path}: world_points have shape {points.shape}, depth {depth.shape}; they do not fit")
    rows, columns = (np.linspace(0, side - 1, _SAMPLES).astype(int) for side in depth.shape[1:])
    y, x = (grid.ravel() for grid in np.meshgrid(rows, columns, indexing="ij"))
    off = []
    for matrix, lens, own, given in zip(matrices, intrinsics, depth[:, y, x], points[:, y, x], strict=True):
        rays = np.column_stack([x + 0.5, y + 0.5, np.ones(len(x))]) @ np.linalg.inv(lens).T
        seen, turn, shift = rays * own[:, None], matrix[:3, :3], matrix[:3, 3]
        placed = (seen @ turn.T + shift, (seen - shift) @ turn)
        off.append([np.linalg.norm(points_world - given, axis=1) for points_world in placed])
    forward, inverse = np.nanmedian(np.array(off), axis=(0, 2))
    return bool(inverse < forward)


def _load(path: Path, names: Sequence[str]) -> tuple[NDArray[Any], ...]:
    try:
        arrays = load_arrays(path, names)
        values = tuple(array.astype(np.float64) for array in arrays)
    except (OSError, ValueError) as error:
        needed = ", ".join(f"`{name}`" for name in names)
        raise ReconError(f"{path}: {first_line(error)}. It needs {needed}") from error
    for name, value in zip(names, values, strict=True):
        if value.ndim < 3 or len(value) == 0:
            raise ReconError(f"{path}: {name} has shape {value.shape}, need one matrix or map for each picture")
    return values


def _read_table(path: Path, columns: int) -> Array:
    """Lines of so many numbers."""
    rows = [line.split() for line in read_text(path).splitlines() if line.strip()]
    try:
        return np.array(rows, dtype=np.float64).reshape(len(rows), columns)
    except ValueError as error:
        raise ReconError(f"{path}: need lines of {columns} numbers") from error


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
        raise ReconError(
            f"{path}: no ViPE file: {first_line(error)}. It needs `inds` (N,) and `data` ({what})"
        ) from error
    whole = numbers.ndim == 1 and np.issubdtype(numbers.dtype, np.integer)
    if not whole or len(numbers) != len(values) or len(numbers) == 0:
        raise ReconError(f"{path}: `inds` {numbers.shape} {numbers.dtype} do not number `data` {values.shape}")
    if numbers[0] < 0 or np.any(np.diff(numbers) <= 0):
        raise ReconError(f"{path}: `inds` must rise from 0 or more; they number the video's pictures")
    return numbers.astype(np.int64), values
