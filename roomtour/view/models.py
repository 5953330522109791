"""The reconstructed models as the viewer needs them: poses, and points without who saw them.

`read_scene` also reads each observation of each point, which takes minutes for the tour of a large house; here a
million points take about a second and a half.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import pycolmap
from numpy.typing import NDArray

from recon.colmap.read import read_model
from recon.errors import ReconError
from recon.geometry import Array, Camera, Pose
from recon.records import Frame, Scale
from roomtour.errors import RoomtourError
from roomtour.files.records import from_plain, read_json

_PLY_VERTEX = np.dtype([("xyz", "<f4", 3), ("rgb", "u1", 3)])
_REACH_PERCENTILES = (2.0, 98.0)
"""Points outside these are often the far ends of bad tracks; nothing is sized or placed by them."""


@dataclass(frozen=True, eq=False)
class ViewModel:
    """One model, z up, in the unit of its scale."""

    name: str
    camera: Camera
    scale: Scale
    floor_z: float | None
    world_from_cam: dict[int, Pose]
    """Pose per registered frame, in time order."""
    xyz: NDArray[np.float32]  # (P, 3)
    rgb: NDArray[np.uint8]  # (P, 3)
    points_in_model: int
    """Before thinning."""

    @cached_property
    def frames(self) -> tuple[int, ...]:
        """Registered frames in time order."""
        return tuple(self.world_from_cam)

    @cached_property
    def centers(self) -> Array:
        """(F, 3) camera centres in the order of `frames`."""
        return np.array([pose.center for pose in self.world_from_cam.values()]).reshape(-1, 3)

    @cached_property
    def bounds(self) -> tuple[Array, Array]:
        """Lowest and highest corner (3,) of the path and of the points that lie near it."""
        low, high = self.centers.min(axis=0), self.centers.max(axis=0)
        if len(self.xyz):
            near_low, near_high = np.percentile(self.xyz, _REACH_PERCENTILES, axis=0)
            low, high = np.minimum(low, near_low), np.maximum(high, near_high)
        return low, high

    @cached_property
    def span(self) -> float:
        """Diagonal of `bounds`; what marks are sized by, since a relative scale has no metres. Never 0."""
        low, high = self.bounds
        return max(float(np.linalg.norm(high - low)), 1e-6)

    @property
    def overview(self) -> tuple[Array, Array]:
        """Where to stand (3,) and look (3,) to have the whole model in view, from above and behind the start."""
        low, high = self.bounds
        target = (low + high) / 2
        target[2] = low[2]
        return target + self.span * np.array([-0.33, -0.33, 0.68]), target


@dataclass(frozen=True)
class _ModelEntry:
    name: str
    camera: Camera
    scale: Scale
    floor_z: float | None


@dataclass(frozen=True)
class _SceneEntry:
    """What the viewer takes of `scene.json`."""

    format: Literal[1]
    id: str
    frames: tuple[Frame, ...]
    models: tuple[_ModelEntry, ...]


def read_models(scene_folder: Path, max_points: int) -> tuple[tuple[Frame, ...], tuple[ViewModel, ...]]:
    """Frames and models of the `scene/` folder of a run, largest model first.

    Args:
        scene_folder: Written by `recon.upright.scene_io.write_scene`.
        max_points: A model with more points is thinned at random, the same way every time.

    Raises:
        RoomtourError: If a file is missing or does not fit, naming it.
    """
    path = scene_folder / "scene.json"
    entry = from_plain(read_json(path), _SceneEntry, str(path))
    return entry.frames, tuple(_read_model(model, scene_folder, max_points) for model in entry.models)


def _read_model(entry: _ModelEntry, scene_folder: Path, max_points: int) -> ViewModel:
    if Path(entry.name).name != entry.name:
        raise RoomtourError(f"{scene_folder / 'scene.json'}: model {entry.name!r} leaves the run folder")
    folder = scene_folder / "models" / entry.name
    try:
        reconstruction = read_model(folder)
    except ReconError as error:
        raise RoomtourError(f"{error}. Make the scene again") from error
    frames = sorted(reconstruction.reg_image_ids())
    if not frames:
        raise RoomtourError(f"{folder}: the model has no frame with a pose. Make the scene again")
    images = reconstruction.images
    vertices = _vertices(reconstruction)
    kept = vertices
    if len(vertices) > max_points:
        kept = vertices[np.random.default_rng(0).choice(len(vertices), max_points, replace=False)]
    return ViewModel(
        name=entry.name,
        camera=entry.camera,
        scale=entry.scale,
        floor_z=entry.floor_z,
        world_from_cam={frame: Pose.from_rigid3d(images[frame].cam_from_world()).inverse() for frame in frames},
        xyz=np.ascontiguousarray(kept["xyz"]),
        rgb=np.ascontiguousarray(kept["rgb"]),
        points_in_model=len(vertices),
    )


def _vertices(reconstruction: pycolmap.Reconstruction) -> NDArray[np.void]:
    """All points, by way of COLMAP's own PLY writer: a loop over its point objects takes twenty times as long."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "points.ply"
        reconstruction.export_PLY(str(path))
        content = path.read_bytes()
    _, end, body = content.partition(b"end_header\n")
    if not end or len(body) != reconstruction.num_points3D() * _PLY_VERTEX.itemsize:
        raise RoomtourError(f"pycolmap {pycolmap.__version__} wrote a PLY file of an unknown layout")
    return np.frombuffer(body, dtype=_PLY_VERTEX)
