"""The reference loader's rules, as the format's specification states them: what a teacher does at every view."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

STOP = "stop"


@dataclass(frozen=True)
class Step:
    view: str
    candidates: tuple[str, ...]
    """Views one can go to; stopping is always possible besides."""
    action: str
    """A candidate, or STOP."""


@dataclass(frozen=True)
class Episode:
    item_id: str
    text: str
    steps: tuple[Step, ...]


MAX_STEPS = 15


def episodes(records: Sequence[Mapping[str, Any]], geometry: Mapping[str, Mapping[int, Any]]) -> list[Episode]:
    """All training items; a record whose optView comes first vanishes, as it does in the loader."""
    path_of = {(r["videoId"], r["longId"]): r["path"] for r in records}
    out = []
    for record in records:
        if record["optView"] == record["path"][0]:
            continue
        path = path_of[record["videoId"], record["longId"]]
        for number, text in enumerate(record["instructions"]):
            steps = tuple(_step(record, path, i, geometry) for i in range(min(len(path), MAX_STEPS)))
            out.append(Episode(f"tour3d_{record['path_id']}_{number}", text, steps))
    return out


def _step(record: Mapping[str, Any], path: Sequence[str], i: int, geometry: Mapping[str, Mapping[int, Any]]) -> Step:
    colmap_id, frames = record["longId"].split("|")
    if i == len(path) - 1:
        candidates: tuple[str, ...] = ()
    elif path[i + 1] == record["optView"]:
        candidates = tuple(f"{record['videoId']}_output_frame_{int(f):04d}.png" for f in frames.split("%"))
    else:
        candidates = (path[i + 1],)
    for view in (path[i], *candidates):
        place = geometry[colmap_id][int(view.rsplit("_", 1)[1].removesuffix(".png"))]
        assert all(math.isfinite(value) for value in (*place["pos"], place["yaw"], place["pitch"]))
    wanted = path[i + 1] if i + 1 < len(path) else STOP
    return Step(path[i], candidates, wanted if wanted in candidates else STOP)
