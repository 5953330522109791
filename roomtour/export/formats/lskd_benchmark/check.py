"""Check comparison tasks: as many options as the task has, one right place, regions and pictures that are there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from roomtour.export.core.checking import Finite, Id, RelativePath, Row, RowCheck, Text, Whole, json_lines
from roomtour.export.core.records import Problem
from roomtour.export.formats.lskd_benchmark.write import TASKS, file_name

_Box = Annotated[list[Finite], Field(min_length=4, max_length=4)]
_Four = Annotated[list[Text], Field(min_length=4, max_length=4)]


class _Item(Row):
    id: Id
    tour: Text
    image: RelativePath
    boxes: Annotated[list[_Box], Field(min_length=1)]


class _Vcr(_Item):
    question: Text
    answers: _Four
    right_answer: Whole
    rationales: _Four
    right_rationale: Whole


class _Comparison(_Item):
    region: Whole
    candidates: Annotated[list[Text], Field(min_length=10, max_length=10)]
    human: Annotated[list[Finite], Field(min_length=10, max_length=10)]


class _Acc50(_Item):
    region: Whole
    candidates: Annotated[list[Text], Field(min_length=50, max_length=50)]
    right: Whole


class _Pairwise(_Item):
    question: Text
    answers: Annotated[list[Text], Field(min_length=2, max_length=2)]
    systems: Annotated[list[Text], Field(min_length=2, max_length=2)]


_FORMS: dict[str, type[_Item]] = {"vcr": _Vcr, "comparison": _Comparison, "acc50": _Acc50, "pairwise": _Pairwise}


def recognise(path: Path) -> bool:
    """Whether the folder holds a file of a task."""
    return any((path / file_name(task)).is_file() for task in TASKS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    known: set[Any] = set()
    for task in TASKS:
        if not (path / file_name(task)).is_file():
            continue
        for number, record in json_lines(path / file_name(task), problems):
            row = RowCheck(file_name(task), number, record, problems)
            item = row.fit(_FORMS[task])
            if item is None:
                continue
            row.new("id", item.id, known)
            _check_item(row, item)
            if (path / "images").is_dir() and not (path / "images" / item.image).is_file():
                row.bad("image", "a file that is there", item.image)
    return problems


def _check_item(row: RowCheck, item: _Item) -> None:
    if any(x1 <= x0 or y1 <= y0 for x0, y0, x1, y1 in item.boxes):
        row.bad("boxes", "corners from the top left to the bottom right", item.boxes)
    if isinstance(item, _Comparison | _Acc50) and item.region >= len(item.boxes):
        row.bad("region", f"a number below {len(item.boxes)}", item.region)
    if isinstance(item, _Vcr):
        _check_options(row, "answers", item.answers, "right_answer", item.right_answer)
        _check_options(row, "rationales", item.rationales, "right_rationale", item.right_rationale)
    elif isinstance(item, _Acc50):
        _check_options(row, "candidates", item.candidates, "right", item.right)
    elif isinstance(item, _Comparison):
        _check_options(row, "candidates", item.candidates, "", 0)
        if len(set(item.human)) < 2:
            row.bad("human", "at least two different values", item.human)
    elif isinstance(item, _Pairwise):
        for field, pair in (("answers", item.answers), ("systems", item.systems)):
            _check_options(row, field, pair, "", 0)


def _check_options(row: RowCheck, field: str, options: list[str], right_field: str, right: int) -> None:
    if len(set(options)) != len(options):
        row.bad(field, "options that differ", options)
    if right >= len(options):
        row.bad(right_field, f"a place below {len(options)}", right)
