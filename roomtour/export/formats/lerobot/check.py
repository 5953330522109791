"""Check LeRobot v3 datasets: totals, tasks, episodes that cover the data without a hole, times, values, statistics."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from roomtour.export.core.checking import SPLITS, RowCheck, is_number, read_json
from roomtour.export.core.records import Problem, shown
from roomtour.export.formats.lerobot.meta import (
    ACTION,
    CAMERA,
    COUNTERS,
    DATA_DIR,
    EPISODES_DIR,
    FILES,
    INFO,
    NAMES,
    STATE,
    STATS,
    TASKS,
    VERSION,
    data_schema,
    episode_schema,
)
from roomtour.export.formats.lerobot.write import root_of

_IMAGE_STARTS = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")
_STATS = ("min", "max", "mean", "std", "count")
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
    info = RowCheck(INFO, None, facts, problems)
    _check_info(info)
    stats = read_json(root, STATS, dict, problems)
    if stats is not None:
        _check_stats(RowCheck(STATS, None, stats, problems))
    tasks = _tasks_of(root, problems)
    if info.record.get("total_tasks") != len(tasks):
        info.bad("total_tasks", f"that of {TASKS} ({len(tasks)})", info.record.get("total_tasks"))
    episodes = _episodes_of(root, tasks, problems)
    if info.record.get("total_episodes") != len(episodes):
        info.bad("total_episodes", f"that of {EPISODES_DIR} ({len(episodes)})", info.record.get("total_episodes"))
    if info.record.get("splits") != {"train": f"0:{len(episodes)}"}:
        info.bad("splits", f"train from 0 to {len(episodes)}", info.record.get("splits"))
    fps = info.record.get("fps")
    frames = _check_data(root, episodes, tasks, float(fps) if is_number(fps) and fps > 0 else None, problems)
    if info.record.get("total_frames") != frames:
        info.bad("total_frames", f"that of {DATA_DIR} ({frames})", info.record.get("total_frames"))


def _check_info(info: RowCheck) -> None:
    if info.record.get("codebase_version") != VERSION:
        info.bad("codebase_version", VERSION, info.record.get("codebase_version"))
    info.whole("fps", 1)
    info.whole("chunks_size", 1)
    info.number("data_files_size_in_mb", above=0.0)
    if info.record.get("data_path") != f"{DATA_DIR}/{FILES}":
        info.bad("data_path", f"{DATA_DIR}/{FILES}", info.record.get("data_path"))
    if "video_path" not in info.record:
        info.bad("video_path", "null, the images are in the data", "no such field")
    features = info.record.get("features")
    wanted: dict[str, tuple[str, list[int] | None]] = {CAMERA: ("image", None)}
    wanted |= {name: ("float32", [len(parts)]) for name, parts in NAMES.items()}
    wanted |= {name: (kind, [1]) for name, kind in COUNTERS.items()}
    if not isinstance(features, dict) or features.keys() != wanted.keys():
        info.bad("features", f"{', '.join(wanted)}", list(features) if isinstance(features, dict) else features)
        return
    for name, (kind, shape) in wanted.items():
        feature = features[name] if isinstance(features[name], dict) else {}
        if feature.get("dtype") != kind or "names" not in feature:
            info.bad(f"features.{name}", f"dtype {kind} and names", features[name])
        found = feature.get("shape")
        is_image = isinstance(found, list) and len(found) == 3 and found[2] == 3
        if found != shape and not (shape is None and is_image):
            info.bad(f"features.{name}", f"shape {shape or 'height, width, 3'}", found)


def _check_stats(stats: RowCheck) -> None:
    for name in (CAMERA, *NAMES, *COUNTERS):
        entry = stats.record.get(name)
        if not isinstance(entry, dict) or any(field not in entry for field in _STATS):
            stats.bad(name, ", ".join(_STATS), entry)
            continue
        length = 3 if name == CAMERA else len(NAMES.get(name, "1"))
        columns = {field: _flat(entry[field]) for field in _STATS}
        shaped = name != CAMERA or all(
            isinstance(entry[f], list) and all(isinstance(v, list) for v in entry[f]) for f in _STATS[:4]
        )
        if not shaped or any(len(columns[field]) != length for field in _STATS[:4]) or len(columns["count"]) != 1:
            stats.bad(name, f"{length} numbers{', each as [[x]]' if name == CAMERA else ''}, and one count", entry)
            continue
        rows = zip(columns["min"], columns["mean"], columns["max"], columns["std"], strict=True)
        if any(not low - 1e-6 <= mean <= high + 1e-6 or std < 0 for low, mean, high, std in rows):
            stats.bad(name, "min, mean and max in order, std from 0", entry)


def _flat(value: object) -> list[float]:
    """The finite numbers of nested lists; empty if there is anything else."""
    if isinstance(value, list):
        parts = [_flat(v) for v in value]
        return [number for part in parts for number in part] if all(parts) else []
    return [float(value)] if is_number(value) else []


def _table(root: Path, name: str, schema: pa.Schema, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows from 1 of one file."""
    try:
        with pq.ParquetFile(root / name) as file:
            if not file.schema_arrow.equals(schema):
                expected = shown(schema.names)
                problems.append(Problem(name, None, "columns", expected, shown(file.schema_arrow.names)))
                return
            number = 0
            for batch in file.iter_batches(batch_size=200):
                for record in batch.to_pylist():
                    number += 1
                    yield number, record
    except FileNotFoundError:
        problems.append(Problem(name, None, "file", "a file", "no such file"))
    except (pa.ArrowException, OSError) as error:
        problems.append(Problem(name, None, "parquet", "a parquet file", shown(str(error))))


