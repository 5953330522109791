"""Check LeRobot v3 datasets: totals, tasks, episodes that cover the data without a hole, times, values, statistics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from roomtour.export.core.checking import SPLITS, DatasetCheck, RowCheck
from roomtour.export.formats.walks.lerobot.derived import check_derived
from roomtour.export.formats.walks.lerobot.meta import (
    CAMERA,
    DATA_DIR,
    EPISODES_DIR,
    INFO,
    NAMES,
    SCALARS,
    STATS,
    TASK_SCHEMA,
    TASKS,
    data_schema,
    episode_schema,
)
from roomtour.export.formats.walks.lerobot.rows import (
    ChannelStatistics,
    Episode,
    Feature,
    Info,
    NumberStatistics,
    Step,
    Task,
)
from roomtour.export.formats.walks.lerobot.write import root_of

_TIME_S = 1e-4
"""The client's own tolerance."""


def check(data: DatasetCheck) -> None:
    """Totals, tasks, episodes that cover the data without a hole, times, values, statistics; of each split."""
    for split in SPLITS:
        root = root_of(data.folder, split)
        if split == "train" or root.is_dir():
            own = DatasetCheck(root)
            _check_root(own)
            prefix = "" if root == data.folder else f"{split}/"
            data.problems += [replace(problem, file=prefix + problem.file) for problem in own.problems]


def _check_root(data: DatasetCheck) -> None:
    facts = data.read_json(INFO, dict)
    if facts is None:
        return
    row = RowCheck(data, INFO, None, facts)
    info = row.fit(Info)
    _check_features(facts.get("features"), row)
    stats = data.read_json(STATS, dict)
    if stats is not None:
        _check_stats(data, stats)
    tasks = _read_tasks(data)
    episodes = _read_episodes(data, tasks)
    frames = _check_data(data, episodes, tasks, info.fps if info else None)
    if stats is not None and not any(one.file == STATS or one.file.startswith(DATA_DIR) for one in data.problems):
        check_derived(data, stats)
    if info is None:
        return
    for field, place, found in (
        ("total_tasks", TASKS, len(tasks)),
        ("total_episodes", EPISODES_DIR, len(episodes)),
        ("total_frames", DATA_DIR, frames),
    ):
        if facts[field] != found:
            row.bad(field, f"that of {place} ({found})", facts[field])
    if info.splits != {"train": f"0:{len(episodes)}"}:
        row.bad("splits", f"train from 0 to {len(episodes)}", info.splits)


def _check_features(features: Any, row: RowCheck) -> None:
    wanted: dict[str, tuple[str, list[int] | None]] = {CAMERA: ("image", None)}
    wanted |= {name: ("float32", [len(parts)]) for name, parts in NAMES.items()}
    wanted |= {name: (kind, [1]) for name, kind in SCALARS.items()}
    if not isinstance(features, dict) or features.keys() != wanted.keys():
        return row.bad("features", f"{', '.join(wanted)}", list(features) if isinstance(features, dict) else features)
    for name, (kind, shape) in wanted.items():
        field = f"features.{name}"
        feature = RowCheck(row.data, INFO, None, features[name]).fit(Feature, depth=0, root=field)
        if feature is None:
            continue
        if feature.dtype != kind:
            row.bad(field, f"dtype {kind}", feature.dtype)
        is_image = len(feature.shape) == 3 and feature.shape[2] == 3
        if feature.shape != shape and not (shape is None and is_image):
            row.bad(field, f"shape {shape or 'height, width, 3'}", feature.shape)
    return None


def _check_stats(data: DatasetCheck, stats: Mapping[str, Any]) -> None:
    lengths = {CAMERA: 3, **{name: len(parts) for name, parts in NAMES.items()}, **dict.fromkeys(SCALARS, 1)}
    for name, length in lengths.items():
        row = RowCheck(data, STATS, None, stats.get(name))
        entry = row.fit(ChannelStatistics if name == CAMERA else NumberStatistics, depth=0, root=name)
        if entry is None:
            continue
        low, mean, high, std = (np.ravel(values) for values in (entry.min, entry.mean, entry.max, entry.std))
        if any(len(values) != length for values in (low, mean, high, std)):
            row.bad(name, f"{length} numbers in each of min, mean, max and std", stats[name])
        elif np.any(low - 1e-6 > mean) or np.any(mean > high + 1e-6) or np.any(std < 0):
            row.bad(name, "min, mean and max in order, std from 0", stats[name])


