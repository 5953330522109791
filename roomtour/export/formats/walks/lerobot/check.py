"""Check LeRobot v3 datasets: what follows from the rows of the data is worked out again and compared."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from recon.geometry import Array
from recon.pictures import decode_picture, find_picture_size
from roomtour.export.core.checking import SPLITS, DatasetCheck, Row, RowCheck
from roomtour.export.core.fields import Finite, PictureCell, Size, Text, must
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
_RELATIVE = 1e-4
"""Columns are stored in single precision, rewards and times are measured in double."""
_STEP_M_RAD = 1e-3
"""The same of an action: metres and radians."""
_PICTURES = 4
_EVERY_PX = 8


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
    _check_actions(episodes)
    if stats is not None and episodes:
        for name in (*NAMES, *SCALARS):
            values = _column(episodes, name)
            _check_stats(data, stats, name, values, len(values))
        _check_stats(data, stats, CAMERA, *_collect_pixels(data.folder, episodes))


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


def _check_actions(episodes: list[list[RowCheck]]) -> None:
    """An action leads from its state to that of the next row; the last of an episode is none."""
    for rows in episodes:
        states = _column([rows], STATE)
        x, y, z, w = states[:, 3:].T
        heading = np.arctan2(2 * (y * z - w * x), 2 * (x * z + w * y))  # of the optical axis, seen from above
        moved = np.diff(states[:, :2], axis=0)
        ahead = np.stack([np.cos(heading[:-1]), np.sin(heading[:-1])], axis=1)
        turned = np.remainder(np.diff(heading) + math.pi, 2 * math.pi) - math.pi
        aside = ahead[:, 0] * moved[:, 1] - ahead[:, 1] * moved[:, 0]
        wanted = np.vstack([np.stack([(moved * ahead).sum(axis=1), aside, turned], axis=1), np.zeros(3)])
        off = np.abs(wanted - _column([rows], ACTION))
        off[:, 2] = np.minimum(off[:, 2], np.abs(2 * math.pi - off[:, 2]))  # half a turn left is half a turn right
        for step in np.flatnonzero(off.max(axis=1) > _STEP_M_RAD):
            expected = f"the motion to the next state: {format_value(wanted[step].round(4).tolist())}"
            rows[step].bad(ACTION, expected, rows[step].record[ACTION])


def _column(episodes: list[list[RowCheck]], name: str) -> Array:
    """The numbers of a column, (N, length)."""
    values = [row.record[name] for rows in episodes for row in rows]
    return np.array(values, np.float64).reshape(len(values), -1)


def _check_stats(data: DatasetCheck, stats: dict[str, Any], name: str, rows: Array, counted: int) -> None:
    """Hold one entry of `meta/stats.json` against rows (N, length); those of a camera are [[x]], one per channel."""
    entry = stats.get(name)
    figures = {"min": rows.min(axis=0), "max": rows.max(axis=0), "mean": rows.mean(axis=0), "std": rows.std(axis=0)}
    scale = np.maximum(1.0, np.abs(rows).max(axis=0))
    shape = (rows.shape[1], 1, 1) if name == CAMERA else (rows.shape[1],)
    for key, want in figures.items():
        try:
            told = np.asarray(entry[key] if isinstance(entry, dict) else None, dtype=np.float64)
        except (KeyError, TypeError, ValueError):
            told = np.empty(0)
        if told.shape != shape or not np.all(np.abs(told.ravel() - want) <= _RELATIVE * scale):
            data.bad(STATS, name, f"{key} of the data: {format_value(want.round(6).tolist())}", entry)
    if not isinstance(entry, dict) or entry.get("count") != [counted]:
        data.bad(STATS, name, f"count [{counted}]", entry)


def _collect_pixels(root: Path, episodes: list[list[RowCheck]]) -> tuple[Array, int]:
    """What the statistics of the camera rest on: of each episode four pictures, evenly chosen, every eighth pixel.

    Returns:
        Pixels (N, 3), red green blue, 0 to 1; number of pictures.
    """
    chosen, first = set[int](), 0
    for rows in episodes:
        chosen |= {int(at) for at in np.linspace(first, first + len(rows) - 1, _PICTURES).round()}
        first += len(rows)
    pixels: list[Array] = []
    position = count()
    for file in sorted((root / DATA_DIR).glob("*/*.parquet")):
        with pq.ParquetFile(file) as table:
            for batch in table.iter_batches(batch_size=50, columns=[f"{CAMERA}.bytes"]):
                for content in pa.Table.from_batches([batch])[CAMERA].combine_chunks().field("bytes").to_pylist():
                    image = decode_picture(content) if next(position) in chosen else None
                    if image is not None:
                        rgb = cv2.cvtColor(image[::_EVERY_PX, ::_EVERY_PX], cv2.COLOR_BGR2RGB)
                        pixels.append(rgb.reshape(-1, 3).astype(np.float64) / 255.0)
    return np.vstack(pixels), len(pixels)


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
