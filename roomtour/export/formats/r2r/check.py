"""Check R2R episodes and their graphs: every path must be walkable in the graph of its scan."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from roomtour.export.core.checking import SPLITS, RowCheck, is_number, objects, read_json
from roomtour.export.core.records import Problem
from roomtour.export.formats.r2r.write import CONNECTIVITY, MAX_TEXTS, SCANS, episode_file

_SUFFIX = "_connectivity.json"


@dataclass
class _Scan:
    """What the episodes of a scan are checked against."""

    graph: nx.Graph[str] = field(default_factory=nx.Graph)
    yaw: dict[str, float] = field(default_factory=dict)
    """Compass angle of each viewpoint's optical axis, radians."""


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
        listed = (path / SCANS).read_text(encoding="utf-8").split()
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
    names = [str(row.record.get("image_id")) for row in rows]
    known: set[Any] = set()
    lines: dict[str, list[list[bool]]] = {"unobstructed": [], "visible": []}
    for row, image_id in zip(rows, names, strict=True):
        row.new("image_id", known)
        row.number("height")
        if not isinstance(row.record.get("included"), bool):
            row.bad("included", "true or false", row.record.get("included"))
        _check_pose(row, image_id, scan)
        for which, line in lines.items():
            values = row.record.get(which)
            if isinstance(values, list) and len(values) == len(rows) and all(isinstance(v, bool) for v in values):
                line.append(values)
            else:
                row.bad(which, f"{len(rows)} times true or false", values)
    for which, line in lines.items():
        if len(line) == len(rows) and rows:
            _check_matrix(rows, np.array(line), which)
    scan.graph.add_nodes_from(names)
    if len(lines["unobstructed"]) == len(rows) and rows:
        included = [row.record.get("included") is True for row in rows]
        joined = np.array(lines["unobstructed"]) & np.outer(included, included)
        scan.graph.add_edges_from((names[a], names[b]) for a, b in np.argwhere(joined).tolist())
        used = scan.graph.subgraph(name for name, is_used in zip(names, included, strict=True) if is_used)
        if used and not nx.is_connected(used):
            parts = nx.number_connected_components(used)
            problems.append(Problem(name, None, "unobstructed", "a way between any two viewpoints", f"{parts} parts"))
    if not rows:
        problems.append(Problem(name, None, "viewpoints", "at least one", "none"))
    return scan


def _check_pose(row: RowCheck, image_id: str, scan: _Scan) -> None:
    values = row.vector("pose", 16)
    if values is None:
        return
    matrix = np.array(values).reshape(4, 4)
    rotation = matrix[:3, :3]
    if not np.array_equal(matrix[3], [0, 0, 0, 1]) or np.abs(rotation @ rotation.T - np.eye(3)).max() > 1e-6:
        row.bad("pose", "a rotation, a position and a last row of 0 0 0 1", values)
        return
    scan.yaw[image_id] = math.atan2(rotation[0, 2], rotation[1, 2])


def _check_matrix(rows: list[RowCheck], matrix: np.ndarray, which: str) -> None:
    for number, row in enumerate(rows):
        if matrix[number, number]:
            row.bad(which, "false for itself", True)
        if not np.array_equal(matrix[number], matrix[:, number]):
            row.bad(which, "the same both ways", int(np.argmax(matrix[number] != matrix[:, number])))


def _check_episode(row: RowCheck, scans: dict[str, _Scan], known: set[Any]) -> None:
    if row.whole("path_id") is not None:
        row.new("path_id", known)
    heading = row.number("heading")
    row.texts("instructions", MAX_TEXTS)
    distance = row.record.get("distance")
    if distance is not None and not (is_number(distance) and distance >= 0):
        row.bad("distance", "metres from 0", distance)
    scan = scans.get(row.text("scan") or "")
    if scan is None:
        row.bad("scan", f"a scan with a graph in {CONNECTIVITY}/", row.record.get("scan"))
        return
    path = row.items("path", 2)
    unknown = [name for name in path if not isinstance(name, str) or name not in scan.graph]
    if unknown:
        row.bad("path", "viewpoints of the scan", unknown)
        return
    broken = [(a, b) for a, b in pairwise(path) if not scan.graph.has_edge(a, b)]
    if broken:
        row.bad("path", "viewpoints joined in the graph", broken)
    if path and heading is not None and path[0] in scan.yaw:
        off = abs((heading - scan.yaw[path[0]] + math.pi) % (2 * math.pi) - math.pi)
        if off > 0.01:
            row.bad("heading", f"radians, clockwise from +y, as the pose of path[0] ({scan.yaw[path[0]]:.3f})", heading)
