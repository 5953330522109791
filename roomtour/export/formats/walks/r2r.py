"""R2R episodes with a navigation graph per scan, made from where the camera really walked."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import networkx as nx
import numpy as np
from pydantic import Field
from scipy.spatial.transform import Rotation

from recon.conventions import heading_deg, wrap_deg
from recon.geometry import Array, Pose
from roomtour.export.core.checking import DatasetCheck, Row, RowCheck
from roomtour.export.core.fields import Finite, Text, Whole, is_pose, must
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import AddRow, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import open_array, rows_of
from roomtour.export.core.walks.ways import PoseAugmentOptions, Way, collect_ways, floor_height
from trajectories.records import Trajectory, TrajectoryPoint
from trajectories.training import floor_distance, resample_by_distance

FILES, SCANS = "R2R_{split}.json", "scans.txt"
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


SPACING_M = 1.0
"""Distance between viewpoints. Matterport's lie some 2 m apart; a tour passes narrower places than a tripod."""


@dataclass(frozen=True, eq=False)
class _Graph:
    """Viewpoints of one scan and how far each pair that is joined lies apart."""

    points: tuple[TrajectoryPoint, ...]
    names: tuple[str, ...]
    joined: Array  # (N, N) bool, symmetric, never a viewpoint with itself


def write(runs: Iterable[RunData], ledger: Ledger, options: PoseAugmentOptions) -> None:
    """Write episodes and graphs of all tours, one tour at a time."""
    folder = ledger.out / CONNECTIVITY
    folder.mkdir()
    ledger.counts.update({"paths": 0, "instructions": 0, "scans": 0, "viewpoints": 0})
    add = ledger.open_rows(FILES, options)
    with (ledger.out / SCANS).open("w", encoding="utf-8") as scans:
        for run in runs:
            ways = list(collect_ways(run, ledger))
            for trajectory in run.trajectories:
                if trajectory.unit != "m" or len(trajectory.points) < 2:
                    ledger.dropped["walk without a scale or of a single view"] += 1
                    continue
                own = [way for way in ways if way.walk.id == trajectory.id]
                graph = _graph(trajectory, own)
                _write_graph(folder / f"{trajectory.id}_connectivity.json", graph, run, trajectory, ledger)
                scans.write(f"{trajectory.id}\n")
                ledger.counts["scans"] += 1
                for way in own:
                    _write_paths(way, graph, add, ledger)


