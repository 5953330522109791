"""LLaVA conversations: what lies where in a view, and the way through several views in words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from instructions.dialogues.spots import BoxSpace, BoxText
from roomtour.export.core.checking import DatasetCheck, Row, RowCheck
from roomtour.export.core.fields import (
    Id,
    PlaceRow,
    RelativePath,
    Turn,
    Turns,
    check_places,
    find_sizes,
    there,
    turns_of,
)
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import rows_of
from roomtour.export.core.talks.questions import SpatialTalks
from roomtour.export.core.talks.references import Form
from roomtour.export.core.talks.regions import RegionTalks
from roomtour.export.core.talks.spool import SOURCES, TALK_ROWS, VIEWS, WAYS, ChatOptions, write_chats
from roomtour.export.core.talks.talk import IMAGE_TOKEN, PLACES, Talk

CONVENTION = (
    """\
* `views_{split}.json`: one image (a text in `image`) and the things in it, by side and distance.
* `ways_{split}.json`: several images in time order (a list in `image`) and the way in words; for clients that take
  more than one image. Each file holds one kind, because readers that infer a schema stop at a mixture.
* One file per other kind of data: `questions_{split}.json` are spatial questions, `programs_{split}.json` questions
  answered by programs (a list of images each), `regions_{split}.json` questions about numbered regions, drawn in
  `drawn/`, `dialogues_{split}.json` talks of several turns. `solution` is the truth in full, `unit` and `sigma` those
  of a number, `question_type` the type as released data sets spell it.
* Rows about several pictures are in files of their own, `several_questions_{split}.json` and so on, with a list in
  `image`, so that every other file is one that single-picture trainers read.
* Marked points and numbered regions are drawn (`drawn/`), things are named. With `references=marks` things are numbered
  and drawn too; with `boxes` or `points` the pictures are plain and numbers stand in the text, with `both` behind the
  first mention of what is drawn. Numbers are shares of width and height (`box_text` has other ways) of the picture that
  `box_space` names: `picture` as it is, `padded` to a square as the first LLaVA trainers do, or its `cropped` middle
  square; rows about what that cuts off are left out.
"""
    + f"* {PLACES}"
    + """
* With `videos=true` questions about a video are in `program_videos_{split}.json`: `video` is one file that holds
  exactly their views, and `<video>` in the question stands for it (`video_mark=image`: `<image>`, as LLaVA-NeXT and
  VLM-3R have it). Without, they have their 32 views as pictures.
* `image` and `video` are relative to `images/`: give that folder as the image folder. Each `<image>` in the question
  stands for one.
