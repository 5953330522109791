"""Rows of an exported dataset, whatever its format: who says what is told from the names of our formats' fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from typing import Any

from roomtour.browse.records import MOST_PICTURES, PageRow, Picture, Pictures, color_boxes, fold
from roomtour.drawing.text import printable_lines
from roomtour.drawing.thumbnails import spread
from roomtour.errors import RoomtourError
from roomtour.export.core.fields import is_number
from roomtour.export.core.folder import read_marker
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.talks.talk import DRAWN
from roomtour.export.registry import FORMATS, get_format

FOLDERS = ("", "images", "videos", "train", "val")
"""Below a dataset, in which its formats keep pictures and videos."""
_TALKS = ("messages", "conversations", "prompt", "turns")
_ASKED = ("question", "questions", "query", "instruction", "instructions", "q")
_TOLD = ("answer", "answers", "text", "rationale", "a")
_CHOICES = ("choices", "gt_choices", "options", "candidates")
_LINES = (
    *("solution", "ground_truth", "label", "num", "gt_choice", "metres", "sentences", "right", "right_answer"),
    *("rejected", "rejected_response", "because", "rejection"),
)
"""What is true, and why a row or an answer is not."""
_MEDIA = ("images", "image", "image_path", "filename", "file_name", "videos", "video", "frames")
_INSIDE = ("source", "extra_info", "info", "objects")
"""Fields that hold fields."""
_SPLIT = re.compile(r"(?:^|(?<=[_/]))(?:train|val|test)(?=[-._]|$)")
_SHARD = re.compile(r"^(?:train|val)$|_(?:train|val)(?=-|$)|-\d{5}$")
"""What file names of rows of one kind differ by."""
_MARKS = re.compile(r"(<image>|<video>)(?:\s*\1)+\s*")
Row = Mapping[str, Any]


def require_readable(dataset: Path) -> ExportFormat:
    """The format of a dataset.

    Raises:
        RoomtourError: If the folder is no export of ours, is unfinished, or keeps no rows that a person can read.
    """
    marker = read_marker(dataset)
    if marker is None:
        raise RoomtourError(f"{dataset}: neither a run folder nor a dataset that roomtour export wrote")
    if marker.get("unfinished"):
        raise RoomtourError(f"{dataset}: the export was not finished; export again")
    format = get_format(str(marker.get("format")))
    if format.rows is None:
        readable = ", ".join(name for name, one in FORMATS.items() if one.rows is not None)
        raise RoomtourError(
            f"{dataset}: format {format.name} keeps no rows of text to leaf through; those that do: {readable}"
        )
    return format


def read_dataset_rows(dataset: Path, format: ExportFormat, pictures: Pictures) -> Iterator[PageRow]:
    """Rows in the order of their files.

    Raises:
        RoomtourError: Naming a file that cannot be read.
    """
    assert format.rows is not None
    for number, (file, row) in enumerate(format.rows(dataset), start=1):
        yield _tell(row, file, number, pictures)


def _tell(row: Row, file: str, number: int, pictures: Pictures) -> PageRow:
    split = _SPLIT.search(file)
    name = PurePosixPath(file.partition(".")[0])
    group = str(name.parent) if file.endswith(".parquet") else _SHARD.sub("", name.name)
    is_kept = row.get("accepted") is not False
    turns = [*_read_talk(row), *_read_question(row)]
    texts = {name: row[name] for name in _LINES if row.get(name) not in (None, "", [])}
    choices = [str(one) for name in _CHOICES for one in (row.get(name) or ()) if isinstance(row[name], list)]
    told = {*_TALKS, *_ASKED, *_TOLD, *_CHOICES, *_LINES, *_MEDIA, "id", "tour", "type", "split", "accepted"}
    return PageRow(
        id=_first(row, "id", "object_id", "path_id", "episode_id") or f"{file}:{number}",
        kind=_first(row, "kind") if "kind" in row and "type" in row else "" if group == "." else group,
        type=_first(row, "type", "question_type", "task_type", "kind").replace("_", " "),
        tour=_first(row, "tour", "scan", "videoId"),
        split=_first(row, "split") or (split[0] if split else ""),
        state="kept" if is_kept else "rejected",
        reason="" if is_kept else str(row.get("rejected_because")),
        pictures=tuple(_show_pictures(row, pictures)),
        turns=tuple(
            (printable_lines(who), printable_lines(_MARKS.sub(_count, text))) for who, text in turns if text.strip()
        ),
        lines=tuple(
            [f"{chr(ord('A') + k)}. {printable_lines(one)}" for k, one in enumerate(choices)]
            + [f"{name}: {text}" for name, text in fold(texts).items()]
        ),
        fields=fold({name: value for name, value in row.items() if name not in told}),
    )


def _count(marks: re.Match[str]) -> str:
    return f"{marks[1]} × {marks[0].count(marks[1])}\n"


def _first(row: Row, *names: str) -> str:
    """The first of these fields that is a text or a number, in the row or in what it holds."""
    held = [row, *(row[name] for name in _INSIDE if isinstance(row.get(name), Mapping))]
    found = (one[name] for name in names for one in held if isinstance(one.get(name), str | int))
    return printable_lines(str(next(found, "")))


def _read_talk(row: Row) -> list[tuple[str, str]]:
    turns: list[tuple[str, str]] = []
    for turn in next((row[name] for name in _TALKS if isinstance(row.get(name), list)), ()):
        if not isinstance(turn, Mapping):
            continue
        who = str(turn.get("role") or turn.get("from") or "")
        if who:
            turns.append((who, str(turn.get("content") or turn.get("value") or "")))
            turns += [("calls", text) for text in fold({"": turn.get("tool_calls")}).values()]
        else:
            turns += _read_question(turn)
    return turns


def _read_question(row: Row) -> list[tuple[str, str]]:
    """Questions, each with its answer, under the names of their fields."""
    sides = ([(name, text) for name in names for text in _texts(row.get(name), name)] for names in (_ASKED, _TOLD))
    return [said for turn in zip_longest(*sides, fillvalue=("", "")) for said in turn]


def _texts(value: Any, name: str) -> list[str]:
    """One text or several; a single question in words is put together."""
    if isinstance(value, Mapping):
        value = value.get("instruction_text")
    if isinstance(value, list):
        return [" ".join(map(str, value))] if not name.endswith("s") else list(map(str, value))
    return [] if value is None else [str(value)]


def _show_pictures(row: Row, pictures: Pictures) -> Iterator[Picture]:
    named = next((row[name] for name in _MEDIA if row.get(name)), ())
    media = named if isinstance(named, list) else [named] if named else []
    own = color_boxes(_read_boxes(row)) if len(media) == 1 else ()
    for place, one in spread(list(enumerate(media)), MOST_PICTURES):
        is_plain = isinstance(one, str) and DRAWN not in one.split("/")
        boxes = own or (_color_places(row, place) if is_plain else ())
        if not isinstance(one, Mapping):
            found = pictures.find(str(one))
        elif isinstance(one.get("bytes"), bytes):
            found = pictures.write(one["bytes"], str(one.get("path") or ""))
        else:
            found = pictures.find(str(one.get("path")))
        yield Picture(found.address, printable_lines(found.told), boxes)


def _color_places(row: Row, picture: int) -> tuple[tuple[str, float, float, float, float, str, str], ...]:
    """What a row says that one of its pictures shows, where nothing is drawn in it yet."""
    told = row.get("places")
    boxes, points = [], []
    for one in told if isinstance(told, list) else ():
        spot = one.get("spot") if isinstance(one, Mapping) and one.get("picture") == picture else None
        if not isinstance(spot, list) or not all(map(is_number, spot)):
            continue
        if len(spot) == 4:
            boxes.append((str(one.get("number")), (spot[0], spot[1], spot[2], spot[3])))
        elif len(spot) == 2:
            points.append((str(one.get("number")), (spot[0], spot[1])))
    return color_boxes(boxes, points)


def _read_boxes(row: Row) -> Iterator[tuple[str, tuple[float, float, float, float]]]:
    """Boxes in pixels with their numbers."""
    boxes = row.get("boxes") or row.get("bbox") or ()
    marks: Sequence[Any] = row.get("numbers") or range(len(boxes))
    for mark, box in zip(marks, boxes if isinstance(boxes, list) else (), strict=False):
        if isinstance(box, list) and len(box) == 4 and all(map(is_number, box)):
            yield str(mark), (box[0], box[1], box[2], box[3])
