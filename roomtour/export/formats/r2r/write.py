"""R2R episodes with a navigation graph per scan, made from where the camera really walked."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from recon.conventions import heading_deg, wrap_deg
from recon.geometry import Array, Pose
from recon.ranges import Positive
from roomtour.export.core.augment import PoseAugmentOptions
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import JsonArrayWriter
from roomtour.export.core.ways import Way, collect_ways, floor_height
from trajectories.records import Trajectory, TrajectoryPoint
from trajectories.resample import floor_distance, resample_by_distance

SCANS = "scans.txt"
CONNECTIVITY = "connectivity"
MAX_TEXTS = 3
"""Texts per path in R2R; further ones go to a second record of the same path."""

CONVENTION = """\
* World: right-handed, z up, metres. `pose` is world_from_cam, 4x4 row by row, with OpenCV camera axes;
  with `way_back` the camera of a way back is turned round, and `image` shows what lies behind it.
* `heading` in radians is the compass angle of the optical axis at path[0]: 0 towards +y, clockwise.
* A scan is one walk (`{tour}_m{model}_t{n}`). Its viewpoints are places along the walk; `image` names the frame.
* `unobstructed` joins viewpoints that follow each other on the walk, and those of two passages that lie nearer than
  0.5 m. `visible` is the same: no line of sight was measured. There are no panoramas.
* `height` is the camera above the floor; `distance` is the length of the path over the viewpoints, in metres."""

_SAME_PLACE_M = 0.5
"""A walker keeps some 0.3 m off a wall, so no wall fits between two passages nearer than this."""


@dataclass(frozen=True, kw_only=True)
class R2rOptions(PoseAugmentOptions):
    """Options of the format."""

    spacing_m: Positive = 1.0
    """Distance between viewpoints. Matterport's lie some 2 m apart; a tour passes narrower places than a tripod."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.spacing_m > 0:
            raise ValueError(f"spacing_m is {self.spacing_m}, need more than 0")


@dataclass(frozen=True, eq=False)
class _Graph:
    """Viewpoints of one scan and how far each pair that is joined lies apart."""

    points: tuple[TrajectoryPoint, ...]
    names: tuple[str, ...]
    joined: Array  # (N, N) bool, symmetric, never a viewpoint with itself


def episode_file(split: str) -> str:
    """Name of the file of episodes."""
    return f"R2R_{split}.json"


def write(runs: Iterable[RunData], ledger: Ledger, options: R2rOptions) -> None:
    """Write episodes and graphs of all tours, one tour at a time."""
    splits = options.splits
    folder = ledger.out / CONNECTIVITY
    folder.mkdir()
    with ExitStack() as stack:
        files = {s: stack.enter_context(JsonArrayWriter(ledger.out / episode_file(s))) for s in splits}
        scans = stack.enter_context((ledger.out / SCANS).open("w", encoding="utf-8"))
        ledger.counts.update({"paths": 0, "instructions": 0, "scans": 0, "viewpoints": 0})
        for run in runs:
            ways = list(collect_ways(run, ledger))
            for trajectory in run.trajectories:
                if trajectory.unit != "m" or len(trajectory.points) < 2:
                    ledger.dropped["walk without a scale or of a single view"] += 1
                    continue
                own = [way for way in ways if way.walk.id == trajectory.id]
                graph = _graph(trajectory, own, options.spacing_m)
                _write_graph(folder / f"{trajectory.id}_connectivity.json", graph, run, trajectory, ledger)
                scans.write(f"{trajectory.id}\n")
                ledger.counts["scans"] += 1
                for way in own:
                    _write_paths(way, graph, files[ledger.split], ledger)


def _graph(trajectory: Trajectory, ways: list[Way], spacing_m: float) -> _Graph:
    ends = {frame for way in ways for frame in (way.walk.frames[0], way.walk.frames[-1])}
    points = resample_by_distance(trajectory.points, spacing_m, keep=ends)
    centers = np.array([point.position for point in points])
    apart = np.linalg.norm(centers[:, None] - centers[None], axis=2)
    joined = apart < _SAME_PLACE_M
    step = np.arange(len(points) - 1)
    joined[step, step + 1] = joined[step + 1, step] = True
    np.fill_diagonal(joined, False)
    return _Graph(points, tuple(f"{trajectory.id}_{point.frame:06d}" for point in points), joined)


def _write_graph(path: Path, graph: _Graph, run: RunData, trajectory: Trajectory, ledger: Ledger) -> None:
    model = next(model for model in run.scene.models if model.name == trajectory.model)
    floor_z = floor_height(model, run.scene.id, ledger)
    with JsonArrayWriter(path) as viewpoints:
        for row, (point, name) in enumerate(zip(graph.points, graph.names, strict=True)):
            joined = graph.joined[row].tolist()
            viewpoints.add(
                {
                    "image_id": name,
                    "pose": _face_along_walk(model.world_from_cam[point.frame], point).matrix().ravel().tolist(),
                    "included": True,
                    "visible": joined,
                    "unobstructed": joined,
                    "height": point.position[2] - floor_z,
                    "image": run.scene.frame_by_index[point.frame].image,
                }
            )
    ledger.counts["viewpoints"] += len(graph.points)


def _face_along_walk(world_from_cam: Pose, point: TrajectoryPoint) -> Pose:
    """The camera turned about the vertical to the heading of the walk, which on the way back is not its own."""
    turn_deg = wrap_deg(point.heading_deg - heading_deg(world_from_cam))
    if abs(turn_deg) < 1e-6:
        return world_from_cam
    turn = Rotation.from_euler("z", turn_deg, degrees=True).as_matrix()
    return Pose(turn @ world_from_cam.rotation, world_from_cam.translation)


def _write_paths(way: Way, graph: _Graph, episodes: JsonArrayWriter, ledger: Ledger) -> None:
    frames = set(way.walk.frames)
    on_way = [row for row, point in enumerate(graph.points) if point.frame in frames]
    points = [graph.points[row] for row in on_way]
    for start in range(0, len(way.texts), MAX_TEXTS):
        texts = way.texts[start : start + MAX_TEXTS]
        ledger.counts["paths"] += 1
        ledger.counts["instructions"] += len(texts)
        episodes.add(
            {
                "path_id": ledger.counts["paths"],
                "scan": way.walk.id,
                "heading": math.radians(90.0 - points[0].heading_deg) % (2 * math.pi),
                "path": [graph.names[row] for row in on_way],
                "distance": sum(floor_distance(a, b) for a, b in pairwise(points)),
                "instructions": list(texts),
            }
        )
