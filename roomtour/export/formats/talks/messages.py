"""Chat messages with pictures, one JSON object per line, as ms-swift, LLaMA-Factory and TRL read them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from roomtour.export.core.checking import DatasetCheck, RowCheck
from roomtour.export.core.columns import PlaceRow, check_places, find_sizes
from roomtour.export.core.fields import Finite, Id, RelativePath, Row, Text, must, there
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.row_files import rows_of
from roomtour.export.core.talks.chats import ChatOptions, write_chats
from roomtour.export.core.talks.references import Form
from roomtour.export.core.talks.spool import TALK_ROWS
from roomtour.export.core.talks.talk import IMAGE_TOKEN, METRIC_UNITS, PLACES, Talk, Unit
from roomtour.export.core.talks.view_videos import VIDEO_TOKEN

CONVENTION = (
    """\
* `{split}.jsonl`: `messages` (role and content), `images` (paths relative to this folder, one for each `<image>` in
  the messages), and beside them `solution` (the truth to compare with), `type`, `unit`, `sigma`, `choices`, `tour`,
  `scale_status`. A client that knows no such columns leaves them out.
* `dataset_info.json` tells LLaMA-Factory which columns are which: with this folder as its `dataset_dir`, the splits are
  the datasets `roomtour_train` and `roomtour_val`.
* With `videos=true` every row has `videos` as well, one `<video>` for each; a row has pictures or a video.
* Marked points and numbered regions are drawn (`images/drawn/`), things are named. With `references=marks` things are
  numbered and drawn too; with `boxes` or `points` the pictures are plain and the texts say where, in thousandths of
  width and height as Qwen-VL from its third version on expects (`box_text=pixels` for Qwen2.5-VL).
"""
    + f"* {PLACES}"
    + """