def _graph(trajectory: Trajectory, ways: list[Way]) -> _Graph:
    ends = {frame for way in ways for frame in (way.walk.frames[0], way.walk.frames[-1])}
    points = resample_by_distance(trajectory.points, SPACING_M, keep=ends)
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
    with open_array(path) as add:
        for row, (point, name) in enumerate(zip(graph.points, graph.names, strict=True)):
            joined = graph.joined[row].tolist()
            add(
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


def _write_paths(way: Way, graph: _Graph, add: AddRow, ledger: Ledger) -> None:
    frames = set(way.walk.frames)
    on_way = [row for row, point in enumerate(graph.points) if point.frame in frames]
    points = [graph.points[row] for row in on_way]
    for start in range(0, len(way.texts), MAX_TEXTS):
        texts = way.texts[start : start + MAX_TEXTS]
        ledger.counts["paths"] += 1
        ledger.counts["instructions"] += len(texts)
        add(
            {
                "path_id": ledger.counts["paths"],
                "scan": way.walk.id,
                "heading": math.radians(90.0 - points[0].heading_deg) % (2 * math.pi),
                "path": [graph.names[row] for row in on_way],
                "distance": sum(floor_distance(a, b) for a, b in pairwise(points)),
                "instructions": list(texts),
            }
        )


_SUFFIX = "_connectivity.json"
_LENGTH_M, _LENGTH_SHARE = 0.01, 0.05
"""Graphs of others measure in three dimensions: stairs are 5 % longer at most where a scan is a storey."""
_HEADING_RAD = 0.01


class _Viewpoint(Row):
    key = "image_id"
    image_id: Text
    included: bool
    height: Finite
    pose: Annotated[
        list[Finite],
        Field(min_length=16, max_length=16),
        must(lambda pose: is_pose(np.reshape(pose, (4, 4))), "a rotation, a position and a last row of 0 0 0 1"),
    ]
    unobstructed: list[bool]
    visible: list[bool]


@dataclass
class _Scan:
    """What the episodes of a scan are checked against."""

    graph: nx.Graph[str]
    points: dict[str, _Viewpoint]
    is_whole: bool
    """Whether every viewpoint fits, so that the graph has all edges."""


class _Episode(Row):
    key = "path_id"
    path_id: Whole
    scan: Text
    heading: Finite
    path: Annotated[list[Text], Field(min_length=2)]
    instructions: Annotated[list[Text], Field(min_length=1, max_length=MAX_TEXTS)]
    distance: Annotated[Finite, Field(ge=0)] | None = None


def _check(data: DatasetCheck) -> None:
    """Every path must be walkable in the graph of its scan."""
    graphs = sorted((data.folder / CONNECTIVITY).glob(f"*{_SUFFIX}"))
    scans = {file.name.removesuffix(_SUFFIX): _check_graph(data, f"{CONNECTIVITY}/{file.name}") for file in graphs}
    if data.require_file(SCANS):
        listed = (data.folder / SCANS).read_text(encoding="utf-8", errors="replace").split()
        for name in sorted(set(listed) ^ scans.keys()):
            data.bad(SCANS, "scan", f"the scans of {CONNECTIVITY}/", "missing in one of the two", name)
    for row, episode in data.rows(FILES, _Episode):
        _check_episode(row, episode, scans)


def _check_graph(data: DatasetCheck, name: str) -> _Scan:
    rows = list(data.records(name))
    if not rows:
        data.bad(name, "viewpoints", "at least one", "none")
    points: dict[str, _Viewpoint] = {}
    for row in rows:
        point = data.fit(row, _Viewpoint, name)
        if point is not None:
            row.each("unobstructed", point.unobstructed, len(rows), "viewpoint")
            row.each("visible", point.visible, len(rows), "viewpoint")
            points[point.image_id] = point
    graph = nx.Graph()
    graph.add_nodes_from(map(str, data.known[name, "image_id"]))
    fitting = [one for one in points.values() if len(one.unobstructed) == len(one.visible) == len(rows)]
    if not rows or len(fitting) < len(rows):
        return _Scan(graph, points, is_whole=False)
    for which in ("unobstructed", "visible"):
        matrix = np.array([getattr(point, which) for point in fitting])
        for number, row in enumerate(rows):
            row.need(not matrix[number, number], which, "false for itself", True)
            row.need(np.array_equal(matrix[number], matrix[:, number]), which, "the same both ways", number)
    names = [point.image_id for point in fitting if point.included]
    for point in fitting:
        joined = zip(fitting, point.unobstructed, strict=True)
        graph.add_edges_from((point.image_id, other.image_id) for other, is_joined in joined if is_joined)
    used = graph.subgraph(names)
    if used and not nx.is_connected(used):
        parts = nx.number_connected_components(used)
        data.bad(name, "unobstructed", "a way between any two viewpoints", f"{parts} parts")
    return _Scan(used, points, is_whole=True)


def _check_episode(row: RowCheck, episode: _Episode, scans: dict[str, _Scan]) -> None:
    scan, path = scans.get(episode.scan), episode.path
    if scan is None:
        return row.bad("scan", f"a scan with a graph in {CONNECTIVITY}/", episode.scan)
    unknown = [name for name in path if name not in scan.graph]
    if unknown:
        return row.bad("path", "viewpoints of the scan", unknown)
    broken = [(a, b) for a, b in pairwise(path) if not scan.graph.has_edge(a, b)]
    row.need(not (broken and scan.is_whole), "path", "viewpoints joined in the graph", broken)
    poses = [np.reshape(scan.points[name].pose, (4, 4)) for name in path if name in scan.points]
    if len(poses) < len(path):
        return None
    if episode.distance is not None:
        length = sum(math.dist(a[:2, 3], b[:2, 3]) for a, b in pairwise(poses))
        if abs(episode.distance - length) > _LENGTH_M + _LENGTH_SHARE * length:
            row.bad("distance", f"the length of the path on the floor ({length:.3f} m)", episode.distance)
    yaw = math.atan2(*poses[0][:2, 2])
    if abs((episode.heading - yaw + math.pi) % (2 * math.pi) - math.pi) > _HEADING_RAD:
        row.bad("heading", f"radians, clockwise from +y, as the pose of path[0] ({yaw:.3f})", episode.heading)
    return None


R2R = ExportFormat(
    name="r2r",
    summary="paths with up to three instructions, and a navigation graph per scan",
    client="loaders of R2R and its connectivity files; networkx",
    needs_scale=True,
    reads=("instructions",),
    convention=CONVENTION,
    options=PoseAugmentOptions,
    write=write,
    check=_check,
    rows=rows_of("R2R_*.json"),
)
