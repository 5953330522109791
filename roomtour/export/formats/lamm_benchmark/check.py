"""Check the files of a benchmark: truths of the form that the task needs, media that are there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from instructions.dialogues.tasks import BENCHMARKS
from roomtour.export.core.checking import Finite, Id, Row, RowCheck, Text, Whole, objects, read_json
from roomtour.export.core.records import Problem

_Part = Annotated[float, Field(ge=0, le=1)]


class _Item(Row):
    id: Id
    tour: Text
    query: Text


class _Object(Row):
    label: Text
    bbox: Annotated[list[Finite], Field(min_length=4, max_length=6)]


class _Objects(_Item):
    object: Annotated[list[_Object], Field(min_length=1)]


class _Count(_Item):
    num: Whole


class _Label(_Item):
    label: Text


class _Length(_Item):
    metres: Annotated[Finite, Field(gt=0)]
    interval: Annotated[list[Finite], Field(min_length=2, max_length=2)]


class _Caption(_Item):
    sentences: Annotated[list[Text], Field(min_length=1)]


class _Words(_Item):
    word_list: Annotated[list[Text], Field(min_length=1)]


class _Point(Row):
    label: Text
    point: Annotated[list[_Part], Field(min_length=2, max_length=2)]
    person: Annotated[list[_Part], Field(min_length=4, max_length=4)]


class _Keypoint(_Item):
    object: Annotated[list[_Point], Field(min_length=1, max_length=1)]


class _YesNo(_Item):
    label: Literal["yes", "no"]


class _Where(_Item):
    label: Literal["left", "middle", "right", "not in view"]


class _Choice(_Item):
    gt_choice: Whole
    gt_choices: Annotated[list[Text], Field(min_length=2)]


_FORMS: dict[str, type[_Item]] = {
    "detect": _Objects, "ground": _Objects, "locate": _Objects, "detect_cloud": _Objects, "ground_cloud": _Objects,
    "count": _Count, "choice": _Choice, "vqa_cloud": _Choice, "presence": _YesNo, "classify_view": _Label,
    "classify_thing": _Label, "classify_cloud": _Label, "keypoints": _Keypoint, "words": _Words, "unseen": _Where,
    "length": _Length,
    "caption": _Caption, "caption_cloud": _Caption,
}  # fmt: skip


def recognise(path: Path) -> bool:
    """Whether the folder holds a file of a task."""
    return any((path / "meta_file" / f"{kind.benchmark}.json").is_file() for kind in BENCHMARKS.values())


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    known: set[Any] = set()
    for task, kind in BENCHMARKS.items():
        name = f"meta_file/{kind.benchmark}.json"
        if not (path / name).is_file():
            continue
        for row in objects(read_json(path, name, list, problems), name, problems):
            item = row.fit(_FORMS[task])
            if item is None:
                continue
            row.new("id", item.id, known)
            _check_medium(row, "image" if kind.medium == "view" else "pcl", path)
            if isinstance(item, _Choice) and item.gt_choice >= len(item.gt_choices):
                row.bad("gt_choice", f"below {len(item.gt_choices)}", item.gt_choice)
            if isinstance(item, _Length) and not item.interval[0] <= item.metres <= item.interval[1]:
                row.bad("interval", f"around {item.metres}", item.interval)
            if isinstance(item, _Objects):
                _check_boxes(row, item, 4 if kind.medium == "view" else 6)
    return problems


def _check_medium(row: RowCheck, medium: str, folder: Path) -> None:
    name = row.record.get(medium)
    if not isinstance(name, str) or (medium == "pcl" and not name.startswith("./")):
        row.bad(medium, "a path, of a cloud one that begins with ./", name)
    elif ".." in name.split("/") or name.startswith("/") or not (folder / name).is_file():
        row.bad(medium, "a file below the folder", name)


def _check_boxes(row: RowCheck, item: _Objects, size: int) -> None:
    for one in item.object:
        box = one.bbox
        if len(box) != size:
            row.bad("object.bbox", f"{size} numbers", box)
        elif size == 4 and not (0 <= box[0] < box[2] <= 1 and 0 <= box[1] < box[3] <= 1):
            row.bad("object.bbox", "shares with x1 < x2 and y1 < y2", box)
        elif size == 6 and min(box[3:]) <= 0:
            row.bad("object.bbox", "positive lengths", box)
