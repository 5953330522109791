"""Check scenes as videos: every row has its scene with cameras and pictures, boxes have lengths, the mark is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from roomtour.export.core.checking import (
    Finite,
    Id,
    Row,
    RowCheck,
    Text,
    fit_lists,
    is_relative,
    must,
    read_json,
)
from roomtour.export.core.records import Problem
from roomtour.export.core.turns import Turns, check_turns
from roomtour.export.formats.llava3d.write import MARK, file_name

SCENES = "scenes.json"
POINTED = "<boxes>"
_KNOWN = re.compile("scannet|3rscan|matterport")
"""The loader knows frames by these."""
_OTHER = re.compile("frames|openscan|(?:png|jpg)$")
"""It reads such videos otherwise."""
_MATRICES = ("intrinsic", "depth_intrinsic", "axis_align_matrix")


class _Item(Row):
    id: Id
    video: Annotated[Text, must(lambda name: not _OTHER.search(name), "no name that another reader is for")]
    answer_boxes: list[Annotated[list[Finite], Field(min_length=6, max_length=6)]] = Field(default_factory=list)
    conversations: Turns


def recognise(path: Path) -> bool:
    """Whether the folder holds rows about scenes, and their cameras."""
    return (path / file_name("train")).is_file() and (path / SCENES).is_file()


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    scenes = read_json(path, SCENES, dict, problems) or {}
    for video, scene in scenes.items():
        _check_scene(RowCheck(SCENES, video, scene, problems), video, scene, path)
    for row, item in fit_lists(path, file_name, _Item, problems):
        if item.video not in scenes:
            row.bad("video", f"a scene of {SCENES}", item.video)
        for box in item.answer_boxes:
            if min(box[3:]) <= 0:
                row.bad("answer_boxes", "positive lengths", box)
        if "target" in row.record:
            row.bad("target", f"none: no text has {POINTED}, so its boxes would go to another row", "one")
        check_turns(row, item.conversations, MARK)
    return problems


def _check_scene(row: RowCheck, video: str, scene: Any, folder: Path) -> None:
    if not isinstance(scene, dict):
        return row.bad("scene", "an object", scene)
    for name in _MATRICES:
        if not _is_matrix(scene.get(name)):
            row.bad(name, "4 x 4 finite numbers", scene.get(name))
    dataset = video.split("/")[0]
    frames = {name: told for name, told in scene.items() if name not in _MATRICES}
    if not frames:
        row.bad("frames", "at least one frame", 0)
    for name, told in frames.items():
        if not name.startswith(dataset):
            row.bad("frames", f"a name that begins with {dataset}: others are no frames to the loader", name)
        elif not is_relative(name) or not (folder / "videos" / name).is_file():
            row.bad("frames", "a picture below videos/", name)
        elif not isinstance(told, dict) or not _is_pose(told.get("pose")):
            row.bad(f"{name}.pose", "a rotation and a place, 4 x 4", told)
        elif not _KNOWN.search(name):
            row.bad("frames", "a name with scannet: the loader stops at others", name)
        elif not (is_relative(told.get("depth", "")) and (folder / "videos" / told["depth"]).is_file()):
            row.bad(f"{name}.depth", "a file below videos/, which the loader always opens", told.get("depth"))
    return None


def _is_matrix(value: Any) -> bool:
    try:
        matrix = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return matrix.shape == (4, 4) and bool(np.isfinite(matrix).all())


def _is_pose(value: Any) -> bool:
    if not _is_matrix(value):
        return False
    turn = np.array(value, dtype=np.float64)[:3, :3]
    return bool(np.allclose(turn @ turn.T, np.eye(3), atol=1e-4) and np.linalg.det(turn) > 0)
