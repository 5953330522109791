"""Check LeRobot v3 datasets: totals, tasks, episodes that cover the data without a hole, times, values, statistics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from roomtour.export.core.checking import SPLITS, RowCheck, read_json
from roomtour.export.core.records import Problem, format_value
from roomtour.export.formats.lerobot.derived import check_derived
from roomtour.export.formats.lerobot.meta import (
    CAMERA,
    DATA_DIR,
    EPISODES_DIR,
    INFO,
    NAMES,
    SCALARS,
    STATS,
    TASKS,
    data_schema,
    episode_schema,
)
from roomtour.export.formats.lerobot.rows import (
    ChannelStatistics,
    Episode,
    Feature,
    Info,
    NumberStatistics,
    Step,
    Task,
)
from roomtour.export.formats.lerobot.write import root_of

_TIME_S = 1e-4
"""The client's own tolerance."""


def recognise(path: Path) -> bool:
    """Whether the folder holds an info.json of this kind."""
    return any((root_of(path, split) / INFO).is_file() for split in SPLITS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    for split in SPLITS:
        root = root_of(path, split)
        if split == "train" or root.is_dir():
            prefix = "" if root == path else f"{split}/"
            found: list[Problem] = []
            _check_root(root, found)
            problems += [Problem(prefix + p.file, p.row, p.field, p.expected, p.found) for p in found]
    return problems


def _check_root(root: Path, problems: list[Problem]) -> None:
    facts = read_json(root, INFO, dict, problems)
    if facts is None:
        return
    check = RowCheck(INFO, None, facts, problems)
    info = check.fit(Info)
    _check_features(facts.get("features"), check, problems)
    stats = read_json(root, STATS, dict, problems)
    if stats is not None:
        _check_stats(stats, problems)
    tasks = _tasks_of(root, problems)
    episodes = _episodes_of(root, tasks, problems)
    frames = _check_data(root, episodes, tasks, info.fps if info else None, problems)
    if stats is not None and not any(
        problem.file == STATS or problem.file.startswith(DATA_DIR) for problem in problems
    ):
        check_derived(root, stats, problems)
    if info is None:
        return
    for field, place, found in (
        ("total_tasks", TASKS, len(tasks)),
        ("total_episodes", EPISODES_DIR, len(episodes)),
        ("total_frames", DATA_DIR, frames),
    ):
        if facts[field] != found:
            check.bad(field, f"that of {place} ({found})", facts[field])
    if info.splits != {"train": f"0:{len(episodes)}"}:
        check.bad("splits", f"train from 0 to {len(episodes)}", info.splits)


def _check_features(features: Any, check: RowCheck, problems: list[Problem]) -> None:
    wanted: dict[str, tuple[str, list[int] | None]] = {CAMERA: ("image", None)}
    wanted |= {name: ("float32", [len(parts)]) for name, parts in NAMES.items()}
    wanted |= {name: (kind, [1]) for name, kind in SCALARS.items()}
    if not isinstance(features, dict) or features.keys() != wanted.keys():
        check.bad("features", f"{', '.join(wanted)}", list(features) if isinstance(features, dict) else features)
        return
    for name, (kind, shape) in wanted.items():
        field = f"features.{name}"
        feature = RowCheck(INFO, None, features[name], problems).fit(Feature, depth=0, root=field)
        if feature is None:
            continue
        if feature.dtype != kind:
            check.bad(field, f"dtype {kind}", feature.dtype)
        is_image = len(feature.shape) == 3 and feature.shape[2] == 3
        if feature.shape != shape and not (shape is None and is_image):
            check.bad(field, f"shape {shape or 'height, width, 3'}", feature.shape)


def _check_stats(stats: Mapping[str, Any], problems: list[Problem]) -> None:
    lengths = {CAMERA: 3, **{name: len(parts) for name, parts in NAMES.items()}, **dict.fromkeys(SCALARS, 1)}
    for name, length in lengths.items():
        check = RowCheck(STATS, None, stats.get(name), problems)
        entry = check.fit(ChannelStatistics if name == CAMERA else NumberStatistics, depth=0, root=name)
        if entry is None:
            continue
        low, mean, high, std = (np.ravel(values) for values in (entry.min, entry.mean, entry.max, entry.std))
        if any(len(values) != length for values in (low, mean, high, std)):
            check.bad(name, f"{length} numbers in each of min, mean, max and std", stats[name])
        elif np.any(low - 1e-6 > mean) or np.any(mean > high + 1e-6) or np.any(std < 0):
            check.bad(name, "min, mean and max in order, std from 0", stats[name])


def _table(root: Path, name: str, schema: pa.Schema, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows from 1 of one file."""
    try:
        with pq.ParquetFile(root / name, page_checksum_verification=True) as file:
            if not file.schema_arrow.equals(schema):
                expected = format_value(schema.names)
                problems.append(Problem(name, None, "columns", expected, format_value(file.schema_arrow.names)))
                return
            number = 0
            for batch in file.iter_batches(batch_size=200):
                for record in batch.to_pylist():
                    number += 1
                    yield number, record
    except FileNotFoundError:
        problems.append(Problem(name, None, "file", "a file", "no such file"))
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        problems.append(Problem(name, None, "parquet", "a parquet file", format_value(str(error))))


def _tasks_of(root: Path, problems: list[Problem]) -> dict[int, str]:
    tasks: dict[int, str] = {}
    known: set[Any] = set()
    schema = pa.schema([("task_index", pa.int64()), ("task", pa.string())])
    for number, record in _table(root, TASKS, schema, problems):
        check = RowCheck(TASKS, number, record, problems)
        row = check.fit(Task)
        if row is not None:
            check.new("task", row.task, known)
            if row.task_index != number - 1:
                check.bad("task_index", f"{number - 1}, counting from 0", row.task_index)
        tasks[number - 1] = str(record["task"])
    if (root / TASKS).is_file() and not any(p.file == TASKS for p in problems):
        note = (pq.read_schema(root / TASKS).metadata or {}).get(b"pandas", b"")
        if b'"index_columns": ["task"]' not in note:
            problems.append(Problem(TASKS, None, "task", "the index of the pandas frame", "a plain column"))
    return tasks


def _episodes_of(root: Path, tasks: Mapping[int, str], problems: list[Problem]) -> list[Episode | None]:
    """The episodes in order; None for one whose fields do not fit."""
    episodes: list[Episode | None] = []
    texts = set(tasks.values())
    start: int | None = 0
    for file in sorted((root / EPISODES_DIR).glob("*/*.parquet")):
        name = file.relative_to(root).as_posix()
        for number, record in _table(root, name, episode_schema(), problems):
            check = RowCheck(name, number, record, problems)
            row = check.fit(Episode, depth=1)
            if row is not None:
                if row.episode_index != len(episodes):
                    check.bad("episode_index", f"{len(episodes)}, counting from 0", row.episode_index)
                if start not in (None, row.dataset_from_index):
                    check.bad("dataset_from_index", f"where the one before ends ({start})", row.dataset_from_index)
                if row.length != row.dataset_to_index - row.dataset_from_index:
                    check.bad("length", "dataset_to_index minus dataset_from_index", row.length)
                if not set(row.tasks) <= texts:
                    check.bad("tasks", f"texts of {TASKS}", row.tasks)
                for field, place in row.files.items():
                    if not (root / place).is_file():
                        check.bad(field, "the numbers of a file that is there", place)
            start = row.dataset_to_index if row is not None else None
            episodes.append(row)
    if not (root / EPISODES_DIR).is_dir():
        problems.append(Problem(EPISODES_DIR, None, "file", "a folder of episodes", "no such folder"))
    return episodes


def _check_data(
    root: Path, episodes: list[Episode | None], tasks: Mapping[int, str], fps: int | None, problems: list[Problem]
) -> int:
    """Check every row of the data; returns how many there are."""
    files = sorted((root / DATA_DIR).glob("*/*.parquet"))
    if not files:
        problems.append(Problem(DATA_DIR, None, "file", "a data file, as the client asks for one", "none"))
    total = 0
    for file in files:
        name = file.relative_to(root).as_posix()
        for number, record in _table(root, name, data_schema(), problems):
            check = RowCheck(name, number, record, problems)
            row = check.fit(Step, depth=1)
            if row is not None:
                _check_step(check, row, total, name, episodes, tasks, fps)
            total += 1
    return total


def _check_step(
    check: RowCheck,
    row: Step,
    at: int,
    file: str,
    episodes: list[Episode | None],
    tasks: Mapping[int, str],
    fps: int | None,
) -> None:
    """Check the row at position `at` of the data, which lies in `file`."""
    if row.index != at:
        check.bad("index", f"{at}, counting from 0", row.index)
    is_known = 0 <= row.episode_index < len(episodes)
    episode = episodes[row.episode_index] if is_known else None
    if is_known and episode is None:  # named already
        return
    if episode is None or not episode.dataset_from_index <= at < episode.dataset_to_index:
        check.bad("episode_index", "the episode whose range holds the row", row.episode_index)
        return
    place = episode.files["data/file_index"]
    if place != file:
        check.bad("episode_index", f"an episode that names this file, not {place}", row.episode_index)
    step = at - episode.dataset_from_index
    if row.frame_index != step:
        check.bad("frame_index", f"{step}, counting in the episode", row.frame_index)
    if fps is not None and abs(row.timestamp - step / fps) >= _TIME_S:
        check.bad("timestamp", f"frame_index / fps ({step / fps:.4f})", row.timestamp)
    if tasks.get(row.task_index) not in episode.tasks:
        check.bad("task_index", "a task of the episode", row.task_index)
