"""Check LSKD rows: numbers that exist, a mapping for every picture, pictures that are there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from roomtour.export.core.checking import (
    SPLITS,
    Finite,
    Id,
    RelativePath,
    Row,
    RowCheck,
    Text,
    Whole,
    fit_splits,
    json_lines,
)
from roomtour.export.core.records import Problem
from roomtour.export.formats.lskd.write import MAPPING, file_name

_Box = Annotated[list[Finite], Field(min_length=4, max_length=4)]
_Words = Annotated[list[str | list[Whole]], Field(min_length=1)]


class _Reference(Row):
    name: Text
    boxes: Annotated[list[_Box], Field(min_length=1)]
    obj_guess: Text


class _Item(Row):
    id: Id
    image: RelativePath
    index: Whole
    region: list[Whole]
    region_all: list[Whole]
    references: Annotated[list[_Reference], Field(min_length=1)]
    question: _Words
    answer: _Words
    rationale: _Words
    prediction: Finite
    label: list[Literal["accept", "maybe", "reject"]] | None = None
    reject_label: Literal[0, 1] | None = None
    qa_score: Finite | None = None
    r_score: Finite | None = None


class _Location(Row):
    boxes: Annotated[list[_Box], Field(min_length=1)]
    obj_guess: Text
    description: Text


class _Mapping(Row):
    image: RelativePath
    region_locations: Annotated[list[_Location], Field(min_length=1)]


def recognise(path: Path) -> bool:
    """Whether the folder holds rows and the mapping of regions."""
    return any((path / file_name(split)).is_file() for split in SPLITS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    counts = _check_mapping(path, problems)
    for _, row, item in fit_splits(path, file_name, _Item, problems):
        _check_item(row, item, counts, path / "images")
    return problems


def _check_mapping(path: Path, problems: list[Problem]) -> dict[str, int]:
    """How many regions each picture has."""
    file = path / MAPPING
    if not file.is_file():
        problems.append(Problem(MAPPING, None, "file", "a file", "no such file"))
        return {}
    counts: dict[str, int] = {}
    known: set[Any] = set()
    for number, record in json_lines(file, problems):
        row = RowCheck(MAPPING, number, record, problems)
        item = row.fit(_Mapping)
        if item is not None:
            row.new("image", item.image, known)
            counts[item.image] = len(item.region_locations)
            for place in item.region_locations:
                _check_boxes(row, place.boxes)
    return counts


def _check_boxes(row: RowCheck, boxes: list[list[float]]) -> None:
    for x0, y0, x1, y1 in boxes:
        if x1 <= x0 or y1 <= y0:
            row.bad("boxes", "corners from the top left to the bottom right", [x0, y0, x1, y1])


def _check_item(row: RowCheck, item: _Item, counts: dict[str, int], images: Path) -> None:
    if item.image not in counts:
        row.bad("image", f"a picture of {MAPPING}", item.image)
    elif counts[item.image] != len(item.references):
        row.bad("references", f"{counts[item.image]} entries as in {MAPPING}", len(item.references))
    mentioned = {
        number
        for words in (item.question, item.answer, item.rationale)
        for word in words
        if isinstance(word, list)
        for number in word
    }
    if not mentioned <= set(item.region):
        row.bad("region", "every number that the texts name", sorted(mentioned - set(item.region)))
    if not set(item.region) <= set(item.region_all):
        row.bad("region_all", "every number of region", sorted(set(item.region) - set(item.region_all)))
    if any(number >= len(item.references) for number in item.region_all):
        row.bad("region_all", f"numbers below {len(item.references)}", item.region_all)
    for one in item.references:
        _check_boxes(row, one.boxes)
    if item.label is not None and item.reject_label != int("reject" in item.label):
        row.bad("reject_label", f"{int('reject' in item.label)} as label says", item.reject_label)
    if images.is_dir() and not (images / item.image).is_file():
        row.bad("image", "a file that is there", item.image)
