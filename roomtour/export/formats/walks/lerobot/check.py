"""Check LeRobot v3 datasets: the rows of the data, and what the other files say of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from recon.pictures import find_picture_size
from roomtour.export.core.checking import SPLITS, DatasetCheck, Row, RowCheck
from roomtour.export.core.columns import PictureCell, Size
from roomtour.export.core.fields import Finite, Text, must
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.records import format_value
from roomtour.export.formats.walks.lerobot.dataset import (
    ACTION,
    CAMERA,
    DATA_DIR,
    EPISODES_DIR,
    INFO,
    NAMES,
    REWARD,
    SCALARS,
    STATE,
    STATS,
    TASK_SCHEMA,
    TASKS,
    data_schema,
    episode_schema,
    tell_episode,
    tell_info,
)
from roomtour.export.formats.walks.lerobot.write import CONVENTION, LerobotOptions, root_of, write

_TIME_S = 1e-4
"""The client's own tolerance."""


class _Info(Row):
    fps: Annotated[int, Field(ge=1)]


class _Task(Row):
    key = "task"
    task_index: int
    task: Text


class _Step(Row):
    """A row of the data; its counters follow from its place."""

    timestamp: Finite
    state: Annotated[
        list[Finite],
        Field(alias=STATE, min_length=len(NAMES[STATE]), max_length=len(NAMES[STATE])),
        must(lambda state: abs(math.hypot(*state[3:]) - 1.0) <= 1e-3, "a unit quaternion after the position"),
    ]
    action: Annotated[list[Finite], Field(alias=ACTION, min_length=len(NAMES[ACTION]), max_length=len(NAMES[ACTION]))]
    reward: Annotated[Finite, Field(alias=REWARD, ge=0, le=1)]
    camera: PictureCell = Field(alias=CAMERA)


def _check(data: DatasetCheck) -> None:
    for split in SPLITS:
        root = root_of(data.folder, split)
        if split == "train" or root.is_dir():
            own = DatasetCheck(root)
            _check_root(own)
            prefix = "" if root == data.folder else f"{split}/"
            data.problems += [replace(problem, file=prefix + problem.file) for problem in own.problems]


def _check_root(data: DatasetCheck) -> None:
    facts, stats = data.read_json(INFO, dict), data.read_json(STATS, dict)
    tasks, (episodes, size) = _read_tasks(data), _read_episodes(data)
    if facts is None:
        return
    about = RowCheck(data, INFO, None, facts)
    info = about.fit(_Info)
    if info is None or any(problem.file.startswith(DATA_DIR) for problem in data.problems):
        return
    counts = (len(episodes), sum(map(len, episodes)), len(tasks))
    wanted = tell_info(counts, info.fps, size)
    features, stated = wanted.pop("features"), facts.get("features")
    for name, value in wanted.items():
        about.need(facts.get(name, "none") == value, name, format_value(value), facts.get(name, "none"))
    if not isinstance(stated, dict) or stated.keys() != features.keys():
        about.bad("features", ", ".join(features), stated)
    else:
        for name in [name for name, feature in features.items() if stated[name] != feature]:
            about.bad(f"features.{name}", format_value(features[name]), stated[name])
    _check_counters(data, episodes, tasks, info.fps)
    for name in (*NAMES, *SCALARS, CAMERA):
        _check_stats(data, (stats or {}).get(name), name)


def _read_tasks(data: DatasetCheck) -> list[str]:
    tasks: list[str] = []
    for row in data.table(TASKS, TASK_SCHEMA, exact=False):
        task = data.fit(row, _Task)
        if task is not None and task.task_index != len(tasks):
            row.bad("task_index", f"{len(tasks)}, counting from 0", task.task_index)
        tasks.append(str(row.record["task"]))
    if data.has_file(data.folder / TASKS) and not any(problem.file == TASKS for problem in data.problems):
        note = (pq.read_schema(data.folder / TASKS).metadata or {}).get(b"pandas", b"")
        if b'"index_columns": ["task"]' not in note:
            data.bad(TASKS, "task", "the index of the pandas frame", "a plain column")
    return tasks


