"""Tables of VLMEvalKit: one of questions with options A, B, ..., one of questions for a number or a word."""

from __future__ import annotations

import base64
import binascii
import csv
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from instructions.questions.things.registry import THING_TYPES
from recon.picture_faults import find_picture_fault
from roomtour.export.core.checking import DatasetCheck, Row, RowCheck
from roomtour.export.core.fields import Text, is_relative
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.run_files import read_picture
from roomtour.export.core.streams import FileRow, read_row_files
from roomtour.export.core.talks.references import Form, ReferenceOptions
from roomtour.export.core.talks.spool import TALK_ROWS, TalkSpool, copy_images
from roomtour.export.core.talks.talk import DRAWN, Talk
from roomtour.export.core.talks.view_videos import VIDEO_MEDIA

CONVENTION = """\
* `mcq_{split}.tsv`: `index, image` (base64; or `image_path`, relative to this folder), `question`, `A` to `D`, `answer`
  (the letter), `category` (the type); `vqa_{split}.tsv`: the same without options, for a number or an hour. Beside them
  `id`, `kind`, `tour`, `unit`, `sigma`, `scale_status`, `type`, which the client hands on to its results.
* A picture is embedded once; the `image` of later rows is the `index` of that row. Questions about several pictures
  have a list in that cell, as the client writes one: `['...', '...']`.
* Marked points are drawn, things are named; `references` has other ways, as in format messages.
* Put the files into `$LMUData` and name them without their ending as the dataset.
* Options that stand in the words of a dialogue's question are cut out of them: the client writes them below it. What is
  answered by yes or no has these two as options.
* Comparisons have the option that both are too close to call, which is seldom right."""
FILES = ("mcq_{split}.tsv", "vqa_{split}.tsv")
"""Questions with options, and others."""
LETTERS = "ABCD"
TOO_CLOSE = "too close"
TOO_CLOSE_OPTION = "They are too close to call"
YES_NO = ("yes", "no")
_COMPARES = re.compile(r"_(?:predicate|choice|class)$")
COLUMNS = ("index", "id", "image", "image_path", "question", *LETTERS, "answer", "category", "kind", "type", "tour")
MORE_COLUMNS = ("unit", "sigma", "scale_status", "twin", "difficulty")


@dataclass(frozen=True, kw_only=True)
class VlmevalOptions(ReferenceOptions):
    """Options of the format."""

    embed_images: bool = True
    """Put pictures into the tables; else `image_path` names them, and the client has to be started in this folder."""
    balance: bool = True
    """Leave out rows whose answer the names would tell, as the other formats do."""


def write(runs: Iterable[RunData], ledger: Ledger, options: VlmevalOptions) -> None:
    """Write the tables of all tours; the questions wait on disk until all tours are seen."""
    images = ledger.out / "images"
    drawn = None if options.embed_images else images / DRAWN
    spool = TalkSpool(ledger, options.balance, drawn, form=Form(options.references, options.box_text))
    tables = {
        (split, name): _Table(
            ledger.files.enter_context((ledger.out / name.format(split=split)).open("w", encoding="utf-8", newline="")),
            has_options=name == FILES[0],
            embed=options.embed_images,
        )
        for split in options.splits
        for name in FILES
    }
    for run in runs:
        spool.take(run)
    for talk in spool.give():
        if len(talk.turns) != 1 or talk.more.get("medium") in VIDEO_MEDIA:
            ledger.dropped[f"{talk.kind}: more than one turn, or a video"] += 1
            continue
        letters = _options_of(talk)
        tables[talk.split, FILES[0 if letters else 1]].add(talk, letters)
        ledger.counts["with options" if letters else "without options"] += 1
        if not options.embed_images:
            copy_images(talk, images)


def _options_of(talk: Talk) -> tuple[str, ...]:
    """What may be answered; none for a number, an hour, or more options than letters."""
    choices = talk.choices
    if talk.kind == "dialogues" and talk.solution in YES_NO:
        return YES_NO
    if talk.unit or len(choices) < 2:
        return ()
    if talk.kind == "spatial" and talk.type in THING_TYPES and _COMPARES.search(talk.type):
        choices = (*choices, TOO_CLOSE_OPTION)
    return choices if len(choices) <= len(LETTERS) else ()


def cut_options(question: str, options: Sequence[str]) -> str:
    """A question without the options that it lists (`(A) red (B) blue`, or `(red; blue)`), and what leads to them."""
    listed = " ".join(f"({letter}) {option}" for letter, option in zip(LETTERS, options, strict=False))
    for listing in (listed, f"({'; '.join(options)})"):
        head, separator, tail = question.partition(listing) if options else (question, "", "")
        if separator:
            break
    else:
        return question
    end = head.rfind("?") + 1
    return f"{head[:end] or head} {tail}".strip()


