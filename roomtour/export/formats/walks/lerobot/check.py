"""Check LeRobot v3 datasets: what follows from the rows of the data is worked out again and compared."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from recon.geometry import Array
from recon.pictures import decode_picture, find_picture_size
from recon.ranges import Positive
from roomtour.export.core.checking import SPLITS, DatasetCheck, Finite, Row, RowCheck, Text, must
from roomtour.export.core.columns import PictureCell
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
_NUMBERS = (*NAMES, *SCALARS)
_RELATIVE = 1e-4
"""Columns are stored in single precision, rewards and times are measured in double."""
_STEP_M_RAD = 1e-3
"""The same of an action: metres and radians."""
_PICTURES = 4
_EVERY_PX = 8


class _Info(Row):
    fps: Annotated[int, Field(ge=1)]
    data_files_size_in_mb: Positive


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


@dataclass(frozen=True)
class _Data:
    """The numbers of all rows that fit, and where they lie."""

    files: list[str]
    rows: list[int | str | None]
    columns: dict[str, Array]  # (N, length) by name
    episodes: list[tuple[int, int]]  # first row of each, and the row behind its last
    size: tuple[int, int]


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
    tasks, rows = _read_tasks(data), _read_data(data)
    if facts is None:
        return
    about = RowCheck(data, INFO, None, facts)
    info = about.fit(_Info)
    if rows is None or info is None:
        return
    counts = (len(rows.episodes), len(rows.files), len(tasks))
    wanted = tell_info(counts, info.fps, info.data_files_size_in_mb, rows.size)
    features, told = wanted.pop("features"), facts.get("features")
    for name, value in wanted.items():
        about.need(facts.get(name, "none") == value, name, format_value(value), facts.get(name, "none"))
    if not isinstance(told, dict) or told.keys() != features.keys():
        about.bad("features", ", ".join(features), told)
    else:
        for name in [name for name, feature in features.items() if told[name] != feature]:
            about.bad(f"features.{name}", format_value(features[name]), told[name])
    _check_counters(data, rows, tasks, info.fps)
    _check_actions(data, rows)
    if stats is not None and rows.files and not any(one.file.startswith(DATA_DIR) for one in data.problems):
        for name, values in rows.columns.items():
            _check_stats(data, stats, name, values, len(values))
        _check_stats(data, stats, CAMERA, *_collect_pixels(data.folder, rows))


def _read_tasks(data: DatasetCheck) -> list[str]:
    tasks: list[str] = []
    for row in data.table(TASKS, TASK_SCHEMA, exact=False):
        one = data.fit(row, _Task)
        if one is not None and one.task_index != len(tasks):
            row.bad("task_index", f"{len(tasks)}, counting from 0", one.task_index)
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


def _read_data(data: DatasetCheck) -> _Data | None:
    """The data; None if a row does not fit."""
    found: dict[str, list[Any]] = {name: [] for name in _NUMBERS}
    files, rows, size, is_sound = [], [], (1, 1), True
    for row in _read_tables(data, DATA_DIR, data_schema()):
        step = row.fit(_Step, depth=1)
        is_sound &= step is not None
        if step is not None:
            size = size if files else find_picture_size(step.camera.bytes) or size
            files.append(row.file)
            rows.append(row.number)
            for name in _NUMBERS:
                found[name].append(row.record[name])
    if not is_sound or any(one.file.startswith(DATA_DIR) for one in data.problems):
        return None
    lengths = {name: len(NAMES.get(name, (name,))) for name in _NUMBERS}
    columns = {name: np.array(found[name], np.float64).reshape(len(files), lengths[name]) for name in _NUMBERS}
    starts = [at for at in range(len(files)) if at == 0 or found["frame_index"][at] == 0]
    return _Data(files, rows, columns, list(pairwise([*starts, len(files)])), size)


def _check_counters(data: DatasetCheck, rows: _Data, tasks: Sequence[str], fps: int) -> None:
    """Episodes begin where a frame is the first; their rows count on, and `meta/episodes` tells them."""
    folder, numbers = data.folder / DATA_DIR, {name: values[:, 0] for name, values in rows.columns.items()}
    number_of = dict(zip(sorted({*rows.files}), count(), strict=False))
    episodes = _read_tables(data, EPISODES_DIR, episode_schema())
    in_file: dict[str, int] = {}
    for episode, (first, end) in enumerate(rows.episodes):
        step, task = np.arange(end - first), int(numbers["task_index"][end - 1])
        wanted = {
            "index": first + step,
            "episode_index": np.full_like(step, episode),
            "frame_index": step,
            "task_index": np.full_like(step, task),
            "timestamp": step / fps,
        }
        for name, values in wanted.items():
            for at in np.flatnonzero(np.abs(numbers[name][first:end] - values) >= _TIME_S):
                at_row = first + int(at)
                data.bad(rows.files[at_row], name, f"{values[at]:g}", numbers[name][at_row], rows.rows[at_row])
        row = next(episodes, None)
        if row is None:
            return data.bad(EPISODES_DIR, "file", f"{len(rows.episodes)} episodes", episode)
        meta_file = in_file.setdefault(row.file, len(in_file))
        text = tasks[task] if 0 <= task < len(tasks) else ""
        told = tell_episode(episode, text, first, end - first, number_of[rows.files[first]], meta_file)
        for name in [name for name, value in told.items() if row.record[name] != value]:
            row.bad(name, f"{told[name]}, as the rows of {folder.name} are", row.record[name])
    for row in episodes:
        row.bad("episode_index", "an episode with rows", row.record["episode_index"])
    return None


def _check_actions(data: DatasetCheck, rows: _Data) -> None:
    """An action leads from its state to that of the next row; the last of an episode is none."""
    states, actions = rows.columns[STATE], rows.columns[ACTION]
    x, y, z, w = states[:, 3:].T
    heading = np.arctan2(2 * (y * z - w * x), 2 * (x * z + w * y))  # of the optical axis, seen from above
    moved = np.diff(states[:, :2], axis=0)
    ahead = np.stack([np.cos(heading[:-1]), np.sin(heading[:-1])], axis=1)
    want = np.zeros_like(actions)
    want[:-1, 0] = (moved * ahead).sum(axis=1)
    want[:-1, 1] = ahead[:, 0] * moved[:, 1] - ahead[:, 1] * moved[:, 0]
    want[:-1, 2] = np.remainder(np.diff(heading) + math.pi, 2 * math.pi) - math.pi
    want[[end - 1 for _, end in rows.episodes]] = 0.0
    off = np.abs(want - actions)
    off[:, 2] = np.minimum(off[:, 2], np.abs(2 * math.pi - off[:, 2]))  # half a turn left is half a turn right
    for row in np.flatnonzero(off.max(axis=1, initial=0) > _STEP_M_RAD):
        expected = f"the motion to the next state: {format_value(want[row].round(4).tolist())}"
        data.bad(rows.files[row], ACTION, expected, actions[row].tolist(), rows.rows[row])


def _check_stats(data: DatasetCheck, stats: Mapping[str, Any], name: str, rows: Array, counted: int) -> None:
    """Hold one entry of `meta/stats.json` against rows (N, length); those of a camera are [[x]], one per channel."""
    told = stats.get(name)
    figures = {"min": rows.min(axis=0), "max": rows.max(axis=0), "mean": rows.mean(axis=0), "std": rows.std(axis=0)}
    scale = np.maximum(1.0, np.abs(rows).max(axis=0))
    shape = (rows.shape[1], 1, 1) if name == CAMERA else (rows.shape[1],)
    for key, want in figures.items():
        try:
            found = np.asarray(told[key] if isinstance(told, dict) else None, dtype=np.float64)
        except (KeyError, TypeError, ValueError):
            found = np.empty(0)
        if found.shape != shape or not np.all(np.abs(found.ravel() - want) <= _RELATIVE * scale):
            data.bad(STATS, name, f"{key} of the data: {format_value(want.round(6).tolist())}", told)
    if not isinstance(told, dict) or told.get("count") != [counted]:
        data.bad(STATS, name, f"count [{counted}]", told)


def _collect_pixels(root: Path, rows: _Data) -> tuple[Array, int]:
    """What the statistics of the camera rest on: of each episode four pictures, evenly chosen, every eighth pixel.

    Returns:
        Pixels (N, 3), red green blue, 0 to 1; number of pictures.
    """
    chosen = {at for first, end in rows.episodes for at in np.linspace(first, end - 1, _PICTURES).round()}
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
