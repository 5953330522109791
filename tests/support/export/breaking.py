"""Break one rule of a dataset at a time, and put it right again."""

from __future__ import annotations

import csv
import gzip
import json
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

Break = Callable[[Any], object]
"""Changes what a file holds in place: its object, or its rows. Of a text file, gives the text to write instead."""


@dataclass(frozen=True)
class OnFile:
    """Changes a file as a whole."""

    change: Callable[[Path], object]


GONE = OnFile(Path.unlink)


def holding(content: bytes | str) -> OnFile:
    """The file with other content."""
    return OnFile(lambda path: path.write_bytes(content.encode() if isinstance(content, str) else content))


def cut_to(size: int) -> OnFile:
    """The first bytes of the file; without the last ones if negative."""
    return OnFile(lambda path: path.write_bytes(path.read_bytes()[:size]))


def set_to(*keys: Any, value: Any) -> Break:
    """Set the value at the end of a chain of keys."""

    def change(item: Any) -> None:
        for key in keys[:-1]:
            item = item[key]
        item[keys[-1]] = value

    return change


def without(*keys: Any) -> Break:
    """Remove the last key of a chain."""

    def change(item: Any) -> None:
        for key in keys[:-1]:
            item = item[key]
        del item[keys[-1]]

    return change


def on(place: Any, change: Break) -> Break:
    """Change one part of the content: that of a key, or the first row of which a function is true."""

    def apply(content: Any) -> None:
        part = next(row for row in content if place(row)) if callable(place) else content[place]
        change(part)

    return apply


def reverse(*keys: Any) -> Break:
    """Turn the list at the end of a chain of keys around."""

    def change(item: Any) -> None:
        for key in keys:
            item = item[key]
        item.reverse()

    return change


def pop(*keys: Any) -> Break:
    """Take the last one off the list at the end of a chain of keys."""

    def change(item: Any) -> None:
        for key in keys:
            item = item[key]
        item.pop()

    return change


def add(*keys: Any, value: Any) -> Break:
    """Append to the list at the end of a chain of keys."""

    def change(item: Any) -> None:
        for key in keys:
            item = item[key]
        item.append(value)

    return change


@contextmanager
def broken(folder: Path, file: str, change: Break | OnFile) -> Iterator[Path]:
    """The first file of a name or pattern with the change, inside the block."""
    path = min(folder.glob(file))
    whole = path.read_bytes()
    try:
        break_file(path, change)
        yield path
    finally:
        path.write_bytes(whole)


def break_file(path: Path, change: Break | OnFile) -> None:
    """Change a file for good."""
    if isinstance(change, OnFile):
        change.change(path)
        return
    content = read_content(path)
    changed = change(content)
    _write(path, changed if isinstance(content, str) else content)


def read_content(path: Path) -> Any:
    """What a file of a dataset holds. Pickles are those of the test's own process."""
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    if path.suffix == ".pkl":
        return pickle.loads(path.read_bytes())
    if path.name.endswith(".json.gz"):
        return json.loads(gzip.decompress(path.read_bytes()))
    if path.suffix == ".tsv":
        csv.field_size_limit(2**31 - 1)
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file, delimiter="\t"))
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    return json.loads(text) if path.suffix == ".json" else text


def _write(path: Path, content: Any) -> None:
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(content, schema=pq.read_schema(path)), path)
    elif path.suffix == ".pkl":
        path.write_bytes(pickle.dumps(content, protocol=4))
    elif path.name.endswith(".json.gz"):
        path.write_bytes(gzip.compress(json.dumps(content).encode()))
    elif path.suffix == ".tsv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(content[0]), delimiter="\t", lineterminator="\n")
            writer.writeheader()
            writer.writerows(content)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in content), encoding="utf-8")
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def frames_on_disk(folder: Path, count: int = 30, width: int = 640, height: int = 360) -> Path:
    """Real images, each of one colour of its own."""
    folder.mkdir(exist_ok=True, parents=True)
    for k in range(1, count + 1):
        image = np.full((height, width, 3), (k % 256, 2 * k % 256, 100), dtype=np.uint8)
        assert cv2.imwrite(str(folder / f"{k:06d}.jpg"), image)
    return folder
