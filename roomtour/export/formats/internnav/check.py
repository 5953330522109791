"""Check scenes for InternNav by what its loader opens, asks for and skips."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from recon.pictures import find_picture_size
from roomtour.export.core.checking import SPLITS, Finite, Row, RowCheck, Text, Whole, json_lines, must
from roomtour.export.core.records import Problem
from roomtour.export.core.stepped_ways import START
from roomtour.export.formats.internnav.layout import (
    EPISODES,
    GOAL,
    LEAST_STEPS,
    NO_GOAL,
    POSE,
    SEPARATOR,
    STEPS_TO_GOAL,
    depth_of,
    picture_of,
    table_of,
)


class _Episode(Row):
    episode_index: Whole
    tasks: Annotated[
        list[Text],
        Field(min_length=1),
        must(lambda tasks: all(part.strip() for part in tasks[0].split(SEPARATOR)), f"texts joined by {SEPARATOR}"),
    ]
    length: Annotated[int, Field(ge=LEAST_STEPS)]


def _is_rigid(rows: list[list[float]]) -> bool:
    pose = np.array(rows) if [len(row) for row in rows] == [4] * 4 else np.zeros((4, 4))
    turns = np.allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-6)
    return bool(turns and np.linalg.det(pose[:3, :3]) > 0 and np.array_equal(pose[3], [0, 0, 0, 1]))


_Matrix = Annotated[list[list[Finite]], must(_is_rigid, "a 4x4 pose")]


class _Step(Row):
    action: Annotated[int, Field(ge=START, le=3)]
    pose: Annotated[_Matrix, Field(alias=POSE)]
    goal: Annotated[list[int], Field(alias=GOAL, min_length=2, max_length=2)]
    steps_to_goal: Annotated[
        int, Field(alias=STEPS_TO_GOAL), must(lambda steps: steps == NO_GOAL or steps > 0, "-1, or steps")
    ]


def recognise(path: Path) -> bool:
    """Whether the folder holds scenes with episodes."""
    return any(any((path / split).glob(f"*/{EPISODES}")) for split in SPLITS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    if not (path / "train").is_dir():
        problems.append(Problem("train", None, "file", "a folder of scenes", "no such folder"))
    for split in SPLITS:
        for scene in sorted(folder for folder in (path / split).glob("*") if folder.is_dir()):
            name = f"{split}/{scene.name}"
            if "rgb" in scene.name:
                problems.append(Problem(name, None, "name", "no 'rgb': the loader puts 'depth' there", scene.name))
            _check_scene(scene, name, problems)
    return problems


def _check_scene(scene: Path, name: str, problems: list[Problem]) -> None:
    file = f"{name}/{EPISODES}"
    if not (scene / EPISODES).is_file():
        problems.append(Problem(file, None, "file", "a file: every folder is taken for a scene", "no such file"))
        return
    numbers: set[Any] = set()
    for line, record in json_lines(scene / EPISODES, problems, file):
        row = RowCheck(file, line, record, problems)
        episode = row.fit(_Episode)
        if episode is not None:
            row.new("episode_index", episode.episode_index, numbers)
            _check_episode(row, episode, scene, name, problems)


def _check_episode(row: RowCheck, episode: _Episode, scene: Path, name: str, problems: list[Problem]) -> None:
    path = table_of(scene, episode.episode_index)
    file = f"{name}/{path.relative_to(scene).as_posix()}"
    try:
        table = pq.read_table(path).to_pylist()
    except (OSError, pa.ArrowException) as error:
        problems.append(Problem(file, None, "parquet", "the table of an episode", str(error)))
        return
    if len(table) != episode.length:
        row.bad("length", f"{len(table)}, the rows of {file}", episode.length)
    for number, record in enumerate(table):
        check = RowCheck(file, number + 1, record, problems)
        step = check.fit(_Step)
        if step is None:
            continue
        picture = picture_of(scene, episode.episode_index, number)
        for needed in (picture, depth_of(picture)):
            if not needed.is_file():
                check.bad("picture", needed.relative_to(scene).as_posix(), "no such file")
        if (step.action == START) != (number == 0) or step.action == 0:
            check.bad("action", "-1 first, which the loader drops, then 1, 2 or 3: it adds the stop", step.action)
        following = table[number + 1].get("action") if number + 1 < len(table) else 0
        _check_goal(check, step, following, len(table) - 1 - number, picture)


def _check_goal(check: RowCheck, step: _Step, following: object, left: int, picture: Path) -> None:
    if step.steps_to_goal == NO_GOAL:
        if step.goal != [NO_GOAL, NO_GOAL]:
            check.bad(GOAL, f"[{NO_GOAL}, {NO_GOAL}] where there is no goal", step.goal)
        return
    if following != 1:
        check.bad(STEPS_TO_GOAL, f"{NO_GOAL} before a turn or the stop", step.steps_to_goal)
    if step.steps_to_goal > left:
        check.bad(STEPS_TO_GOAL, f"at most {left}, the steps that follow", step.steps_to_goal)
    size = find_picture_size(picture.read_bytes()) if picture.is_file() else None
    if size is not None and not (0 <= step.goal[0] < size[0] and 0 <= step.goal[1] < size[1]):
        check.bad(GOAL, f"x and y in a picture of {size[0]}x{size[1]}", step.goal)
