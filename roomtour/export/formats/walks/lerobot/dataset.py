"""The files of a LeRobot v3 dataset: data, episodes, tasks, statistics and info.json."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from recon.geometry import Array
from roomtour.export.core.streams import ParquetShards

VERSION = "v3.0"
INFO, STATS, TASKS = "meta/info.json", "meta/stats.json", "meta/tasks.parquet"
EPISODES_DIR, DATA_DIR = "meta/episodes", "data"
FILES = "chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
CHUNK_FILES = 1000
"""Files per folder: LeRobot's own."""
MAX_FILE_MB = 100.0
"""Size of a data file before the next one begins: LeRobot's own."""
CAMERA, STATE, ACTION = "observation.images.camera", "observation.state", "action"
REWARD = "next.reward"
NAMES = {
    STATE: ["x_m", "y_m", "z_m", "qx", "qy", "qz", "qw"],
    ACTION: ["forward_m", "left_m", "turn_left_rad"],
}
SCALARS = {
    "timestamp": "float32",
    "frame_index": "int64",
    "episode_index": "int64",
    "index": "int64",
    "task_index": "int64",
    REWARD: "float32",
}
"""Columns of one number, with their type."""
TASK_SCHEMA = pa.schema([("task_index", pa.int64()), ("task", pa.string())])
_ROW_BYTES = 100
_NOWHERE = (1, 1)
"""Image size of a dataset without episodes."""


def data_schema() -> pa.Schema:
    """Columns of the data files, with what tells `datasets` that the camera's are images."""
    columns = [
        (CAMERA, pa.struct([("bytes", pa.binary()), ("path", pa.string())])),
        *((name, pa.list_(pa.float32(), len(parts))) for name, parts in NAMES.items()),
        *((name, pa.float32() if kind == "float32" else pa.int64()) for name, kind in SCALARS.items()),
    ]
    features: dict[str, Any] = {CAMERA: {"_type": "Image"}}
    for name, parts in NAMES.items():
        features[name] = {"feature": {"dtype": "float32", "_type": "Value"}, "length": len(parts), "_type": "Sequence"}
    features |= {name: {"dtype": kind, "_type": "Value"} for name, kind in SCALARS.items()}
    return pa.schema(columns, metadata={"huggingface": json.dumps({"info": {"features": features}})})


def episode_schema() -> pa.Schema:
    """Columns of the episode files."""
    whole = (
        "length",
        "dataset_from_index",
        "dataset_to_index",
        "data/chunk_index",
        "data/file_index",
        "meta/episodes/chunk_index",
        "meta/episodes/file_index",
    )
    columns = [("episode_index", pa.int64()), ("tasks", pa.list_(pa.string())), *((name, pa.int64()) for name in whole)]
    return pa.schema([*columns, ("way", pa.string())])


def file_of(folder: Path, number: int) -> Path:
    """The file of a number that counts from 0."""
    return folder / FILES.format(**_indices(number))


