"""Numbers of a LeRobot dataset that follow from others of it, computed again: statistics and actions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from recon.geometry import Array
from recon.pictures import decode_picture
from roomtour.export.core.checking import DatasetCheck
from roomtour.export.core.records import format_value
from roomtour.export.formats.walks.lerobot.meta import ACTION, CAMERA, DATA_DIR, NAMES, SCALARS, STATE, STATS

_NUMBERS = (*NAMES, *SCALARS)
_RELATIVE = 1e-4
"""Columns are stored in single precision, rewards and times are measured in double."""
_STEP_M_RAD = 1e-3
"""The same of an action: metres and radians."""
_PICTURES = 4
_EVERY_PX = 8


def check_derived(data: DatasetCheck, stats: Mapping[str, Any]) -> None:
    """Compare `meta/stats.json` and the actions with what the rows say.

    Args:
        data: A dataset whose data files are sound.
        stats: Content of `meta/stats.json`, whose entries have the right shapes.
    """
    columns: dict[str, list[Array]] = {name: [] for name in _NUMBERS}
    for file in sorted((data.folder / DATA_DIR).glob("*/*.parquet")):
        table = pq.read_table(file, columns=list(_NUMBERS))
        for name in _NUMBERS:
            values = np.array(table[name].to_pylist(), dtype=np.float64).reshape(
                table.num_rows, len(NAMES.get(name, (name,)))
            )
            columns[name].append(values)
        if table.num_rows:
            name = file.relative_to(data.folder).as_posix()
            _check_actions(data, name, columns[STATE][-1], columns[ACTION][-1], columns["episode_index"][-1])
    values = {name: np.vstack(parts) for name, parts in columns.items() if parts}
    for name, rows in values.items():
        if len(rows):
            _compare(data, name, stats[name], rows, len(rows))
    if "episode_index" in values:
        pixels, pictures = _collect_pixels(data.folder, values["episode_index"][:, 0].astype(int))
        if pictures:
            _compare(data, CAMERA, stats[CAMERA], pixels, pictures)


def _compare(data: DatasetCheck, name: str, told: Mapping[str, Any], rows: Array, count: int) -> None:
    """Hold one entry against rows (N, length)."""
    figures = {"min": rows.min(axis=0), "max": rows.max(axis=0), "mean": rows.mean(axis=0), "std": rows.std(axis=0)}
    scale = np.maximum(1.0, np.abs(rows).max(axis=0))
    for key, want in figures.items():
        if np.any(np.abs(np.ravel(told[key]) - want) > _RELATIVE * scale):
            expected = f"{key} of the data: {format_value(want.round(6).tolist())}"
            data.bad(STATS, name, expected, np.ravel(told[key]).tolist())
    if told["count"] != [count]:
        data.bad(STATS, name, f"count [{count}]", told["count"])


def _check_actions(data: DatasetCheck, name: str, states: Array, actions: Array, episodes: Array) -> None:
    """An action leads from its state to that of the next row; the last of an episode is none."""
    x, y, z, w = states[:, 3:].T
    heading = np.arctan2(2 * (y * z - w * x), 2 * (x * z + w * y))  # of the optical axis, seen from above
    moved = np.diff(states[:, :2], axis=0)
    ahead = np.stack([np.cos(heading[:-1]), np.sin(heading[:-1])], axis=1)
    want = np.zeros_like(actions)
    want[:-1, 0] = (moved * ahead).sum(axis=1)
    want[:-1, 1] = ahead[:, 0] * moved[:, 1] - ahead[:, 1] * moved[:, 0]
    want[:-1, 2] = np.remainder(np.diff(heading) + math.pi, 2 * math.pi) - math.pi
    ends = np.append(episodes[1:, 0] != episodes[:-1, 0], True)
    want[ends] = 0.0
    off = np.abs(want - actions)
    off[:, 2] = np.minimum(off[:, 2], np.abs(2 * math.pi - off[:, 2]))  # half a turn left is half a turn right
    for row in np.flatnonzero(off.max(axis=1) > _STEP_M_RAD):
        expected = f"the motion to the next state: {format_value(want[row].round(4).tolist())}"
        data.bad(name, ACTION, expected, actions[row].tolist(), int(row) + 1)


def _collect_pixels(root: Path, episodes: Sequence[int] | Array) -> tuple[Array, int]:
    """What the statistics of the camera rest on: of each episode four pictures, evenly chosen, every eighth pixel.

    Returns:
        Pixels (N, 3), red green blue, 0 to 1; number of pictures.
    """
    numbers = np.asarray(episodes)
    chosen: set[int] = set()
    for episode in np.unique(numbers):
        rows = np.flatnonzero(numbers == episode)
        steps = np.linspace(0, len(rows) - 1, _PICTURES).round().astype(int)
        chosen.update(int(rows[step]) for step in steps)
    pixels: list[Array] = []
    for row, data in _read_pictures(root):
        if row in chosen:
            image = decode_picture(data)
            if image is not None:
                rgb = cv2.cvtColor(image[::_EVERY_PX, ::_EVERY_PX], cv2.COLOR_BGR2RGB)
                pixels.append(rgb.reshape(-1, 3).astype(np.float64) / 255.0)
    return (np.vstack(pixels) if pixels else np.empty((0, 3))), len(pixels)


def _read_pictures(root: Path) -> Iterator[tuple[int, bytes]]:
    """Bytes of every picture by its position in the dataset, a few in memory at a time."""
    row = 0
    for file in sorted((root / DATA_DIR).glob("*/*.parquet")):
        with pq.ParquetFile(file) as data:
            for batch in data.iter_batches(batch_size=50, columns=[f"{CAMERA}.bytes"]):
                for content in pa.Table.from_batches([batch])[CAMERA].combine_chunks().field("bytes").to_pylist():
                    yield row, content
                    row += 1
