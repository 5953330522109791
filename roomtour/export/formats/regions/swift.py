"""ms-swift: messages about regions and views in which marks stand for names and boxes, given in their order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from instructions.dialogues.records import Dialogue, Turn
from instructions.dialogues.talks.twins import make_twin
from roomtour.export.core.checking import Row, RowCheck
from roomtour.export.core.fields import Finite, Id, RelativePath, Text, Whole, check_spot, find_sizes, must, there
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.run_files import show_frame
from roomtour.export.core.streams import rows_of
from roomtour.export.core.talks.questions import SpatialTalks
from roomtour.export.core.talks.references import say_places
from roomtour.export.core.talks.regions import RegionTalks
from roomtour.export.core.talks.spool import TalkSpool, copy_images
from roomtour.export.core.talks.talk import Place, Talk, plain

IMAGE, BOX, REF = "<image>", "<bbox>", "<ref-object>"
_BRACKET = re.compile(r"\[[\d., ]+\]")


CONVENTION = """\
* `swift_{split}.jsonl`: one row per line with `messages`, `images` and `objects`. Each `<ref-object>` and each `<bbox>`
  of the messages stands for the next entry of `objects.ref` and `objects.bbox`; boxes are corners in pixels of the
  picture as it is written (`bbox_type` is `real`).
  Points of dialogues, and marked points of spatial questions, have two numbers; `image_id` is the picture of each.
* Spatial questions have a thing's name as the `<ref-object>` of its box, and `mark 1` as that of its point. Where a
  question speaks of its marks by numbers too, or of several pictures, it begins with what each is.
* With `pairs=true` rows that have a false twin carry it as `rejected_response`, and the others are left out.
* `images` are relative to `images/`: start the client there, or give it as the image root."""
FILES = "swift_{split}.jsonl"
MARK = "<ref-object><bbox>"
_MARKUP = re.compile(r"<[^>]*>")
_KEY = "\x00"
_FOUND = re.compile(rf"{_KEY}(\d+);")
"""Stands for a mark until clients' own marks are out of the text."""


@dataclass(frozen=True, kw_only=True)
class SwiftOptions(ExportOptions):
    """Options of the format."""

    pairs: bool = False
    """Write preference pairs: only rows with a false twin, which is the rejected response."""
    balance: bool = True
    """Leave out spatial questions whose answer the names would tell."""
    copy_images: bool = True
    """Copy the pictures of the views to `images/`."""


def _dialogue_rows(run: RunData, ledger: Ledger, options: SwiftOptions) -> Iterator[dict[str, object]]:
    """Rows of dialogues, whose pictures are copied; those about clouds are counted."""
    kinds = sorted({thing.category for thing in run.objects if thing.category})
    for row in run.list_accepted("dialogues"):
        if row.cloud is not None:
            ledger.dropped["dialogue about a cloud, which the client does not take"] += 1
            continue
        twin = make_twin(row, kinds) if options.pairs else None
        if options.pairs and twin is None:
            ledger.dropped["no false twin"] += 1
            continue
        said = _Marks()
        turns = row.turns[: twin.turn + 1 if twin is not None else None]
        texts = [said.mark(text, turn, row) for turn in turns for text in (turn.question, turn.answer)]
        images = [show_frame(run, view, ledger.out, copy=options.copy_images) for view in row.views]
        out = _begin_row(row.id, texts, images)
        if twin is not None:
            # Its marks come after those of the true answer; a talk ends with the turn that it answers.
            turn = row.turns[twin.turn]
            asked = len(_BRACKET.findall(turn.question))
            out["rejected_response"] = said.mark(twin.answer, replace(turn, spots=twin.spots[asked:]), row)
        out["objects"] = {"ref": said.refs, "bbox": said.boxes, "bbox_type": "real"}
        yield out


def _begin_row(name: str, texts: Sequence[str], images: list[str]) -> dict[str, object]:
    """Questions and answers by turns as messages, the pictures first."""
    messages = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(texts)]
    messages[0]["content"] = IMAGE * len(images) + texts[0]
    return {"id": name, "messages": messages, "images": images}


class _Marks:
    """Puts marks into the texts of a row, and keeps what they stand for in their order."""

    def __init__(self) -> None:
        self.refs: list[str] = []
        self.boxes: list[list[float]] = []

    def mark(self, text: str, turn: Turn, row: Dialogue) -> str:
        """A text with marks; its brackets are the next spots of its turn."""
        clean = _MARKUP.sub("", plain(text))
        at = len(_BRACKET.findall(turn.question)) if text == turn.answer else 0
        spots = iter(turn.spots[at:])
        places = list(_BRACKET.finditer(clean))
        objects = row.truth.objects if row.truth is not None and row.task == "detect" else ()
        names = [thing.name for thing in objects] if len(objects) == len(places) and text == turn.answer else []
        edits = [(place.span(), BOX) for place in places]
        if names:
            edits += [(span, REF) for span in _find_names(clean, names, [place.span() for place in places])]
        for (begin, end), mark in sorted(edits):
            if mark == BOX:
                self.boxes.append([round(float(value), 2) for value in next(spots)])
            else:
                self.refs.append(clean[begin:end])
        for (begin, end), mark in sorted(edits, reverse=True):
            clean = clean[:begin] + mark + clean[end:]
        return clean


