"""Check Rerun recordings: each is readable, its cameras move in time, and it holds as much as was exported."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from roomtour.errors import RoomtourError
from roomtour.export.core.folder import MARKER, read_marker
from roomtour.export.core.records import Problem, format_value
from roomtour.export.formats.rerun.sdk import load_rerun
from roomtour.export.formats.rerun.write import CAMERA, POINTS, SUFFIX, THINGS, WALK

_MAGIC = b"RRF"
_COUNTED = {
    f"{CAMERA}/image": ("images", "EncodedImage:blob"),
    CAMERA: ("poses", "Transform3D:translation"),
    POINTS: ("points", "Points3D:positions"),
    THINGS: ("things", "Boxes3D:half_sizes"),
}
"""By the end of an entity's path: what `export.json` calls it, and the column that holds one value for each."""
_FINITE = (*(column for name, (_, column) in _COUNTED.items() if name != f"{CAMERA}/image"), "LineStrips3D:strips")


def recognise(path: Path) -> bool:
    """Whether the folder holds a recording."""
    return any(_begins_as_recording(file) for file in path.glob(f"*{SUFFIX}"))


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    counts: Counter[str] = Counter()
    for file in sorted(path.glob(f"*{SUFFIX}")):
        problems += _check_file(file, counts)
    exported = (read_marker(path) or {}).get("counts")
    if problems or not isinstance(exported, dict):
        return problems
    for name, _ in _COUNTED.values():
        if counts[name] != exported.get(name, 0):
            problems.append(Problem(MARKER, None, name, f"{counts[name]}, as recorded", str(exported.get(name, 0))))
    return problems


def _begins_as_recording(file: Path) -> bool:
    with file.open("rb") as content:
        return content.read(len(_MAGIC)) == _MAGIC


def _check_file(file: Path, counts: Counter[str]) -> Iterator[Problem]:
    times: dict[str, list[np.ndarray]] = {}
    held: Counter[str] = Counter()
    try:
        for chunk in _read(file):
            entity, batch = str(chunk.entity_path).strip("/"), chunk.to_record_batch()
            held[entity] += chunk.num_rows
            yield from _check_numbers(batch, entity, file.name)
            for end, (name, column) in _COUNTED.items():
                if entity.endswith(f"/{end}") and column in batch.schema.names:
                    counts[name] += sum(len(row) for row in batch.column(column) if row.is_valid)
            if entity.endswith(f"/{CAMERA}") and not chunk.is_static:
                times.setdefault(entity, []).append(batch.column("frame").to_numpy(zero_copy_only=False))
    except RoomtourError:
        raise
    except Exception as error:  # the reader raises what its parts raise, from OSError to its own
        yield Problem(file.name, None, "recording", "a file that Rerun reads", format_value(str(error)))
        return
    if not held:
        yield Problem(file.name, None, "recording", "a file that holds something", "nothing")
    for entity, parts in times.items():
        frames = np.concatenate(parts)
        if len(frames) != len(np.unique(frames)):
            yield Problem(file.name, entity, "frame", "each frame once", f"{len(frames)} rows")
        model = entity.removesuffix(f"/{CAMERA}")
        for other in (WALK, POINTS):
            if f"{model}/{other}" not in held:
                yield Problem(file.name, f"{model}/{other}", "entity", "what belongs to the cameras", "no such entity")


def _read(file: Path) -> list[Any]:
    """The chunks of a recording."""
    reader = load_rerun("rerun.chunk").RrdReader
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a file that is cut short; what is wrong with it is told by its error
        return list(reader(file).stream())


def _check_numbers(batch: pa.RecordBatch, entity: str, file: str) -> Iterator[Problem]:
    """Places and sizes of an entity must be finite, and its quaternions of unit length."""
    for column in [name for name in _FINITE if name in batch.schema.names]:
        if not np.all(np.isfinite(_numbers(batch.column(column)))):
            yield Problem(file, entity, column, "finite values", "nan or inf")
    colors, places = (f"Points3D:{name}" for name in ("colors", "positions"))
    if places in batch.schema.names:
        lengths = [
            [len(row) for row in batch.column(name)] if name in batch.schema.names else [] for name in (colors, places)
        ]
        if lengths[0] != lengths[1]:
            yield Problem(file, entity, colors, f"{lengths[1]}, one per point", format_value(lengths[0]))
    for column in [name for name in batch.schema.names if name.endswith(("Transform3D:quaternion", ":quaternions"))]:
        norms = np.linalg.norm(_numbers(batch.column(column)).reshape(-1, 4), axis=1)
        if not np.all(np.abs(norms - 1.0) < 1e-3):
            yield Problem(file, entity, column, "unit quaternions", f"norm {norms[np.abs(norms - 1.0).argmax()]:.4f}")


def _numbers(column: Any) -> np.ndarray:
    """All numbers of a column, whatever they are nested in."""
    while pa.types.is_nested(column.type):
        column = column.flatten()
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)