def _indices(number: int) -> dict[str, int]:
    return {"chunk_index": number // CHUNK_FILES, "file_index": number % CHUNK_FILES}


def tell_episode(
    episode: int, task: str, first: int, length: int, data_file: int, meta_file: int
) -> dict[str, int | list[str]]:
    """The row of an episode, all but its way; `first` is its first row in the data, the files count from 0."""
    entry: dict[str, int | list[str]] = {"episode_index": episode, "tasks": [task], "length": length}
    entry |= {"dataset_from_index": first, "dataset_to_index": first + length}
    entry |= {f"data/{name}": value for name, value in _indices(data_file).items()}
    return entry | {f"meta/episodes/{name}": value for name, value in _indices(meta_file).items()}


def tell_info(counts: tuple[int, int, int], fps: int, size: tuple[int, int]) -> dict[str, Any]:
    """`meta/info.json`.

    Args:
        counts: Episodes, frames and tasks.
        fps: Rate of the episodes, 1/s.
        size: Width and height of all images.
    """
    features: dict[str, Any] = {
        CAMERA: {"dtype": "image", "shape": [size[1], size[0], 3], "names": ["height", "width", "channels"]}
    }
    features |= {n: {"dtype": "float32", "shape": [len(parts)], "names": parts} for n, parts in NAMES.items()}
    features |= {name: {"dtype": kind, "shape": [1], "names": None} for name, kind in SCALARS.items()}
    return {
        "codebase_version": VERSION,
        "robot_type": "hand-held camera",
        "total_episodes": counts[0],
        "total_frames": counts[1],
        "total_tasks": counts[2],
        "chunks_size": CHUNK_FILES,
        "data_files_size_in_mb": MAX_FILE_MB,
        "video_files_size_in_mb": 200,
        "fps": fps,
        "splits": {"train": f"0:{counts[0]}"},
        "data_path": f"{DATA_DIR}/{FILES}",
        "video_path": None,
        "features": features,
    }


class RunningStats:
    """Of vectors of one length, entry by entry (Welford, in batches), in memory of a few vectors."""

    def __init__(self, length: int):
        self.count = 0
        """Vectors seen."""
        self._least, self._largest = np.full(length, np.inf), np.full(length, -np.inf)
        self._mean, self._squares = np.zeros(length), np.zeros(length)

    def add(self, values: Array) -> None:
        """Take in vectors (N, length), N at least 1."""
        count = len(values)
        mean = values.mean(axis=0)
        squares = ((values - mean) ** 2).sum(axis=0)
        total = self.count + count
        apart = mean - self._mean
        self._squares += squares + apart**2 * self.count * count / total
        self._mean += apart * count / total
        self.count = total
        self._least = np.minimum(self._least, values.min(axis=0))
        self._largest = np.maximum(self._largest, values.max(axis=0))

    def figures(self, count: int | None = None) -> dict[str, list[float]]:
        """Least, largest, mean and deviation by entry (zeros if none was seen), and `count`, of the vectors if None."""
        seen, none = self.count > 0, np.zeros_like(self._mean)
        return {
            "min": (self._least if seen else none).tolist(),
            "max": (self._largest if seen else none).tolist(),
            "mean": self._mean.tolist(),
            "std": np.sqrt(self._squares / max(self.count, 1)).tolist(),
            "count": [self.count if count is None else count],
        }


class LerobotRoot(AbstractContextManager["LerobotRoot"]):
    """One dataset that grows by episodes. Memory holds one of them, and the texts of the tasks."""

    def __init__(self, root: Path, fps: int):
        self._root, self._fps = root, fps
        self._data = ParquetShards(partial(file_of, root / DATA_DIR), data_schema(), MAX_FILE_MB)
        self._episodes = ParquetShards(partial(file_of, root / EPISODES_DIR), episode_schema(), MAX_FILE_MB)
        self._tasks: dict[str, int] = {}
        self._stats = {name: RunningStats(len(parts)) for name, parts in NAMES.items()}
        self._stats |= {name: RunningStats(1) for name in SCALARS}
        self._pixels = RunningStats(3)
        self._images_measured = 0
        self._episode_count = 0
        self._frame_count = 0
        self._size = _NOWHERE

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        self._data.__exit__(kind, error, trace)
        self._episodes.__exit__(kind, error, trace)
        if error is None:
            self._write_tasks()
            counts = (self._episode_count, self._frame_count, len(self._tasks))
            self._write_json(INFO, tell_info(counts, self._fps, self._size))
            self._write_json(STATS, self._stats_json())

    def add_episode(
        self, rows: Sequence[dict[str, Any]], task: str, way: str, pixels: Sequence[Array], size: tuple[int, int]
    ) -> None:
        """Append an episode.

        Args:
            rows: Camera, state, action and reward of each tick.
            task: The text.
            way: Id of the way.
            pixels: Pixels (N, 3) of some of its images, 0 to 1.
            size: Width and height of all images.
        """
        self._size = size
        first, episode = self._frame_count, self._episode_count
        task_index = self._tasks.setdefault(task, len(self._tasks))
        weights = [len(row[CAMERA]["bytes"]) + _ROW_BYTES for row in rows]
        self._data.make_room(sum(weights))
        step = np.arange(len(rows))
        counters = {
            "timestamp": step / self._fps,
            "frame_index": step,
            "episode_index": np.full_like(step, episode),
            "index": first + step,
            "task_index": np.full_like(step, task_index),
            REWARD: np.array([row[REWARD] for row in rows]),
        }
        for number, (row, weight) in enumerate(zip(rows, weights, strict=True)):
            self._data.add({**row, **{name: values[number].item() for name, values in counters.items()}}, weight)
        for name, values in counters.items():
            self._stats[name].add(values[:, None].astype(np.float64))
        for name in NAMES:
            self._stats[name].add(np.array([row[name] for row in rows], dtype=np.float32).astype(np.float64))
        for image in pixels:
            self._pixels.add(image)
        self._images_measured += len(pixels)
        self._frame_count += len(rows)
        self._episode_count += 1
        self._episodes.make_room(_ROW_BYTES + len(task))
        entry = tell_episode(episode, task, first, len(rows), self._data.number, self._episodes.number)
        self._episodes.add({**entry, "way": way}, _ROW_BYTES + len(task))

    def _write_tasks(self) -> None:
        """A pandas frame with the texts as its index, which is how the client looks a task up."""
        columns = [
            _pandas_column("task_index", "int64", "int64"),
            _pandas_column("task", "unicode", "object"),
        ]
        note = {"index_columns": ["task"], "column_indexes": [], "columns": columns, "pandas_version": "2.2.0"}
        schema = TASK_SCHEMA.with_metadata({"pandas": json.dumps(note)})
        table = pa.table([list(self._tasks.values()), list(self._tasks)], schema=schema)
        pq.write_table(table, self._root / TASKS, write_page_checksum=True)

    def _stats_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {name: stats.figures() for name, stats in self._stats.items()}
        per_channel = self._pixels.figures(self._images_measured)
        count = per_channel.pop("count")
        out[CAMERA] = {name: [[[v]] for v in values] for name, values in per_channel.items()} | {"count": count}
        return out

    def _write_json(self, name: str, content: dict[str, Any]) -> None:
        text = json.dumps(content, indent=4, ensure_ascii=False, allow_nan=False)
        (self._root / name).write_text(text + "\n", encoding="utf-8")


def _pandas_column(name: str, kind: str, numpy_kind: str) -> dict[str, Any]:
    return {"name": name, "field_name": name, "pandas_type": kind, "numpy_type": numpy_kind, "metadata": None}