def _find_names(text: str, names: Sequence[str], spots: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where the class of each bracket stands: last before it, or, where the first one has none there, behind it."""
    lower = text.lower()
    is_before = lower.rfind(names[0].lower(), 0, spots[0][0]) >= 0
    borders = [0, *(end for _, end in spots)] if is_before else [*(begin for begin, _ in spots), len(text)]
    out = []
    for number, name in enumerate(names):
        if is_before:
            at = lower.rfind(name.lower(), borders[number], spots[number][0])
        else:
            at = lower.find(name.lower(), spots[number][1], borders[number + 1])
        if at >= 0:
            out.append((at, at + len(name)))
    return out


def write(runs: Iterable[RunData], ledger: Ledger, options: SwiftOptions) -> None:
    """Write rows of all tours; those of regions and spatial questions wait on disk until all tours are seen."""
    spool = TalkSpool(ledger, options.balance, form=None, sources=(SpatialTalks, RegionTalks))
    ledger.counts.update({"rows": 0})
    add = ledger.open_rows(FILES, options, "rows")
    for run in runs:
        spool.take(run)
        for row in _dialogue_rows(run, ledger, options):
            add(row)
    for talk, row in spool.build((), partial(_row, with_rejected=options.pairs)):
        add(row, talk.split)
        if options.copy_images:
            copy_images(talk, ledger.out / "images")


def _row(talk: Talk, with_rejected: bool) -> dict[str, object] | str:
    """The row of a talk, or why it has none. Marks of a false answer come after those of the true one."""
    if with_rejected:
        if not talk.rejected:
            return "no false twin"
        question, answer = talk.turns[-1]
        talk = replace(talk, turns=(*talk.turns[:-1], (question, answer.removesuffix(f" {talk.more['rationale']}"))))
    pointed = say_places(talk, lambda place, _: f"{_KEY}{talk.places.index(place)};")
    if isinstance(pointed, str):
        return pointed
    places: list[Place] = []

    def mark(text: str) -> str:
        def put(match: re.Match[str]) -> str:
            places.append(talk.places[int(match[1])])
            return MARK

        return _FOUND.sub(put, _MARKUP.sub("", text))

    row = _begin_row(
        talk.id, [mark(text) for turn in pointed.turns for text in turn], [image.name for image in talk.images]
    )
    if with_rejected:
        row["rejected_response"] = mark(pointed.rejected)
    row["objects"] = {
        "ref": [one.words for one in places],
        "bbox": [[round(float(value), 2) for value in one.spot or ()] for one in places],
        "bbox_type": "real",
        "image_id": [one.picture for one in places],
    }
    return row


class _Message(Row):
    role: Literal["system", "user", "assistant"]
    content: Text


class _Objects(Row):
    ref: list[Text]
    bbox: list[Annotated[list[Finite], Field(min_length=2, max_length=4)]]
    bbox_type: Literal["real"]
    image_id: list[Whole] = Field(default_factory=list)


class _Item(Row):
    id: Id
    messages: Annotated[
        list[_Message], Field(min_length=2), must(lambda said: said[-1].role == "assistant", "an answer last")
    ]
    images: list[Annotated[RelativePath, there("images", may_lack="images")]]
    objects: _Objects
    rejected_response: str | None = None

    def check(self, row: RowCheck) -> None:
        """As many marks as entries, boxes inside of their pictures."""
        whole = "".join(message.content for message in self.messages) + (self.rejected_response or "")
        boxes, places = self.objects.bbox, self.objects.image_id or [0] * len(self.objects.bbox)
        for mark, count, field in (
            (IMAGE, len(self.images), "images"),
            (REF, len(self.objects.ref), "objects.ref"),
            (BOX, len(boxes), "objects.bbox"),
        ):
            row.need(whole.count(mark) == count, field, f"one entry for each {mark}, {whole.count(mark)}", count)
        if len(places) != len(boxes) or any(place >= len(self.images) for place in places):
            return row.bad("objects.image_id", f"one of {len(self.images)} pictures for each box", places)
        sizes = find_sizes(row, self.images, "images")
        for box, place in zip(boxes, places, strict=True):
            check_spot(row, "objects.bbox", box, sizes[place])
        return None


SWIFT = ExportFormat(
    name="swift",
    summary="spatial questions, regions and dialogues about views, with grounding marks; preference pairs by option",
    client="ms-swift (custom datasets with grounding)",
    reads=("spatial", "qars", "dialogues"),
    convention=CONVENTION,
    options=SwiftOptions,
    write=write,
    rows=rows_of("swift_*.jsonl"),
    tables={FILES: _Item},
)
