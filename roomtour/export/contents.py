"""How much a dataset held when it was exported: rows and sizes of pictures, by folder and kind of file.

`export.json` keeps it, so that rows that were lost and pictures that were replaced by smaller ones show in a dataset
whose sums were taken away or made anew.
"""

from __future__ import annotations

import csv
import gzip
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from recon.pictures import find_picture_size
from roomtour.export.core.checking import PICTURES
from roomtour.export.core.folder import CARD, MARKER, SUMS
from roomtour.export.core.records import Problem, format_value
from roomtour.files.records import parse_json

Contents = Mapping[str, Mapping[str, int]]
"""By pattern, such as `images/home/*.jpg`: number of files, of rows, and of pictures by size."""


def count_contents(folder: Path) -> Contents:
    """What lies in a dataset, without what describes it. Files that cannot be read count without rows."""
    found: dict[str, Counter[str]] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder)
        if name.as_posix() in (CARD, MARKER, SUMS):
            continue
        suffix = "".join(path.suffixes[-2:]) if path.suffix == ".gz" else path.suffix.lower()
        counted = found.setdefault((name.parent / f"*{suffix}").as_posix(), Counter())
        counted["files"] += 1
        if suffix in PICTURES:
            width, height = find_picture_size(path.read_bytes()) or (0, 0)
            counted[f"{width}x{height}"] += 1
        elif suffix in _ROWS:
            try:
                counted["rows"] += _ROWS[suffix](path)
            except (OSError, ValueError, EOFError, zlib.error, csv.Error):
                continue  # the check of its format says what is wrong with it
    return found


def check_contents(folder: Path, exported: object) -> Iterator[Problem]:
    """What there is more or less of than `exported`, which the marker of the dataset says."""
    if not isinstance(exported, Mapping):
        return
    now = count_contents(folder)
    for pattern, wanted in exported.items():
        if not isinstance(wanted, Mapping):
            yield Problem(MARKER, None, "contents", "counts by pattern", format_value(wanted))
            continue
        there = now.get(pattern, {})
        for what in dict.fromkeys((*wanted, *there)):
            if wanted.get(what, 0) != there.get(what, 0):
                expected = f"{wanted.get(what, 0)}, as exported ({MARKER})"
                yield Problem(pattern, None, str(what), expected, str(there.get(what, 0)))


def _count_json(text: bytes) -> int:
    """Items of a list, or of everything that an object holds."""
    lines = text.splitlines()
    if len(lines) > 1 and lines[0] == b"[" and lines[-1] == b"]" and not any(line[:1] == b" " for line in lines):
        return len([line for line in lines[1:-1] if line])  # as `JsonArrayWriter` writes: an item per line
    value = parse_json(text)
    return sum(map(_count_items, value.values())) if isinstance(value, dict) else _count_items(value)


def _count_items(value: Any) -> int:
    return len(value) if isinstance(value, list | dict) else 1


def _count_lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(bool(line.strip()) and not line.startswith(b"#") for line in file)


def _count_table(path: Path) -> int:
    csv.field_size_limit(sys.maxsize)  # a picture is longer than Python's default allows
    with path.open(encoding="utf-8", newline="") as file:
        return sum(1 for _ in csv.DictReader(file, delimiter="\t"))


_ROWS: Mapping[str, Callable[[Path], int]] = {
    ".jsonl": _count_lines,
    ".txt": _count_lines,
    ".json": lambda path: _count_json(path.read_bytes()),
    ".json.gz": lambda path: _count_json(gzip.decompress(path.read_bytes())),
    ".tsv": _count_table,
    ".parquet": lambda path: pq.read_metadata(path).num_rows,
    ".npy": lambda path: len(np.load(path, mmap_mode="r", allow_pickle=False)),
}
"""By kind of file, how many rows it holds."""
