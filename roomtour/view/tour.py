"""What there is to see of a run, finished or not: what cannot be read is left out and said in one line.

Models are poses, and points without who saw them: `read_scene` also reads each observation of each point, which takes
minutes for the tour of a large house; here a million points take about a second and a half.
"""

from __future__ import annotations

import importlib.metadata
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np
import pycolmap
from numpy.typing import NDArray

from instructions.navigation.records import Instruction, ViewDescription
from instructions.records import Observation, SceneObject, SpatialLine
from instructions.regions.records import Qar
from recon.colmap.read import read_model
from recon.errors import ReconError
from recon.geometry import Array, Camera, Pose
from recon.records import Frame, Scale
from roomtour.artifacts import FLOOR_PLANS, ROOMS
from roomtour.errors import RoomtourError
from roomtour.files.frames import read_source
from roomtour.files.records import from_plain, group_by, read_json, read_jsonl
from roomtour.run import Run
from roomtour.stages.table import STAGES
from trajectories.records import FloorPlan, Room, Trajectory
from trajectories.training import is_way_back

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


T = TypeVar("T")
_MENTION = re.compile(r"\[(\d{1,4})\]")


@dataclass(frozen=True, eq=False)
class TourView:
    """A run as the viewer and the review show it."""

    name: str
    frames: Mapping[int, Frame]
    frames_dir: Path
    models: tuple[ViewModel, ...]
    """Largest first; empty where nothing is reconstructed (yet)."""
    trajectories: tuple[Trajectory, ...]
    objects: Mapping[str, SceneObject]
    """By id, in the order of the run."""
    seen: Mapping[int, Sequence[Observation]]
    """What is seen, by frame."""
    lines: Mapping[int, SpatialLine]
    """The text line, by frame."""
    floor_plans: tuple[FloorPlan, ...]
    rooms: tuple[Room, ...]
    """Where something told rooms apart."""
    instructions: tuple[Instruction, ...]
    """Accepted ones about the walks."""
    further: tuple[Instruction, ...]
    """Accepted ones about parts of the walks and about ways back."""
    ways_back: frozenset[str]
    """Ids of the ways back: no picture shows what is seen on them."""
    view_descriptions: tuple[ViewDescription, ...]
    region_rows: Mapping[str, tuple[Qar, ...]]
    """Kept questions about numbered regions, of all views, by the thing that they name."""
    notices: tuple[str, ...]
    """What is missing or to be read with care, for people."""

    @cached_property
    def number_of(self) -> Mapping[str, int]:
        """The number, from 1, that an object carries everywhere on a page, by its id."""
        return {name: row for row, name in enumerate(self.objects, start=1)}

    def write_row(self, row: Qar) -> str:
        """Question, answer and rationale; `[n]` of the row's view becomes the number that the thing has on the page."""
        number = {region.number: self.number_of.get(region.object or "") for region in row.regions}

        def put(match: re.Match[str]) -> str:
            own = number.get(int(match.group(1)))
            return f"[{own}]" if own is not None else match.group()

        return _MENTION.sub(put, f"{row.question} {row.answer} {row.rationale}")

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """Ids of the objects that texts about walks name."""
        told = (check.claim for text in (*self.instructions, *self.further) for check in text.claims)
        return frozenset(claim.object for claim in told if claim.object is not None)

    def model(self, name: str | None) -> ViewModel | None:
        """The model of this name, the largest for None; None where there is no model at all.

        Raises:
            RoomtourError: If there are models and none has this name.
        """
        if name is None or not self.models:
            return self.models[0] if self.models else None
        for model in self.models:
            if model.name == name:
                return model
        raise RoomtourError(f"--model {name}: no such model; this run has {', '.join(m.name for m in self.models)}")

    def instructions_at(self, frame: int, model: str | None) -> tuple[Instruction, ...]:
        """The instructions of a model whose way leads through a frame."""
        return tuple(
            instruction
            for instruction in self.instructions
            if instruction.model == model
            and instruction.views
            and min(instruction.views) <= frame <= max(instruction.views)
        )


def load_tour(run: Run, max_points: int) -> TourView:
    """Read what a run has to show.

    Args:
        run: Finished or not.
        max_points: Per model; more are thinned.

    Returns:
        All that could be read. A part that is not there yet, or that this version cannot read, is empty and has a
        notice.
    """
    notices = _version_notices(run)

    def part(read: Callable[[], T], instead: T) -> T:
        try:
            return read()
        except (RoomtourError, ReconError) as error:
            notices.append(str(error))
            return instead

    waiting = [
        stage.name
        for stage in STAGES
        if stage.name not in run.stages and (not stage.is_kind or stage.name in run.asked_kinds)
    ]
    if waiting:
        notices.append(f"This run is unfinished or older; not done in it: {', '.join(waiting)}. What is done is shown.")
    frames, models = (), ()
    if "scene" in run.stages:
        frames, models = part(lambda: read_models(run.path / "scene", max_points), ((), ()))
    if not frames and "sample" in run.stages:
        frames = part(lambda: read_source(run.path / "source.json").frames, ())
    if "scene" in run.stages and not models:
        notices.append("No part of the tour could be reconstructed, so there are frames but nothing in 3D.")

    def records(stage: str, read: Callable[[], tuple[T, ...]]) -> tuple[T, ...]:
        return part(read, ()) if stage in run.stages else ()

    return TourView(
        name=str(run.manifest.get("tour", run.path.name)),
        frames={frame.index: frame for frame in frames},
        frames_dir=run.path / "frames",
        models=models,
        trajectories=records("trajectories", lambda: run.trajectories),
        objects={item.id: item for item in records("perception", lambda: run.objects)},
        seen=group_by(records("perception", lambda: run.observations), lambda seen: seen.frame),
        lines={line.frame: line for line in records("perception", lambda: run.spatial_lines)},
        floor_plans=records("plan", lambda: read_jsonl(run.path / FLOOR_PLANS.path, FloorPlan)),
        rooms=records("plan", lambda: read_jsonl(run.path / ROOMS.path, Room)),
        instructions=records("navigation", lambda: run.instructions),
        further=tuple(row for row in records("navigation", lambda: run.further_instructions) if row.accepted),
        ways_back=frozenset(
            walk.id for walk in records("trajectories", lambda: run.further_walks) if is_way_back(walk)
        ),
        view_descriptions=records("navigation", lambda: run.view_descriptions),
        region_rows=_by_thing(records("regions", lambda: run.rows("regions"))),
        notices=tuple(notices),
    )


def _version_notices(run: Run) -> list[str]:
    versions = run.manifest.get("versions")
    made_by = versions.get("roomtour") if isinstance(versions, Mapping) else None
    here = importlib.metadata.version("roomtour")
    if made_by == here:
        return []
    return [f"This run was made by roomtour {made_by or 'of an unknown version'} and is shown by {here}."]


def _by_thing(rows: Iterable[Qar]) -> dict[str, tuple[Qar, ...]]:
    named = ((name, row) for row in rows for name in dict.fromkeys(region.object for region in row.regions) if name)
    return {name: tuple(row for _, row in pairs) for name, pairs in group_by(named, lambda pair: pair[0]).items()}
