"""Check VSI-Bench's columns: known types, options where the type has some, a truth among them, videos that play."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import av
import pyarrow as pa
import pyarrow.parquet as pq
from av.error import FFmpegError

from roomtour.export.core.checking import Row, RowCheck, Text, Whole, is_number
from roomtour.export.core.records import Problem
from roomtour.export.formats.vsibench.write import CHOICE_TYPES, LETTERS, NUMBER_TYPES, SCHEMA, file_name

_SPLITS = ("val", "train")


class _Item(Row):
    id: Whole
    dataset: Text
    scene_name: Text
    question_type: Text
    question: Text
    options: list[Text] | None
    ground_truth: Text
    row: Text
    tour: Text
    video: Literal["views", "own"]


def recognise(path: Path) -> bool:
    """Whether the folder holds a table with these columns."""
    for split in _SPLITS:
        try:
            names = set(pq.read_schema(path / file_name(split)).names)
        except (OSError, UnicodeDecodeError, pa.ArrowException):
            continue
        if {"scene_name", "question_type", "ground_truth"} <= names:
            return True
    return False


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    known: set[Any] = set()
    split_of: dict[str, str] = {}
    videos: dict[str, str | None] = {}
    files = [
        (split, file) for split in _SPLITS for file in sorted(path.glob(f"{Path(file_name(split)).stem}*.parquet"))
    ]
    if not files:
        problems.append(Problem(file_name("val"), None, "file", "a table", "no such file"))
    for split, file in files:
        for number, record in enumerate(_rows(file, problems), start=1):
            row = RowCheck(file.name, number, record, problems)
            item = row.fit(_Item)
            if item is None:
                continue
            row.new("id", item.id, known)
            if split_of.setdefault(item.tour, split) != split:
                row.bad("tour", "a tour of one split only", item.tour)
            _check_truth(row, item)
            name = f"{item.dataset}/{item.scene_name}.mp4"
            if name not in videos:
                videos[name] = _find_fault(path / name)
            is_to_come = item.video == "own" and not (path / name).exists()
            if videos[name] is not None and not is_to_come:
                row.bad("scene_name", f"a video {name}", videos[name])
    return problems


def _rows(file: Path, problems: list[Problem]) -> list[dict[str, Any]]:
    try:
        table = pq.read_table(file)
        missing = [name for name in SCHEMA.names if name not in table.column_names]
        rows = [] if missing else table.to_pylist()
    except (pa.ArrowException, UnicodeDecodeError) as error:  # names and texts are decoded when they are asked for
        problems.append(Problem(file.name, None, "file", "a parquet file", str(error)[:80]))
        return []
    if missing:
        problems.append(Problem(file.name, None, "columns", ", ".join(SCHEMA.names), f"no {', '.join(missing)}"))
    return rows


def _check_truth(row: RowCheck, item: _Item) -> None:
    if item.question_type in NUMBER_TYPES:
        if item.options is not None:
            row.bad("options", "null where a number is asked for", item.options)
        try:
            value = float(item.ground_truth)
        except ValueError:
            value = None
        # The published accuracy divides by the truth.
        if not is_number(value) or value <= 0:
            row.bad("ground_truth", "a number above 0", item.ground_truth)
    elif item.question_type in CHOICE_TYPES:
        options = item.options or []
        letters = LETTERS[: len(options)]
        if not 2 <= len(options) <= len(LETTERS) or any(
            not text.startswith(f"{letter}. ") for letter, text in zip(letters, options, strict=False)
        ):
            row.bad("options", "two to four that begin with A., B., ...", item.options)
        elif item.ground_truth not in letters:
            row.bad("ground_truth", f"one letter of {', '.join(letters)}", item.ground_truth)
        elif len({text[3:] for text in options}) < len(options):
            row.bad("options", "options that differ", options)
    else:
        row.bad("question_type", "a type of VSI-Bench", item.question_type)


def _find_fault(path: Path) -> str | None:
    """Why a file is no video with a frame, or None."""
    if not path.is_file():
        return "no such file"
    try:
        with av.open(str(path), options={"protocol_whitelist": "file"}) as container:
            next(container.decode(video=0))
    except (FFmpegError, StopIteration, IndexError) as error:
        return f"no video ({type(error).__name__})"
    return None