def _read_tables(data: DatasetCheck, below: str, schema: pa.Schema) -> Iterator[RowCheck]:
    if not any((data.folder / below).glob("*/*.parquet")):
        data.bad(below, "file", "a file, as the client asks for one", "none")
    for file in sorted((data.folder / below).glob("*/*.parquet")):
        yield from data.table(file.relative_to(data.folder).as_posix(), schema)


def _read_episodes(data: DatasetCheck) -> tuple[list[list[RowCheck]], Size]:
    """The rows of each episode without their pictures, and the size of the first picture."""
    episodes: list[list[RowCheck]] = []
    size = (1, 1)
    for row in _read_tables(data, DATA_DIR, data_schema()):
        step = row.fit(_Step)
        if step is not None and not episodes:
            size = find_picture_size(step.camera.bytes) or size
        if not episodes or row.record["frame_index"] == 0:
            episodes.append([])
        row.record = {name: value for name, value in row.record.items() if name != CAMERA}
        episodes[-1].append(row)
    return episodes, size


def _check_counters(data: DatasetCheck, episodes: list[list[RowCheck]], tasks: list[str], fps: int) -> None:
    """Episodes begin where a frame is the first; their rows count on, and `meta/episodes` tells them."""
    number_of = dict(zip(sorted({row.file for rows in episodes for row in rows}), count(), strict=False))
    listed = _read_tables(data, EPISODES_DIR, episode_schema())
    meta_files: dict[str, int] = {}
    first = 0
    for episode, rows in enumerate(episodes):
        task = rows[-1].record["task_index"]
        for step, row in enumerate(rows):
            wanted = {"index": first + step, "episode_index": episode, "frame_index": step}
            for name, value in {**wanted, "task_index": task, "timestamp": step / fps}.items():
                row.need(abs(row.record[name] - value) < _TIME_S, name, f"{value:g}", row.record[name])
        entry = next(listed, None)
        if entry is None:
            return data.bad(EPISODES_DIR, "file", f"{len(episodes)} episodes", episode)
        meta_file = meta_files.setdefault(entry.file, len(meta_files))
        text = tasks[task] if 0 <= task < len(tasks) else ""
        wanted_entry = tell_episode(episode, text, first, len(rows), number_of[rows[0].file], meta_file)
        for name, value in wanted_entry.items():
            entry.need(entry.record[name] == value, name, f"{value}, as the rows of {DATA_DIR}", entry.record[name])
        first += len(rows)
    for entry in listed:
        entry.bad("episode_index", "an episode with rows", entry.record["episode_index"])
    return None


def _check_stats(data: DatasetCheck, entry: Any, name: str) -> None:
    """One entry of `meta/stats.json`: finite figures for each number of a vector; [[x]] per channel of a camera."""
    shape = (3, 1, 1) if name == CAMERA else (len(NAMES.get(name, (name,))),)
    entry = entry if isinstance(entry, dict) else {}
    for key in ("min", "max", "mean", "std"):
        try:
            figures = np.asarray(entry.get(key), dtype=np.float64)
        except (TypeError, ValueError):
            figures = np.empty(0)
        if figures.shape != shape or not np.all(np.isfinite(figures)):
            data.bad(STATS, name, f"{key}: finite numbers of shape {shape}", format_value(entry.get(key)))
    if np.shape(entry.get("count")) != (1,):
        data.bad(STATS, name, "count: a list of one number", format_value(entry.get("count")))


LEROBOT = ExportFormat(
    name="lerobot",
    summary="LeRobot v3: an episode per told way, with images, poses as state and motion as action",
    client="lerobot 0.4",
    needs_scale=True,
    reads=("instructions",),
    convention=CONVENTION,
    options=LerobotOptions,
    write=write,
    check=_check,
)
