"""Rows of a run, kept and rejected, and of an exported dataset, whatever its format, as the page shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from typing import Any

import cv2

from roomtour.browse.records import MOST_PICTURES, PageRow, Picture, Pictures, color_boxes, fold
from roomtour.drawing.cloud import draw_cloud_of
from roomtour.drawing.text import printable_lines
from roomtour.drawing.thumbnails import spread
from roomtour.errors import RoomtourError
from roomtour.export.core.fields import is_number
from roomtour.export.core.folder import read_marker
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.talks.talk import DRAWN
from roomtour.export.registry import FORMATS, get_format
from roomtour.files.records import to_plain
from roomtour.report.kinds import SECTIONS, list_reasons
from roomtour.run import Run
from roomtour.shown.kinds import EXPLAINED, ShownCloud, ShownFrame

Turns = Sequence[tuple[str, str]]
_SHOWN = {"id", "tour", "question", "answer", "text", "turns", "accepted", "rejected_because", "rejection", "claims"}
"""Fields that the page shows in their own places, or as lines."""


def read_run_rows(run: Run, pictures: Pictures) -> Iterator[PageRow]:
    """Rows of every kind of data that the run has."""
    teller = _Teller(run, pictures)
    sections = {section.kind: section for section in SECTIONS}
    for kind in run.kinds:
        rows = (*run.rows(kind), *run.rejected_rows(kind))
        if kind in sections:
            section = sections[kind]
            for row in rows:
                shown = EXPLAINED[kind](row).shown
                yield teller.tell(kind, row, section.sort(row), section.turns(row), shown, list_reasons(section, row))
        if kind == "navigation":
            for row in (*rows, *run.further_instructions, *run.view_descriptions, *run.unposed_descriptions):
                yield teller.tell_text(row)
        for talk in run.thinking if kind == "spatial" else ():
            asked = [(turn.ask, turn.reply) for turn in talk.turns]
            turns = [(talk.question, ""), *asked, ("", f"{talk.conclusion} {talk.answer}")]
            yield teller.tell(kind, talk, f"thinking, {talk.puzzle}", turns, (ShownFrame(talk.views[0], ()),), ())


class _Teller:
    """Makes rows of the page from rows of a run."""

    def __init__(self, run: Run, pictures: Pictures) -> None:
        self._pictures, self._path = pictures, run.path
        self._images = {frame.index: frame.image for frame in run.frames}
        self._clouds = run.clouds
        self._boxes = {(seen.frame, seen.object): seen.box_xyxy for seen in run.observations}
        self._names = {thing.id: thing.alias for thing in run.objects}

    def tell(
        self,
        kind: str,
        row: Any,
        sort: str,
        turns: Turns,
        shown: Sequence[ShownFrame | ShownCloud],
        lines: Sequence[str],
    ) -> PageRow:
        """A row of any kind."""
        names = ("question", "answer") if any(asked for asked, _ in turns) else ("", "text")
        said = [(who, printable_lines(text)) for turn in turns for who, text in zip(names, turn, strict=True)]
        why = () if row.rejection is None or any(row.rejection in line for line in lines) else (row.rejection,)
        return PageRow(
            id=row.id,
            kind=kind,
            type=sort.replace("_", " "),
            tour=row.tour,
            state="kept" if row.accepted else "rejected",
            reason=row.rejected_because or "",
            pictures=tuple(map(self._show, shown)),
            turns=tuple((who, text) for who, text in said if text),
            lines=tuple(map(printable_lines, (*why, *lines))),
            fields=fold({name: value for name, value in to_plain(row, type(row)).items() if name not in _SHOWN}),
        )

    def tell_text(self, row: Any) -> PageRow:
        """A text about a way or a view, with the things that it names."""
        named = list(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", getattr(row, "objects", ()), strict=False))
        shown = tuple(
            ShownFrame(
                frame,
                tuple((letter, self._boxes[frame, name]) for letter, name in named if (frame, name) in self._boxes),
            )
            for frame in spread(row.views, MOST_PICTURES)
        )
        lines = [f"{letter} = {self._names.get(name, name)} ({name})" for letter, name in named]
        lines += [
            f"{'true' if check.true else 'false'}: {check.claim.kind}: {check.claim.text}: {check.reason}"
            for check in row.claims
        ]
        return self.tell("navigation", row, row.kind, [(getattr(row, "question", ""), row.text)], shown, lines)

    def _show(self, shown: ShownFrame | ShownCloud) -> Picture:
        if isinstance(shown, ShownCloud):
            return self._draw(shown)
        found = self._pictures.find(self._images.get(shown.frame, f"frame {shown.frame}"))
        return Picture(found.address, found.told, color_boxes(shown.boxes, shown.points))

    def _draw(self, shown: ShownCloud) -> Picture:
        try:
            drawn = draw_cloud_of(self._path, self._clouds, shown.name, shown.boxes)
        except RoomtourError as error:
            return Picture(told=str(error))
        return self._pictures.write(cv2.imencode(".png", drawn)[1].tobytes(), f"{shown.name}.png")


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