* With `image_marks=false` there are no marks, as TRL wants it, and no `dataset_info.json`.
* `solution` of a number is in full, in `unit`; the answer in the messages says it as a person would. Views and ways in
  words (`type` `view`, `description`, `instruction`) have no other truth than their text."""
)


@dataclass(frozen=True, kw_only=True)
class MessagesOptions(ChatOptions):
    """Options of the format."""

    image_marks: bool = True
    """Put `<image>` where a picture belongs, as ms-swift and LLaMA-Factory want it. TRL puts pictures before the first
    text by itself, where marks would stay as words: `false` for TRL."""


FILES, INFO_FILE = "{split}.jsonl", "dataset_info.json"
_COLUMNS = {"messages": "messages", "images": "images"}
_INFO = {
    "formatting": "sharegpt",
    "tags": {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant"},
}
"""What LLaMA-Factory has to know of the lines."""


def write(runs: Iterable[RunData], ledger: Ledger, options: MessagesOptions) -> None:
    """Write the rows of all tours; talks of the other kinds wait on disk until all tours are seen."""
    if options.image_marks:
        columns = {**_COLUMNS, **({"videos": "videos"} if options.videos else {})}
        info = {
            f"roomtour_{split}": {"file_name": FILES.format(split=split), **_INFO, "columns": columns}
            for split in options.splits
        }
        (ledger.out / INFO_FILE).write_text(json.dumps(info, indent=2) + "\n", encoding="utf-8")
    form = Form(options.references, options.box_text)
    with ledger.open_rows(FILES, options) as add_row:

        def add(talk: Talk, source: object, video: str) -> None:
            row = _tell_row(talk, video, options.image_marks)
            add_row({**row, "videos": [video] if video else []} if options.videos else row, talk.split)

        write_chats(runs, ledger, options, form, add, ledger.out / "videos")


def _tell_row(talk: Talk, video: str, has_marks: bool) -> dict[str, object]:
    flat = [text for turn in talk.turns for text in turn]
    messages = [{"role": _ROLES[place % 2], "content": text} for place, text in enumerate(flat)]
    if has_marks:
        messages[0]["content"] = (VIDEO_TOKEN if video else IMAGE_TOKEN * len(talk.images)) + flat[0]
    return {
        "id": talk.id,
        "messages": messages,
        "images": [] if video else [f"images/{image.name}" for image in talk.images],
        "solution": talk.solution,
        "type": talk.type,
        "unit": talk.unit,
        "sigma": talk.sigma,
        "choices": list(talk.choices),
        "places": talk.list_places(),
        "tour": talk.tour,
        "scale_status": talk.scale_status,
        **talk.more,
    }


_ROLES = ("user", "assistant")


class _Message(Row):
    role: Literal["user", "assistant"]
    content: Text


class _Item(Row):
    id: Id
    messages: Annotated[
        list[_Message],
        Field(min_length=2),
        must(lambda said: len(said) % 2 == 0, "an answer last"),
        must(
            lambda said: [one.role for one in said] == [*_ROLES] * (len(said) // 2),
            "user and assistant by turns",
            inside="role",
        ),
    ]
    images: list[Annotated[RelativePath, there(may_lack="images")]]
    videos: list[Annotated[RelativePath, there()]] = Field(default_factory=list)
    solution: Text
    type: Text
    unit: Unit
    sigma: Finite | None
    tour: Text
    scale_status: Literal["metric", "assumed", "relative"]
    places: list[PlaceRow] = Field(default_factory=list)

    def count(self, mark: str) -> int:
        """Places of a medium in what the user says."""
        return sum(message.content.count(mark) for message in self.messages if message.role == "user")

    def check(self, row: RowCheck) -> None:
        """One mark per picture, or none; nothing in meters where there are none."""
        if bool(self.images) == bool(self.videos):
            row.bad("images", "pictures or a video", f"{len(self.images)} and {len(self.videos)}")
        for mark, media in ((VIDEO_TOKEN, self.videos), (IMAGE_TOKEN, self.images)):
            if self.count(mark) not in (0, len(media)):
                row.bad("messages.content", f"{len(media)} times {mark}, or never", f"{self.count(mark)} times")
        if any(IMAGE_TOKEN in message.content for message in self.messages if message.role != "user"):
            row.bad("messages.content", f"no {IMAGE_TOKEN} in an answer", IMAGE_TOKEN)
        if self.places and self.images:
            check_places(row, self.places, find_sizes(row, self.images))
        if self.scale_status == "relative" and self.unit in METRIC_UNITS:
            row.bad("unit", "no metres from a relative scale", self.unit)


class _Columns(Row):
    messages: Literal["messages"]
    images: Literal["images"]
    videos: Literal["videos"] = "videos"


class _Info(Row):
    file_name: Annotated[RelativePath, there()]
    formatting: Literal["sharegpt"]
    columns: _Columns
    tags: dict[str, str]


def _check(data: DatasetCheck) -> None:
    """Rows that one loader reads as a whole: all with marks, or none; files that LLaMA-Factory is told of."""
    has_marks: bool | None = None
    for row, item in data.rows(FILES, _Item):
        if item.images:
            marked = item.count(IMAGE_TOKEN) > 0
            has_marks = marked if has_marks is None else has_marks
            if marked != has_marks:
                row.bad("messages.content", f"{IMAGE_TOKEN} in all rows with pictures, or in none", f"marked: {marked}")
    if data.has_file(data.folder / INFO_FILE):
        for name, told in (data.read_json(INFO_FILE, dict) or {}).items():
            RowCheck(data, INFO_FILE, name, told).fit(_Info)


MESSAGES = ExportFormat(
    name="messages",
    summary="questions about views, and views and ways in words, as chat messages with the truth beside them",
    client="ms-swift, LLaMA-Factory and TRL; datasets.load_dataset",
    reads=("instructions", "view_descriptions", *TALK_ROWS),
    convention=CONVENTION,
    options=MessagesOptions,
    write=write,
    check=_check,
    rows=rows_of("*.jsonl"),
)
