"""LLaVA conversations: what lies where in a view, and the way through several views in words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Le
from pydantic import BeforeValidator, Field

from instructions.dialogues.spots import BoxSpace, BoxText
from recon.ranges import Positive
from roomtour.export.core.checking import DatasetCheck, Id, RelativePath, Row, RowCheck, there
from roomtour.export.core.columns import PlaceRow, Turn, Turns, check_places, find_sizes, turns_of
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.images import show_frame
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.row_files import rows_of
from roomtour.export.core.streams import JsonArrayWriter
from roomtour.export.core.talks.conversations import IMAGE_TOKEN, Conversation, tell_run
from roomtour.export.core.talks.place_rows import PLACES, list_places
from roomtour.export.core.talks.questions import SpatialTalks
from roomtour.export.core.talks.references import Form, ReferenceOptions
from roomtour.export.core.talks.regions import RegionTalks
from roomtour.export.core.talks.sources import SOURCES, TALK_KINDS, TALK_ROWS
from roomtour.export.core.talks.spool import TalkSpool, copy_images
from roomtour.export.core.talks.talk import DRAWN, Talk
from roomtour.export.core.talks.view_videos import VIDEO_MEDIA, place_video
from roomtour.export.core.walks.augment import AugmentOptions

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
class LlavaOptions(AugmentOptions, ReferenceOptions):
    """Options of the format."""

    max_images: Annotated[int, Ge(2), Le(1_000_000)] = 8
    """Images per way, evenly chosen, first and last included: 8 fill about half of a 8k context at 576 tokens each."""
    balance: bool = True
    """Leave out spatial questions whose answer the names would tell."""
    box_text: BoxText = "unit2"
    """Numbers of boxes and points: shares with two or three decimals (`unit2`, `unit3`), thousandths of width and
    height (`thousand`), or `pixels` of the picture as it is written."""
    box_space: BoxSpace = "picture"
    """The picture that boxes and points are shares of."""
    copy_images: bool = True
    """Copy the frames that are used to `images/`, about 40 kB each."""
    videos: bool = False
    """Give a question about a video one file in `images/videos/` that holds exactly its views, instead of as many
    pictures."""
    video_mark: Literal["video", "image"] = "video"
    """What stands for a video in its question: `<video>` for Qwen-VL's fine-tuning, `<image>` for the LLaVA-NeXT family
    (VLM-3R, VSI-590K), which marks any medium so."""
    frames_per_second: Positive = 2.0
    """Of these files; no question asks for a time in seconds."""


VIEWS, WAYS = "views", "ways"
FILES = (VIEWS, WAYS, *(source.file for source in SOURCES))
"""Each holds one kind."""
VIDEOS = "program_videos"
"""Questions about a video, where videos are asked for."""
_SEVERAL = {one.file: f"several_{one.file}" for one in SOURCES if not one.has_many_images}
"""Where rows about several pictures lie, of kinds whose other rows are about one; only those that there are."""
_NAME = "{file}_{{split}}.json"
_SOURCE_OF = {source.kind: source for source in SOURCES}


def write(runs: Iterable[RunData], ledger: Ledger, options: LlavaOptions) -> None:
    """Write the conversations of all tours, one tour at a time."""
    images = ledger.out / "images"
    ledger.counts.update({"views": 0, "ways": 0})
    form = Form(options.references, options.box_text, options.box_space)
    with ExitStack() as stack:
        spool = stack.enter_context(TalkSpool(ledger, options.balance, images / DRAWN, form=form))
        add = {
            file: stack.enter_context(ledger.open_rows(_NAME.format(file=file), options))
            for file in (*FILES, *((VIDEOS,) if options.videos else ()))
        }
        several: dict[tuple[str, str], JsonArrayWriter] = {}
        for run in runs:
            spool.take(run)
            for file, told in tell_run(run, ledger, options.max_images):
                shown = [show_frame(run, one, ledger.out, copy=options.copy_images) for one in told.frames]
                add[file](_told_item(told, shown if file == WAYS else shown[0]))
        for talk in spool.give():
            if options.videos and talk.more.get("medium") in VIDEO_MEDIA:
                name = f"videos/{place_video(talk, images / 'videos', options.frames_per_second)}"
                add[VIDEOS](_video_item(talk, name, options.video_mark), talk.split)
                continue
            file = _SOURCE_OF[talk.kind].file
            if len(talk.images) > 1 and file in _SEVERAL:
                path = ledger.out / f"{_SEVERAL[file]}_{talk.split}.json"
                if (file, talk.split) not in several:
                    several[file, talk.split] = stack.enter_context(JsonArrayWriter(path))
                several[file, talk.split].add(_talk_item(talk))
            else:
                add[file](_talk_item(talk), talk.split)
            if options.copy_images:
                copy_images(talk, images)
        ledger.card_notes.append(
            f"References: {options.references}; numbers in texts: {options.box_text} of {options.box_space}."
        )


def _video_item(talk: Talk, video: str, mark: str) -> dict[str, object]:
    """The same item with a video in the place of its pictures."""
    item = _talk_item(talk)
    item["conversations"] = turns_of(talk.turns, f"<{mark}>")
    return {"id": item.pop("id"), "video": video, **{key: value for key, value in item.items() if key != "image"}}


def _talk_item(talk: Talk) -> dict[str, object]:
    names = [image.name for image in talk.images]
    return {
        "id": talk.id,
        "image": names if _SOURCE_OF[talk.kind].has_many_images or len(names) > 1 else names[0],
        "conversations": turns_of(talk.turns, _marks(len(names))),
        "type": talk.type,
        "solution": talk.solution,
        "unit": talk.unit,
        "sigma": talk.sigma,
        "choices": list(talk.choices),
        "places": list_places(talk),
        **talk.more,
        "question_type": talk.more.get("category", talk.type),
        "source": {"tour": talk.tour, "scale_status": talk.scale_status},
    }


def _told_item(told: Conversation, shown: str | list[str]) -> dict[str, object]:
    return {
        "id": told.id,
        "image": shown,
        "conversations": turns_of([(told.question, told.answer)], _marks(len(told.frames))),
        "source": told.source,
    }


def _marks(images: int) -> str:
    return "\n".join([IMAGE_TOKEN] * images)


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
        if sum(marks[1::2]):
            row.bad("conversations.value", f"no {mark} in an answer", marks)
        if sum(marks[::2]) != count:
            row.bad("conversations.value", f"{count} times {mark}, one for each file", f"{sum(marks[::2])} times")
        if self.places and self.image:
            check_places(row, self.places, find_sizes(row, self.image, "images"))
        return None


def _check(data: DatasetCheck) -> None:
    """Files whose rows a reader that infers a schema takes; boxes in texts that are some."""
    for file in (*FILES, *_SEVERAL.values(), VIDEOS):
        kinds: dict[str, type] = {}
        for row, item in data.rows(_NAME.format(file=file), _Item, optional=file not in FILES):
            field = "image" if item.image else "video"
            if kinds.setdefault(row.split, type(row.record.get(field))) is not type(row.record.get(field)):
                row.bad(field, "in all rows of a file one text, or in all a list", row.record.get(field))
            if file.startswith((RegionTalks.file, SpatialTalks.file)):
                _check_boxes(row, item.conversations)


def _check_boxes(row: RowCheck, turns: list[Turn]) -> None:
    """Boxes in texts are corners, the lower one last; those with decimals are shares of a picture."""
    for turn in turns:
        for found in _BOX.findall(turn.value):
            x0, y0, x1, y1 = (float(value) for value in found)
            most = 1.0 if any("." in value for value in found) else float("inf")
            if not (0 <= x0 < x1 <= most and 0 <= y0 < y1 <= most):
                row.bad("conversations.value", "boxes [x1, y1, x2, y2], x1 < x2 and y1 < y2, shares to 1", turn.value)


FORMAT = ExportFormat(
    name="llava",
    summary="conversations about single views and about the way through several, questions and talks about views",
    client="LLaVA-style trainers; datasets.load_dataset",
    reads=("instructions", "view_descriptions", *TALK_ROWS),
    shows=("rooms", "frame_rooms"),
    kinds=("navigation", *TALK_KINDS),
    convention=CONVENTION,
    options=LlavaOptions,
    write=write,
    check=_check,
    files=tuple(f"{file}_*.json" for file in FILES),
    rows=rows_of("*_train.json", "*_val.json"),
)