def _read_tasks(data: DatasetCheck) -> dict[int, str]:
    tasks: dict[int, str] = {}
    for row in data.table(TASKS, TASK_SCHEMA, exact=False):
        one = data.fit(row, Task)
        if one is not None and one.task_index != len(tasks):
            row.bad("task_index", f"{len(tasks)}, counting from 0", one.task_index)
        tasks[len(tasks)] = str(row.record["task"])
    if data.has_file(data.folder / TASKS) and not any(problem.file == TASKS for problem in data.problems):
        note = (pq.read_schema(data.folder / TASKS).metadata or {}).get(b"pandas", b"")
        if b'"index_columns": ["task"]' not in note:
            data.bad(TASKS, "task", "the index of the pandas frame", "a plain column")
    return tasks


def _read_episodes(data: DatasetCheck, tasks: Mapping[int, str]) -> list[Episode | None]:
    """The episodes in order; None for one whose fields do not fit."""
    episodes: list[Episode | None] = []
    start: int | None = 0
    if not (data.folder / EPISODES_DIR).is_dir():
        data.bad(EPISODES_DIR, "file", "a folder of episodes", "no such folder")
    for row in _read_tables(data, EPISODES_DIR, episode_schema()):
        one = row.fit(Episode, depth=1)
        if one is not None:
            if one.episode_index != len(episodes):
                row.bad("episode_index", f"{len(episodes)}, counting from 0", one.episode_index)
            if start not in (None, one.dataset_from_index):
                row.bad("dataset_from_index", f"where the one before ends ({start})", one.dataset_from_index)
            if one.length != one.dataset_to_index - one.dataset_from_index:
                row.bad("length", "dataset_to_index minus dataset_from_index", one.length)
            if not set(one.tasks) <= set(tasks.values()):
                row.bad("tasks", f"texts of {TASKS}", one.tasks)
            for field, place in one.files.items():
                if not data.has_file(data.folder / place):
                    row.bad(field, "the numbers of a file that is there", place)
        start = one.dataset_to_index if one is not None else None
        episodes.append(one)
    return episodes


def _read_tables(data: DatasetCheck, below: str, schema: pa.Schema) -> Iterator[RowCheck]:
    for file in sorted((data.folder / below).glob("*/*.parquet")):
        yield from data.table(file.relative_to(data.folder).as_posix(), schema)


def _check_data(data: DatasetCheck, episodes: list[Episode | None], tasks: Mapping[int, str], fps: int | None) -> int:
    """Check every row of the data; returns how many there are."""
    if not any((data.folder / DATA_DIR).glob("*/*.parquet")):
        data.bad(DATA_DIR, "file", "a data file, as the client asks for one", "none")
    total = 0
    for total, row in enumerate(_read_tables(data, DATA_DIR, data_schema()), start=1):
        step = row.fit(Step, depth=1)
        if step is not None:
            _check_step(row, step, total - 1, episodes, tasks, fps)
    return total


def _check_step(
    row: RowCheck, step: Step, at: int, episodes: list[Episode | None], tasks: Mapping[int, str], fps: int | None
) -> None:
    """Check the row at position `at` of the data."""
    if step.index != at:
        row.bad("index", f"{at}, counting from 0", step.index)
    is_known = 0 <= step.episode_index < len(episodes)
    episode = episodes[step.episode_index] if is_known else None
    if is_known and episode is None:  # named already
        return
    if episode is None or not episode.dataset_from_index <= at < episode.dataset_to_index:
        row.bad("episode_index", "the episode whose range holds the row", step.episode_index)
        return
    place = episode.files["data/file_index"]
    if place != row.file:
        row.bad("episode_index", f"an episode that names this file, not {place}", step.episode_index)
    number = at - episode.dataset_from_index
    if step.frame_index != number:
        row.bad("frame_index", f"{number}, counting in the episode", step.frame_index)
    if fps is not None and abs(step.timestamp - number / fps) >= _TIME_S:
        row.bad("timestamp", f"frame_index / fps ({number / fps:.4f})", step.timestamp)
    if tasks.get(step.task_index) not in episode.tasks:
        row.bad("task_index", "a task of the episode", step.task_index)
