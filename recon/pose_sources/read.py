"""Find out which format a file or folder of poses has, and read it; COLMAP models and TUM trajectories are read here.

A TUM trajectory has `t x y z qx qy qz qw` per line, world_from_cam, OpenCV camera axes, times in seconds. Commas may
stand between the values, and times may be nanoseconds since 1970, as recorders of robots write them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pycolmap

from recon.colmap.read import TABLES, read_model
from recon.errors import ReconError
from recon.findings import Finding
from recon.geometry import Pose
from recon.given_files import is_system_file, natural_key
from recon.pose_sources.depth import TILE_PX
from recon.pose_sources.nerfstudio import TRANSFORMS, read_nerfstudio
from recon.pose_sources.networks import (
    STREAMED,
    is_predictions,
    read_depth_anything,
    read_predictions,
    read_vipe,
    tell_archive,
)
from recon.pose_sources.records import Lens, PosedPicture, PoseFormat, PoseSource, make_not_finite_findings, read_text

COLUMNS = ("t", "x", "y", "z", "qx", "qy", "qz", "qw")
_QUATERNION_ROUNDING = 0.01  # of its length: files with two decimals are off by up to 0.01


_NANOSECONDS_FROM = 1e17
"""Today is 1.8e9 in seconds since 1970, and 1.8e18 in nanoseconds; this is 1973 in the latter, year 3 billion else."""


def read_tum(path: Path) -> PoseSource:
    """Read one trajectory; the format has no intrinsics. Rows with values that are not finite are left out, and told.

    Raises:
        ReconError: If it cannot be read, holds no pose, or a line is not eight numbers in rising time.
    """
    rows: list[PosedPicture | None] = []
    last_s = -math.inf
    lines = read_text(path).splitlines()
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        row = _read_line(line, f"{path}: line {number}")
        rows.append(row)
        if row is None or row.time_s is None:
            continue
        if row.time_s <= last_s:
            raise ReconError(f"{path}: line {number}: time {row.time_s:.17g} is not later than {last_s:.17g} before it")
        last_s = row.time_s
    pictures = [row for row in rows if row is not None]
    if not pictures:
        raise ReconError(f"{path}: holds no pose; need lines of `{' '.join(COLUMNS)}`")
    findings = make_not_finite_findings(path.name, len(rows) - len(pictures), len(rows))
    if last_s >= _NANOSECONDS_FROM:
        message = f"its times, such as {last_s:.6g}, are read as nanoseconds: no clock counts so many seconds"
        findings.append(Finding("info", "poses.nanoseconds", f"poses {path.name}", message))
        pictures = [replace(picture, time_s=(picture.time_s or 0.0) / 1e9) for picture in pictures]
    return PoseSource(str(path), "tum", tuple(pictures), None, tuple(findings))


def _read_line(line: str, where: str) -> PosedPicture | None:
    """The pose of a line; None where a value is not finite."""
    values = line.replace(",", " ").split()
    if len(values) != len(COLUMNS):
        raise ReconError(f"{where}: {len(values)} values, need 8: {' '.join(COLUMNS)}")
    try:
        numbers = [float(value) for value in values]
    except ValueError as error:
        raise ReconError(f"{where}: {error}; need 8 numbers: {' '.join(COLUMNS)}") from error
    if not all(map(math.isfinite, numbers)):
        return None
    time_s, x, y, z, *quat_xyzw = numbers
    norm = math.hypot(*quat_xyzw)
    if abs(norm - 1.0) > _QUATERNION_ROUNDING:
        raise ReconError(f"{where}: quaternion qx qy qz qw has length {norm:.4g}, need 1. Are the columns in order?")
    qx, qy, qz, qw = quat_xyzw
    return PosedPicture(world_from_cam=Pose.from_quat_wxyz([qw, qx, qy, qz], [x, y, z]), time_s=time_s)


_NETWORK_PX = 518
"""MapAnything writes models of the pictures that it saw: 518 pixels long, in tiles of 14."""


def is_colmap_model(folder: Path) -> bool:
    """Whether the folder holds a model in COLMAP's binary or text format."""
    return any((folder / f"images{suffix}").is_file() for suffix in (".bin", ".txt"))


def read_colmap(folder: Path) -> PoseSource:
    """Read the registered images of a model.

    Raises:
        ReconError: If a file is missing or damaged, or no image has a pose.
    """
    model = read_model(folder, with_points=False)
    images = [model.image(image_id) for image_id in sorted(model.reg_image_ids())]
    if not images:
        raise ReconError(f"{folder}: no image of this model has a pose")
    pictures = tuple(
        PosedPicture(world_from_cam=Pose.from_rigid3d(image.cam_from_world().inverse()), name=image.name)
        for image in images
    )
    return PoseSource(str(folder), "colmap", pictures, _lens(model, images))