* `source` names the frames, the model and what wrote the text."""
)


@dataclass(frozen=True, kw_only=True)
class LlavaOptions(ChatOptions):
    """Options of the format."""

    box_text: BoxText = "unit2"
    """Numbers of boxes and points: shares with two or three decimals (`unit2`, `unit3`), thousandths of width and
    height (`thousand`), or `pixels` of the picture as it is written."""
    box_space: BoxSpace = "picture"
    """The picture that boxes and points are shares of."""
    video_mark: Literal["video", "image"] = "video"
    """What stands for a video in its question: `<video>` for Qwen-VL's fine-tuning, `<image>` for the LLaVA-NeXT family
    (VLM-3R, VSI-590K), which marks any medium so."""


FILES = {VIEWS: VIEWS, WAYS: WAYS, **{source.kind: source.file for source in SOURCES}}
"""Each holds one kind."""
VIDEOS = "program_videos"
"""Questions about a video, where videos are asked for."""
_LISTS = {WAYS, *(source.kind for source in SOURCES if source.has_many_images)}
"""Kinds whose rows have a list of pictures; rows about several of any other lie in files of their own."""
_NAME = "{file}_{split}.json"


def write(runs: Iterable[RunData], ledger: Ledger, options: LlavaOptions) -> None:
    """Write the conversations of all tours, one tour at a time."""
    form = Form(options.references, options.box_text, options.box_space)
    for file in (*FILES.values(), *([VIDEOS] if options.videos else ())):
        ledger.open_rows(_NAME.format(file=file, split="{split}"), options)

    def add(talk: Talk, source: dict[str, object] | None, video: str) -> None:
        file = VIDEOS if video else FILES[talk.kind]
        if not video and len(talk.images) > 1 and talk.kind not in _LISTS:
            file = f"several_{file}"
        names = [image.name for image in talk.images]
        shown: dict[str, object] = {"image": names if talk.kind in _LISTS or len(names) > 1 else names[0]}
        shown = {"video": video} if video else shown
        marks = f"<{options.video_mark}>" if video else "\n".join([IMAGE_TOKEN] * len(names))
        item = {"id": talk.id, **shown, "conversations": turns_of(talk.turns, marks)}
        path = ledger.out / _NAME.format(file=file, split=talk.split)
        ledger.files.open(path)({**item, **(_tell_truth(talk) if source is None else {"source": source})})

    write_chats(runs, ledger, options, form, add, ledger.out / "images" / "videos")
    ledger.card_notes.append(
        f"References: {options.references}; numbers in texts: {options.box_text} of {options.box_space}."
    )


def _tell_truth(talk: Talk) -> dict[str, object]:
    return {
        **talk.tell("type", "solution", "unit", "sigma", "choices", "places"),
        **talk.more,
        "question_type": talk.more.get("category", talk.type),
        "source": {"tour": talk.tour, "scale_status": talk.scale_status},
    }


_MARKS = {"image": IMAGE_TOKEN, "video": "<video>"}
_BOX = re.compile(r"\[" + ", ".join([r"(-?\d+(?:\.\d+)?)"] * 4) + r"\]")
_Media = Annotated[
    list[Annotated[RelativePath, there("images", may_lack="images")]],
    Field(min_length=1),
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
]


class _Item(Row):
    id: Id
    image: _Media = Field(default_factory=list)
    video: _Media = Field(default_factory=list)
    conversations: Turns
    places: list[PlaceRow] = Field(default_factory=list)

    def check(self, row: RowCheck) -> None:
        """One mark per file, in questions only."""
        given = [field for field in _MARKS if field in row.record]
        if len(given) != 1:
            return row.bad("image", "either image or video", given)
        is_marked_as_image = self.video and not any("<video>" in turn.value for turn in self.conversations)
        mark, count = IMAGE_TOKEN if is_marked_as_image else _MARKS[given[0]], len(self.image or self.video)
        marks = [turn.value.count(mark) for turn in self.conversations]
        row.need(not sum(marks[1::2]), "conversations.value", f"no {mark} in an answer", marks)
        if sum(marks[::2]) != count:
            row.bad("conversations.value", f"{count} times {mark}, one for each file", f"{sum(marks[::2])} times")
        if self.places and self.image:
            check_places(row, self.places, find_sizes(row, self.image, "images"))
        return None


def _check(data: DatasetCheck) -> None:
    """Files whose rows a reader that infers a schema takes; boxes in texts that are some."""
    several = [f"several_{file}" for kind, file in FILES.items() if kind not in _LISTS]
    for file in (*FILES.values(), *several, VIDEOS):
        kinds: dict[str, type] = {}
        name = _NAME.format(file=file, split="{split}")
        for row, item in data.rows(name, _Item, optional=file not in FILES.values()):
            field = "image" if item.image else "video"
            if kinds.setdefault(row.split, type(row.record.get(field))) is not type(row.record.get(field)):
                row.bad(field, "in all rows of a file one text, or in all a list", row.record.get(field))
            if file.startswith((RegionTalks.file, SpatialTalks.file)):
                _check_boxes(row, item.conversations)


def _check_boxes(row: RowCheck, turns: list[Turn]) -> None:
    """Boxes in texts are corners, the lower one last; those with decimals are shares of a picture."""
    for turn in turns:
        for box in _BOX.findall(turn.value):
            x0, y0, x1, y1 = (float(value) for value in box)
            most = 1.0 if any("." in value for value in box) else float("inf")
            if not (0 <= x0 < x1 <= most and 0 <= y0 < y1 <= most):
                row.bad("conversations.value", "boxes [x1, y1, x2, y2], x1 < x2 and y1 < y2, shares to 1", turn.value)


LLAVA = ExportFormat(
    name="llava",
    summary="conversations about single views and about the way through several, questions and talks about views",
    client="LLaVA-style trainers; datasets.load_dataset",
    reads=("instructions", "view_descriptions", *TALK_ROWS),
    shows=("rooms", "frame_rooms"),
    convention=CONVENTION,
    options=LlavaOptions,
    write=write,
    check=_check,
    rows=rows_of("*_train.json", "*_val.json"),
)
