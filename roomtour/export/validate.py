"""Check any dataset of ours against the rules of its format, and search its texts for marks of chat templates."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from roomtour.errors import RoomtourError
from roomtour.export.core.checking import check_pictures
from roomtour.export.core.folder import CARD, MARKER, check_sums, read_marker
from roomtour.export.core.records import Problem, format_value
from roomtour.export.registry import get_format
from roomtour.files.paths import require_plain_files
from roomtour.files.records import parse_json


def validate_export(path: Path | str, format: str | None = None) -> list[Problem]:
    """Check a dataset.

    Args:
        path: Its folder.
        format: Name of its format; read from `export.json` if None.

    Returns:
        Every broken rule, in file order; where none is broken, the files that are not as they were. Empty for a valid
        dataset; one in which texts were changed on purpose goes without its `SHA256SUMS`.

    Raises:
        RoomtourError: If there is no such folder, its format is unknown, or it holds a pipe, a socket or a device.
    """
    path = Path(path)
    if not path.is_dir():
        raise RoomtourError(f"{path}: no such folder; name a folder made by roomtour export")
    require_plain_files(path)
    kind = get_format(format or _read_format(path))
    try:
        problems = kind.find_problems(path)
    except OSError as error:
        raise RoomtourError(f"{path}: cannot be read: {error.strerror or error}") from error
    problems += [*_check_marker(path), *check_pictures(path), *check_texts(path)]
    return problems or (list(check_sums(path)) if (path / MARKER).exists() else [])


def _read_format(path: Path) -> str:
    marker = read_marker(path)
    if marker is None:
        raise RoomtourError(f"{path}: has no {MARKER} that tells its format; name it with --format")
    if marker.get("unfinished"):
        raise RoomtourError(f"{path}: the export was not finished; export again")
    return str(marker.get("format"))


def _check_marker(path: Path) -> Iterator[Problem]:
    """A marker of ours lists the files that are there, a card among them; another's is a piece of JSON."""
    marker = read_marker(path)
    if marker is not None:
        for name in {**dict.fromkeys(map(str, marker.get("files", ()))), CARD: None}:
            if not (path / name).exists():
                yield Problem(MARKER, None, "files", f"{name} in the folder", "no such file")
    elif (path / MARKER).is_file():
        try:
            parse_json((path / MARKER).read_bytes())
        except ValueError as error:
            yield Problem(MARKER, None, "json", "valid JSON", str(error))


_CHAT_MARKS = re.compile(
    r"<\|[\w/ ]{1,40}\|>|\[/?INST\]|<</?SYS>>|(?<=.)</?s>|</?s>(?=.)|<(?:start|end)_of_turn>"
    r"|(?:^|\n)\s*(?:#{2,4} ?)?(?:Human|USER|ASSISTANT): ",
)
_TEXTS = (".json", ".jsonl", ".tsv", ".parquet", ".gz")


def check_texts(folder: Path) -> Iterator[Problem]:
    """Texts of a dataset, its tables included, that hold a mark of a chat template; the first of each file."""
    for path in sorted(path for path in folder.rglob("*") if path.suffix in _TEXTS and path.name != MARKER):
        try:
            found = next((found for text in _read_texts(path) if (found := _CHAT_MARKS.search(text))), None)
        except (OSError, ValueError, EOFError, zlib.error):  # told by the check of its format
            continue
        if found is not None:
            where, around = path.relative_to(folder).as_posix(), found.string[max(0, found.start() - 20) : found.end()]
            yield Problem(where, None, "text", "no mark of a chat template", format_value(around))


def _read_texts(path: Path) -> Iterator[str]:
    if path.suffix == ".parquet":
        with pq.ParquetFile(path) as file:
            texts = [
                column.path
                for column in map(file.schema.column, range(len(file.schema)))
                if column.logical_type.type == "STRING"
            ]
            for batch in file.iter_batches(batch_size=256, columns=texts):  # bytes of pictures are not touched
                yield from _texts_of(batch.to_pylist())
    elif path.suffix == ".jsonl":
        with path.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                yield from _texts_of(parse_json(line)) if line.strip() else ()
    elif path.suffix == ".tsv":
        yield from path.read_text(encoding="utf-8", errors="replace").replace("\t", "\n").split("\n")
    else:
        data = path.read_bytes()
        yield from _texts_of(parse_json(gzip.decompress(data) if path.suffix == ".gz" else data))


def _texts_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts_of(item)
