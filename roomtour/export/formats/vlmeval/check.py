"""Check tables of VLMEvalKit: indices, pictures that are there or embedded, letters that stand for an option."""

from __future__ import annotations

import base64
import binascii
import csv
import sys
from pathlib import Path
from typing import Any

from recon.picture_faults import find_picture_fault
from roomtour.export.core.checking import SPLITS, RowCheck, is_relative
from roomtour.export.core.records import Problem
from roomtour.export.formats.vlmeval.write import LETTERS, file_names, read_list_cell

MOST_INDEX = 64
"""Letters: a shorter `image` is taken for the index of another row."""
_NEEDED = ("index", "id", "question", "answer", "category", "tour")


def recognise(path: Path) -> bool:
    """Whether the folder holds a table of ours."""
    return any((path / name).is_file() for split in SPLITS for name in file_names(split))


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    ids: set[Any] = set()
    split_of: dict[str, str] = {}
    csv.field_size_limit(sys.maxsize)  # a picture is longer than Python's default allows
    for split in SPLITS:
        for name in file_names(split):
            if split != "train" and not (path / name).is_file():
                continue
            try:
                with (path / name).open(encoding="utf-8", newline="") as file:
                    _check_table(name, csv.DictReader(file, delimiter="\t"), path, problems, ids, (split, split_of))
            except (FileNotFoundError, UnicodeDecodeError, csv.Error) as error:
                problems.append(Problem(name, None, "file", "a table", str(error)))
    return problems


def _check_table(
    name: str,
    rows: csv.DictReader[str],
    path: Path,
    problems: list[Problem],
    ids: set[Any],
    splits: tuple[str, dict[str, str]],
) -> None:
    split, split_of = splits
    columns = rows.fieldnames or []
    missing = [column for column in _NEEDED if column not in columns]
    if missing or not {"image", "image_path"} & set(columns):
        problems.append(
            Problem(name, None, "columns", f"{', '.join(_NEEDED)} and image or image_path", str(columns)[:80])
        )
        return
    indices: set[Any] = set()
    embedded: set[str] = set()
    for number, record in enumerate(rows, start=1):
        row = RowCheck(name, number, record, problems)
        if None in record or None in record.values():  # as the reader calls too many fields, and too few
            row.bad("columns", f"{len(columns)} fields with a tab between", "more" if None in record else "fewer")
            continue
        row.new("index", record["index"], indices)
        row.new("id", record["id"], ids)
        for column in _NEEDED:
            if not (record[column] or "").strip():
                row.bad(column, "a text that is not blank", record[column])
        if split_of.setdefault(record["tour"], split) != split:
            row.bad("tour", f"a tour of {split} only", record["tour"])
        if "image" in record:
            _check_embedded(row, record, embedded)
        elif not all(is_relative(name) and (path / name).is_file() for name in _read_cell(record["image_path"])):
            row.bad("image_path", "a picture that is there, or a list of such", record["image_path"])
        if LETTERS[0] in columns:
            _check_letters(row, record)


def _check_embedded(row: RowCheck, record: dict[str, str], embedded: set[str]) -> None:
    image = record["image"] or ""
    if len(image) <= MOST_INDEX:
        if image not in embedded:
            row.bad("image", "a picture, or the index of an earlier row that has one", image)
        return
    embedded.add(record["index"])
    for one in _read_cell(image):
        try:
            data = base64.b64decode(one, validate=True)
        except (binascii.Error, ValueError):
            data = b""
        fault = find_picture_fault(data)
        if fault is not None:
            row.bad("image", "a whole picture in base64", f"{one[:40]}, which {fault}")


def _read_cell(cell: str | None) -> list[str]:
    """What a cell lists; nothing that is a picture where it cannot be read."""
    try:
        return read_list_cell(cell or "")
    except ValueError:
        return [""]


def _check_letters(row: RowCheck, record: dict[str, str]) -> None:
    filled = [letter for letter in LETTERS if record.get(letter)]
    if filled != list(LETTERS[: len(filled)]) or len(filled) < 2:
        row.bad("A", "options from A on, at least two", filled)
    if record["answer"] not in filled:
        row.bad("answer", f"a letter of {', '.join(filled)}", record["answer"])
    options = [record[letter] for letter in filled]
    if len(set(options)) != len(options):
        row.bad("A", "options that differ", options)