def _tasks_of(root: Path, problems: list[Problem]) -> dict[int, str]:
    tasks: dict[int, str] = {}
    known: set[Any] = set()
    schema = pa.schema([("task_index", pa.int64()), ("task", pa.string())])
    for number, record in _table(root, TASKS, schema, problems):
        row = RowCheck(TASKS, number, record, problems)
        row.new("task", known)
        if record["task_index"] != number - 1:
            row.bad("task_index", f"{number - 1}, counting from 0", record["task_index"])
        tasks[number - 1] = str(record["task"])
    if (root / TASKS).is_file() and not any(p.file == TASKS for p in problems):
        note = (pq.read_schema(root / TASKS).metadata or {}).get(b"pandas", b"")
        if b'"index_columns": ["task"]' not in note:
            problems.append(Problem(TASKS, None, "task", "the index of the pandas frame", "a plain column"))
    return tasks


def _episodes_of(root: Path, tasks: dict[int, str], problems: list[Problem]) -> list[dict[str, Any]]:
    episodes: list[dict[str, Any]] = []
    texts = set(tasks.values())
    for file in sorted((root / EPISODES_DIR).glob("*/*.parquet")):
        name = file.relative_to(root).as_posix()
        for number, loaded in _table(root, name, episode_schema(), problems):
            # A null is no number: -1 fails each check below and is safe to compare with.
            record = {field: -1 if value is None else value for field, value in loaded.items()}
            record["tasks"] = loaded["tasks"] or []
            row = RowCheck(name, number, record, problems)
            if record["episode_index"] != len(episodes):
                row.bad("episode_index", f"{len(episodes)}, counting from 0", record["episode_index"])
            start = episodes[-1]["dataset_to_index"] if episodes else 0
            if record["dataset_from_index"] != start:
                row.bad("dataset_from_index", f"where the one before ends ({start})", record["dataset_from_index"])
            length = row.whole("length", 1)
            end = row.whole("dataset_to_index")
            if length is not None and end is not None and record["dataset_from_index"] != end - length:
                row.bad("length", "dataset_to_index minus dataset_from_index", length)
            if not record["tasks"] or not set(record["tasks"]) <= texts:
                row.bad("tasks", f"texts of {TASKS}", record["tasks"])
            for folder, own in ((DATA_DIR, "data"), (EPISODES_DIR, "meta/episodes")):
                chunk, index = record[f"{own}/chunk_index"], record[f"{own}/file_index"]
                inside = f"{folder}/{FILES}"
                if not (root / inside.format(chunk_index=chunk, file_index=index)).is_file():
                    row.bad(f"{own}/file_index", "the numbers of a file that is there", (chunk, index))
            episodes.append(record)
    if not (root / EPISODES_DIR).is_dir():
        problems.append(Problem(EPISODES_DIR, None, "file", "a folder of episodes", "no such folder"))
    return episodes


def _check_data(
    root: Path, episodes: list[dict[str, Any]], tasks: dict[int, str], fps: float | None, problems: list[Problem]
) -> int:
    files = sorted((root / DATA_DIR).glob("*/*.parquet"))
    if not files:
        problems.append(Problem(DATA_DIR, None, "file", "a data file, as the client asks for one", "none"))
    total = 0
    for file in files:
        name = file.relative_to(root).as_posix()
        for number, record in _table(root, name, data_schema(), problems):
            row = RowCheck(name, number, record, problems)
            if record["index"] != total:
                row.bad("index", f"{total}, counting from 0", record["index"])
            total += 1
            _check_values(row)
            at = record["episode_index"]
            episode = episodes[at] if isinstance(at, int) and 0 <= at < len(episodes) else None
            if episode is None or not episode["dataset_from_index"] <= total - 1 < episode["dataset_to_index"]:
                row.bad("episode_index", "the episode whose range holds the row", at)
                continue
            place = FILES.format(chunk_index=episode["data/chunk_index"], file_index=episode["data/file_index"])
            if f"{DATA_DIR}/{place}" != name:
                row.bad("episode_index", f"an episode that names this file, not {place}", at)
            step = total - 1 - episode["dataset_from_index"]
            if record["frame_index"] != step:
                row.bad("frame_index", f"{step}, counting in the episode", record["frame_index"])
            time_s = record["timestamp"]
            if fps is not None and not (is_number(time_s) and abs(time_s - step / fps) < _TIME_S):
                row.bad("timestamp", f"frame_index / fps ({step / fps:.4f})", time_s)
            if tasks.get(record["task_index"]) not in episode["tasks"]:
                row.bad("task_index", "a task of the episode", record["task_index"])
    return total


def _check_values(row: RowCheck) -> None:
    state = row.vector(STATE, len(NAMES[STATE]))
    if state is not None and abs(math.hypot(*state[3:]) - 1.0) > 1e-3:
        row.bad(STATE, "a unit quaternion after the position", state)
    row.vector(ACTION, len(NAMES[ACTION]))
    image = row.record[CAMERA]
    if not image or not (image["bytes"] or b"").startswith(_IMAGE_STARTS):
        row.bad(CAMERA, "the bytes of a JPEG or PNG image", image and (image["bytes"] or b"")[:12])
