"""Check the reference loader's feature files: every vector it asks for is there, of one size and finite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from roomtour.export.core.records import Problem, format_value
from roomtour.export.formats.walks.roomtour3d.features import CROPS, DESCRIBED, h5py_module

Wanted = Mapping[str, int | None]
"""Rows by key; None for a plain vector."""


def list_wanted_of_record(record: Mapping[str, Any]) -> dict[str, int | None]:
    """Keys that a decision record asks for: a row per view after the first, and a row per candidate of its longId."""
    wanted: dict[str, int | None] = {}
    path, long_id = record.get("path"), record.get("longId")
    if isinstance(path, list):
        wanted |= {view: 1 for view in path[1:] if isinstance(view, str)}
    if isinstance(long_id, str):
        wanted[long_id] = len(long_id.partition("|")[2].split("%"))
    return wanted


def list_wanted_of_description(item: Mapping[str, Any]) -> dict[str, int | None]:
    """Keys that a description asks for: one plain vector per image."""
    images = item.get("image_info")
    names = [image.get("image_id") for image in images if isinstance(image, dict)] if isinstance(images, list) else []
    return {f"{item.get('videoId')}_{name}": None for name in names}


def check_features(folder: Path, crops: Wanted, described: Wanted) -> list[Problem]:
    """Every broken rule of the feature files in a folder; none where there are no such files."""
    problems: list[Problem] = []
    for pattern, other, wanted in ((CROPS, DESCRIBED, crops), (DESCRIBED, CROPS, described)):
        prefix, suffix = pattern.split("{}")
        for file in sorted(folder.glob(pattern.format("*"))):
            encoder = file.name.removeprefix(prefix).removesuffix(suffix)
            if not (folder / other.format(encoder)).is_file():
                problems.append(Problem(other.format(encoder), None, "file", f"a file beside {file.name}", "none"))
            problems += _check_file(file, wanted)
    return problems


def _check_file(file: Path, wanted: Wanted) -> Iterator[Problem]:
    h5py = h5py_module()
    try:
        content = h5py.File(file, "r")
    except OSError as error:
        yield Problem(file.name, None, "hdf5", "an HDF5 file", format_value(str(error)))
        return
    size: int | None = None
    with content:
        for key, rows in wanted.items():
            found = content.get(key)
            if not isinstance(found, h5py.Dataset):
                yield Problem(file.name, key, "key", "features under this key", "none")
                continue
            size = size or int(found.shape[-1] if found.shape else 0)
            need = (size,) if rows is None else (rows, size)
            if found.shape != need or not size:
                yield Problem(file.name, key, "shape", f"{need}", f"{found.shape}")
            elif found.dtype.kind != "f" or not np.isfinite(found[()]).all():
                yield Problem(file.name, key, "values", "finite floats", f"{found.dtype}")
