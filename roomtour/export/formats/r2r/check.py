"""Check R2R episodes and their graphs: every path must be walkable in the graph of its scan."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import networkx as nx
import numpy as np
from pydantic import Field

from roomtour.export.core.checking import SPLITS, Finite, Row, RowCheck, Text, Whole, objects, read_json
from roomtour.export.core.records import Problem
from roomtour.export.formats.r2r.write import CONNECTIVITY, MAX_TEXTS, SCANS, episode_file

_SUFFIX = "_connectivity.json"
_LENGTH_M, _LENGTH_SHARE = 0.01, 0.05
"""Graphs of others measure in three dimensions: stairs are 5 % longer at most where a scan is a storey."""


class _Viewpoint(Row):
    image_id: Text
    included: bool
    height: Finite
    pose: Annotated[list[Finite], Field(min_length=16, max_length=16)]
    unobstructed: list[bool]
    visible: list[bool]


class _Episode(Row):
    path_id: Whole
    scan: Text
    heading: Finite
    path: Annotated[list[Text], Field(min_length=2)]
    instructions: Annotated[list[Text], Field(min_length=1, max_length=MAX_TEXTS)]
    distance: Annotated[Finite, Field(ge=0)] | None = None


@dataclass
class _Scan:
    """What the episodes of a scan are checked against."""

    graph: nx.Graph[str] = field(default_factory=nx.Graph)
    place: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Where each viewpoint stands on the floor, metres."""
    yaw: dict[str, float] = field(default_factory=dict)
    """Compass angle of each viewpoint's optical axis, radians."""
    is_whole: bool = False
    """Whether every viewpoint fits, so that the graph has all edges."""


def recognise(path: Path) -> bool:
    """Whether the folder holds a file of episodes."""
    return any((path / episode_file(split)).is_file() for split in SPLITS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    scans = {}
    for file in sorted((path / CONNECTIVITY).glob(f"*{_SUFFIX}")):
        scans[file.name.removesuffix(_SUFFIX)] = _check_graph(path, f"{CONNECTIVITY}/{file.name}", problems)
    if not (path / SCANS).is_file():
        problems.append(Problem(SCANS, None, "file", "a file", "no such file"))
    else:
        listed = (path / SCANS).read_text(encoding="utf-8", errors="replace").split()
        for name in sorted(set(listed) ^ scans.keys()):
            problems.append(Problem(SCANS, name, "scan", f"the scans of {CONNECTIVITY}/", "missing in one of the two"))
    known: set[Any] = set()
    for split in SPLITS:
        name = episode_file(split)
        if split != "train" and not (path / name).is_file():
            continue
        for row in objects(read_json(path, name, list, problems), name, problems):
            _check_episode(row, scans, known)
    return problems


def _check_graph(folder: Path, name: str, problems: list[Problem]) -> _Scan:
    scan = _Scan()
    rows = list(objects(read_json(folder, name, list, problems), name, problems))
    if not rows:
        problems.append(Problem(name, None, "viewpoints", "at least one", "none"))
        return scan
    known: set[Any] = set()
    points: list[_Viewpoint] = []
    for row in rows:
        row.register("image_id", known)
        point = row.fit(_Viewpoint)
        if point is None:
            continue
        _check_pose(row, point, scan)
        lines = {"unobstructed": point.unobstructed, "visible": point.visible}
        odd = [which for which, line in lines.items() if len(line) != len(rows)]
        for which in odd:
            row.bad(which, f"{len(rows)} times true or false", lines[which])
        if not odd:
            points.append(point)
    scan.graph.add_nodes_from(known)
    if len(points) < len(rows):
        return scan
    scan.is_whole = True
    unobstructed = np.array([point.unobstructed for point in points])
    _check_matrix(rows, unobstructed, "unobstructed")
    _check_matrix(rows, np.array([point.visible for point in points]), "visible")
    names, included = [point.image_id for point in points], [point.included for point in points]
    joined = unobstructed & np.outer(included, included)
    scan.graph.add_edges_from((names[a], names[b]) for a, b in np.argwhere(joined).tolist())
    used = scan.graph.subgraph(point.image_id for point in points if point.included)
    if used and not nx.is_connected(used):
        parts = nx.number_connected_components(used)
        problems.append(Problem(name, None, "unobstructed", "a way between any two viewpoints", f"{parts} parts"))
    return scan


def _check_pose(row: RowCheck, point: _Viewpoint, scan: _Scan) -> None:
    matrix = np.array(point.pose).reshape(4, 4)
    rotation = matrix[:3, :3]
    if not np.array_equal(matrix[3], [0, 0, 0, 1]) or np.abs(rotation @ rotation.T - np.eye(3)).max() > 1e-6:
        row.bad("pose", "a rotation, a position and a last row of 0 0 0 1", point.pose)
        return
    scan.place[point.image_id] = (float(matrix[0, 3]), float(matrix[1, 3]))
    scan.yaw[point.image_id] = math.atan2(rotation[0, 2], rotation[1, 2])


def _check_matrix(rows: list[RowCheck], matrix: np.ndarray, which: str) -> None:
    for number, row in enumerate(rows):
        if matrix[number, number]:
            row.bad(which, "false for itself", True)
        if not np.array_equal(matrix[number], matrix[:, number]):
            row.bad(which, "the same both ways", int(np.argmax(matrix[number] != matrix[:, number])))


def _check_episode(row: RowCheck, scans: dict[str, _Scan], known: set[Any]) -> None:
    row.register("path_id", known)
    episode = row.fit(_Episode)
    if episode is None:
        return
    scan, path = scans.get(episode.scan), episode.path
    if scan is None:
        row.bad("scan", f"a scan with a graph in {CONNECTIVITY}/", episode.scan)
        return
    unknown = [name for name in path if name not in scan.graph]
    if unknown:
        row.bad("path", "viewpoints of the scan", unknown)
        return
    broken = [(a, b) for a, b in pairwise(path) if not scan.graph.has_edge(a, b)]
    if broken and scan.is_whole:
        row.bad("path", "viewpoints joined in the graph", broken)
    if episode.distance is not None and all(name in scan.place for name in path):
        length = sum(math.dist(scan.place[a], scan.place[b]) for a, b in pairwise(path))
        if abs(episode.distance - length) > _LENGTH_M + _LENGTH_SHARE * length:
            row.bad("distance", f"the length of the path on the floor ({length:.3f} m)", episode.distance)
    if path[0] in scan.yaw:
        yaw = scan.yaw[path[0]]
        off = abs((episode.heading - yaw + math.pi) % (2 * math.pi) - math.pi)
        if off > 0.01:
            row.bad("heading", f"radians, clockwise from +y, as the pose of path[0] ({yaw:.3f})", episode.heading)