def _lens(model: pycolmap.Reconstruction, images: list[pycolmap.Image]) -> Lens:
    """The lens of most images. Where each has a camera of its own, the median of those of the same kind and size."""
    cameras = [model.camera(image.camera_id) for image in images]
    kind = Counter((camera.model.name, camera.width, camera.height) for camera in cameras).most_common(1)[0][0]
    params = np.array([camera.params for camera in cameras if (camera.model.name, camera.width, camera.height) == kind])
    name, *size = kind
    is_prepared = max(size) == _NETWORK_PX and not any(side % TILE_PX for side in size)
    return Lens.of_all(name, params, (size[0], size[1]), is_prepared)


_READERS: dict[PoseFormat, Callable[[Path], PoseSource]] = {
    "colmap": read_colmap,
    "tum": read_tum,
    "nerfstudio": read_nerfstudio,
    "vipe": read_vipe,
    "depth-anything-3": read_depth_anything,
    "predictions": read_predictions,
}
_KNOWN = (
    "a folder with a COLMAP model, a TUM trajectory (.txt, .tum), nerfstudio's transforms.json, ViPE's pose/NAME.npz, "
    "results.npz of Depth-Anything-3, or cameras.json or predictions.npz of LingBot-Map or MapAnything"
)
_OUTPUTS = ("sparse", "rec", "exports/npz", "exports/mini_npz")
"""Where tools put what they found below the folder they are told: COLMAP and MapAnything, VidMap, Depth-Anything-3."""
_SAME_WORLD = ("predictions.npz", "cameras.json")
"""Files of one folder that tell the same poses: the second is taken."""


def read_pose_sources(path: Path, format: PoseFormat | Literal["auto"] = "auto") -> tuple[PoseSource, ...]:
    """Read every world of a file or folder of poses.

    A folder may hold one world, or one per entry as our own exports do (`0.txt`, `1.txt`; `0/`, `1/`); COLMAP's
    `sparse/` and ViPE's `pose/` are looked into.

    Returns:
        At least one source, in natural order of their names.

    Raises:
        ReconError: If there is nothing, the format cannot be told, or a source is broken.
    """
    return tuple(_READERS[kind](entry) for kind, entry in pose_files(path, format))


def pose_files(path: Path, format: PoseFormat | Literal["auto"] = "auto") -> list[tuple[PoseFormat, Path]]:
    """Format and path of every world, without reading it (see `read_pose_sources`)."""
    if not path.exists():
        raise ReconError(f"--poses {path}: no such file or folder. Give {_KNOWN}")
    if path.is_file():
        kind = _kind_of_file(path) if format == "auto" else format
        if kind is None:
            raise ReconError(f"--poses {path}: unknown kind of file. Give {_KNOWN}, or --pose-source.format")
        return [(kind, path.parent if kind == "colmap" else path)]
    found = next((inside for folder in ("", *_OUTPUTS) if (inside := _in_folder(path / folder))), [])
    found = [entry for entry in found if format in ("auto", entry[0])]
    if not found:
        wanted = "poses" if format == "auto" else f"poses of format {format}"
        raise ReconError(f"--poses {path}: no {wanted} in this folder. Give {_KNOWN}")
    kinds = sorted({kind for kind, _ in found})
    if len(kinds) > 1:
        raise ReconError(f"--poses {path}: holds {' and '.join(kinds)}; say which with --pose-source.format")
    if kinds == ["vipe"] and len(found) > 1:
        raise ReconError(f"--poses {path}: holds the poses of {len(found)} videos; name one, such as {found[0][1]}")
    return found


def _in_folder(folder: Path) -> list[tuple[PoseFormat, Path]]:
    """The folder itself if it is one world, else its entries that are."""
    if not folder.is_dir():
        return []
    own = _kind_of_folder(folder)
    if own is not None:
        return [(own, folder)]
    if (folder / _SAME_WORLD[1]).is_file() and is_predictions(folder / _SAME_WORLD[1]):
        return [("predictions", folder / _SAME_WORLD[1])]
    entries = sorted((*folder.iterdir(), *folder.glob("pose/*.npz")), key=lambda entry: natural_key(entry.name))
    found: list[tuple[PoseFormat, Path]] = []
    for entry in (entry for entry in entries if not is_system_file(entry.name)):
        kind = _kind_of_folder(entry) if entry.is_dir() else _kind_by_suffix(entry)
        if kind is not None:
            found.append((kind, entry))
    return found


def _kind_of_folder(folder: Path) -> PoseFormat | None:
    if is_colmap_model(folder):
        return "colmap"
    if (folder / STREAMED).is_file():
        return "depth-anything-3"
    return "nerfstudio" if (folder / TRANSFORMS).is_file() else None


def _kind_of_file(path: Path) -> PoseFormat | None:
    if is_colmap_model(path.parent) and path.stem in TABLES:
        return "colmap"
    if path.suffix.lower() == ".json":
        return "predictions" if is_predictions(path) else "nerfstudio"
    return _kind_by_suffix(path)


def _kind_by_suffix(path: Path) -> PoseFormat | None:
    """Of a file that is no JSON."""
    if path.name == STREAMED:
        return "depth-anything-3"
    if path.suffix.lower() == ".npz":
        return tell_archive(path)
    return "tum" if path.suffix.lower() in (".txt", ".tum") else None