class _Table:
    """One table on disk; memory holds which picture lies in which row."""

    def __init__(self, file: TextIO, *, has_options: bool, embed: bool):
        skipped = {"image_path" if embed else "image"} | (set() if has_options else set(LETTERS))
        columns = [name for name in (*COLUMNS, *MORE_COLUMNS) if name not in skipped]
        self._writer = csv.DictWriter(file, columns, extrasaction="ignore", delimiter="\t", lineterminator="\n")
        self._writer.writeheader()
        self._embed, self._count = embed, 0
        self._rows: dict[tuple[str, ...], int] = {}

    def add(self, talk: Talk, letters: tuple[str, ...]) -> None:
        question, _ = talk.turns[0]
        answer = talk.solution
        if letters:
            right = TOO_CLOSE_OPTION if answer == TOO_CLOSE else answer
            answer = LETTERS[letters.index(right)]
        row: dict[str, Any] = {
            **talk.tell("id", "kind", "type", "tour", "unit", "sigma", "scale_status"),
            **{name: value for name, value in talk.more.items() if name in MORE_COLUMNS},
            "index": self._count,
            "image": self._embed_images(talk) if self._embed else "",
            "image_path": _list_cell([f"images/{image.name}" for image in talk.images]),
            "question": cut_options(question, letters),
            **dict(zip(LETTERS, letters, strict=False)),
            "answer": answer,
            "category": talk.type,
        }
        self._writer.writerow(
            {name: " ".join(value.split()) if isinstance(value, str) else value for name, value in row.items()}
        )
        self._count += 1

    def _embed_images(self, talk: Talk) -> str:
        paths = tuple(image.path for image in talk.images)
        if paths in self._rows:
            return str(self._rows[paths])
        self._rows[paths] = self._count
        return _list_cell([base64.b64encode(read_picture(Path(path), talk.tour)).decode() for path in paths])


def _list_cell(values: Sequence[str]) -> str:
    """One value as it is, several as the list that the client reads."""
    return values[0] if len(values) == 1 else repr(list(values))


def read_list_cell(cell: str) -> list[str]:
    """Back from `_list_cell`.

    Raises:
        ValueError: For what begins as a list and is none of texts.
    """
    if not cell.startswith("["):
        return [cell]
    if re.fullmatch(r"\['[^']+'(?:, '[^']+')+\]", cell) is None:
        raise ValueError("no list of texts")
    return [part.strip("'") for part in cell[1:-1].split("', '")]


MOST_INDEX = 64
"""Letters: a shorter `image` is taken for the index of another row."""


class _Item(Row):
    """What every row has, whatever its table."""

    index: Text
    id: Text
    question: Text
    answer: Text
    category: Text
    tour: Text


def _check_embedded(row: RowCheck, record: dict[str, str], embedded: set[str]) -> None:
    image = record["image"] or ""
    if len(image) <= MOST_INDEX:
        row.need(image in embedded, "image", "a picture, or the index of an earlier row that has one", image)
        return
    embedded.add(record["index"])
    for encoded in _read_cell(image):
        try:
            data = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError):
            data = b""
        fault = find_picture_fault(data)
        if fault is not None:
            row.bad("image", "a whole picture in base64", f"{encoded[:40]}, which {fault}")


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
    row.need(record["answer"] in filled, "answer", f"a letter of {', '.join(filled)}", record["answer"])
    options = [record[letter] for letter in filled]
    row.need(len(set(options)) == len(options), "A", "options that differ", options)


def _check(data: DatasetCheck) -> None:
    """Indices, pictures that are there or embedded, letters that stand for an option."""
    csv.field_size_limit(sys.maxsize)  # a picture is longer than Python's default allows
    for name, split in (one for pattern in FILES for one in data.split_files(pattern)):
        try:
            with (data.folder / name).open(encoding="utf-8", newline="") as file:
                _check_table(data, name, split, csv.DictReader(file, delimiter="\t"))
        except (UnicodeDecodeError, csv.Error) as error:
            data.bad(name, "file", "a table", str(error))


def _check_table(data: DatasetCheck, name: str, split: str, rows: csv.DictReader[str]) -> None:
    columns = rows.fieldnames or []
    if not {*_Item.model_fields} <= {*columns} or not {"image", "image_path"} & {*columns}:
        return data.bad(name, "columns", f"{', '.join(_Item.model_fields)} and image or image_path", [*columns])
    embedded: set[str] = set()
    for number, record in enumerate(rows, start=1):
        row = RowCheck(data, name, number, record, split)
        if None in record or None in record.values():  # as the reader calls too many fields, and too few
            row.bad("columns", f"{len(columns)} fields with a tab between", "more" if None in record else "fewer")
            continue
        row.new("index", record["index"], name)
        data.fit(row, _Item)
        if "image" in record:
            _check_embedded(row, record, embedded)
        elif not all(
            is_relative(picture) and data.has_file(data.folder / picture)
            for picture in _read_cell(record["image_path"])
        ):
            row.bad("image_path", "a picture that is there, or a list of such", record["image_path"])
        if LETTERS[0] in columns:
            _check_letters(row, record)
    return None


def _read_rows(folder: Path) -> Iterator[FileRow]:
    """Rows with `choices` in place of letters; an `image` holds bytes, also where an earlier row has them."""
    embedded: dict[Any, str] = {}
    for file, record in read_row_files(folder, "*.tsv"):
        row: dict[str, Any] = dict(record)
        image = row.pop("image", None) or ""
        if len(image) > MOST_INDEX:
            embedded[file, row.get("index")] = image
        else:
            image = embedded.get((file, image), "")
        if image:
            row["images"] = [{"bytes": base64.b64decode(encoded), "path": None} for encoded in read_list_cell(image)]
        row["choices"] = [text for letter in LETTERS if (text := row.pop(letter, None))]
        yield file, row


VLMEVAL = ExportFormat(
    name="vlmeval",
    summary="questions with options, and questions for a number, as tables of VLMEvalKit",
    client="VLMEvalKit (custom TSV)",
    reads=TALK_ROWS,
    convention=CONVENTION,
    options=VlmevalOptions,
    write=write,
    check=_check,
    rows=_read_rows,
)
