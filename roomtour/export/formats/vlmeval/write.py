"""Tables of VLMEvalKit: one of questions with options A, B, ..., one of questions for a number or a word."""

from __future__ import annotations

import base64
import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from instructions.questions.things.registry import THING_TYPES
from roomtour.export.core.images import read_picture
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.talks.references import Form, ReferenceOptions
from roomtour.export.core.talks.spool import TalkSpool, copy_images
from roomtour.export.core.talks.talk import DRAWN, Talk
from roomtour.export.core.view_videos import VIDEO_MEDIA

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


def file_names(split: str) -> tuple[str, str]:
    """The files of a split: questions with options, and others."""
    return f"mcq_{split}.tsv", f"vqa_{split}.tsv"


def write(runs: Iterable[RunData], ledger: Ledger, options: VlmevalOptions) -> None:
    """Write the tables of all tours; the questions wait on disk until all tours are seen."""
    splits = options.splits
    images = ledger.out / "images"
    with ExitStack() as stack:
        spool = stack.enter_context(
            TalkSpool(
                ledger,
                options.balance,
                None if options.embed_images else images / DRAWN,
                form=Form(options.references, options.box_text),
            )
        )
        tables = {
            split: [
                _Table(stack.enter_context((ledger.out / name).open("w", encoding="utf-8", newline="")), name, options)
                for name in file_names(split)
            ]
            for split in splits
        }
        for run in runs:
            spool.take(run)
        for talk in spool.give():
            if len(talk.turns) != 1 or talk.more.get("medium") in VIDEO_MEDIA:
                ledger.dropped[f"{talk.kind}: more than one turn, or a video"] += 1
                continue
            letters = _options_of(talk)
            tables[talk.split][0 if letters else 1].add(talk, letters)
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
    for one in (listed, f"({'; '.join(options)})"):
        head, found, tail = question.partition(one) if options else (question, "", "")
        if found:
            break
    else:
        return question
    end = head.rfind("?") + 1
    return f"{head[:end] or head} {tail}".strip()


class _Table:
    """One table on disk; memory holds which picture lies in which row."""

    def __init__(self, file: TextIO, name: str, options: VlmevalOptions):
        has_options = name.startswith("mcq")
        skipped = {"image_path" if options.embed_images else "image"} | (set() if has_options else set(LETTERS))
        self._columns = [name for name in (*COLUMNS, *MORE_COLUMNS) if name not in skipped]
        self._writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        self._writer.writerow(self._columns)
        self._embed, self._count = options.embed_images, 0
        self._rows: dict[tuple[str, ...], int] = {}

    def add(self, talk: Talk, letters: tuple[str, ...]) -> None:
        question, _ = talk.turns[0]
        answer = talk.solution
        if letters:
            right = TOO_CLOSE_OPTION if answer == TOO_CLOSE else answer
            answer = LETTERS[letters.index(right)]
        row: dict[str, Any] = {
            "index": self._count,
            "id": talk.id,
            "image": self._embed_images(talk) if self._embed else "",
            "image_path": _list_cell([f"images/{image.name}" for image in talk.images]),
            "question": cut_options(question, letters),
            **dict(zip(LETTERS, letters, strict=False)),
            "answer": answer,
            "category": talk.type,
            "kind": talk.kind,
            "type": talk.type,
            "tour": talk.tour,
            "unit": talk.unit,
            "sigma": talk.sigma,
            "scale_status": talk.scale_status,
            **_texts(talk.more),
        }
        self._writer.writerow([_cell(row.get(name)) for name in self._columns])
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


def _texts(more: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in more.items() if name in MORE_COLUMNS}


def _cell(value: object) -> object:
    return "" if value is None else " ".join(value.split()) if isinstance(value, str) else value
