"""Chat messages with pictures, one JSON object per line, as ms-swift, LLaMA-Factory and TRL read them, and measures as
calls of a tool.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from instructions.questions.core.records import ThinkingTalk, Turn
from roomtour.export.core.checking import DatasetCheck, Row, RowCheck
from roomtour.export.core.fields import Finite, Id, PlaceRow, RelativePath, Text, check_places, find_sizes, must, there
from roomtour.export.core.format import ExportFormat, each_run
from roomtour.export.core.ledger import CopyOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.run_files import show_frame
from roomtour.export.core.streams import rows_of
from roomtour.export.core.talks.references import Form
from roomtour.export.core.talks.spool import TALK_ROWS, ChatOptions, write_chats
from roomtour.export.core.talks.talk import IMAGE_TOKEN, METRIC_UNITS, PLACES, Talk, Unit, plain
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
    add_row = ledger.open_rows(FILES, options)

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
        **talk.tell("solution", "type", "unit", "sigma", "choices", "places", "tour", "scale_status"),
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
        for name, facts in (data.read_json(INFO_FILE, dict) or {}).items():
            RowCheck(data, INFO_FILE, name, facts).fit(_Info)


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


TOOLS_CONVENTION = """\
* `tool_calls_{split}.jsonl`: `messages`, `tools`, `images` (relative to this folder), and beside them `solution` (the
  truth), `type`, `tour`, `scale_status`. The assistant calls the tool `measure` (arguments as an object: `measure` and
  `things`), the role `tool` gives the numbers in metres, two decimals; the last message answers.
* Only talks whose answer is the truth are in it; turns in which nothing was measured are left out."""
TOOL_FILES, TOOL = "tool_calls_{split}.jsonl", "measure"
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": TOOL,
            "description": "Measure something of the things in the picture, in metres.",
            "parameters": {
                "type": "object",
                "properties": {
                    "measure": {"type": "string", "description": "what to measure, such as distance or height"},
                    "things": {"type": "array", "items": {"type": "string"}, "description": "one or two things"},
                },
                "required": ["measure", "things"],
            },
        },
    }
]


def _tell_call_row(run: RunData, talk: ThinkingTalk, shown: str) -> dict[str, object]:
    phrase_of = {reference.object: reference.name for reference in talk.references}
    messages: list[dict[str, object]] = [{"role": "user", "content": IMAGE_TOKEN + plain(talk.question)}]
    for turn in talk.turns:
        if turn.measured:
            messages += _call(turn, phrase_of)
    messages.append({"role": "assistant", "content": plain(f"{talk.conclusion} {talk.answer}".strip())})
    return {
        "id": talk.id,
        "messages": messages,
        "tools": TOOLS,
        "images": [f"images/{shown}"],
        "solution": plain(phrase_of.get(talk.truth, talk.truth)),
        "type": talk.puzzle,
        "tour": run.scene.id,
        "scale_status": talk.scale_status,
    }


def _call(turn: Turn, phrase_of: dict[str, str]) -> list[dict[str, object]]:
    arguments = {"measure": turn.measured[0].name, "things": [plain(phrase_of[name]) for name in turn.about]}
    call = {"type": "function", "function": {"name": TOOL, "arguments": arguments}}
    numbers = ", ".join(f"{measured.value:.2f}" for measured in turn.measured)
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "name": TOOL, "content": f"{numbers} m"},
    ]


def _tool_rows(run: RunData, ledger: Ledger, options: CopyOptions) -> Iterator[dict[str, object]]:
    kept = [talk for talk in run.thinking if talk.accepted]
    for talk in kept:
        yield _tell_call_row(run, talk, show_frame(run, talk.views[0], ledger.out, copy=options.copy_images))
    ledger.dropped["talk was rejected"] += len(run.thinking) - len(kept)


class _Arguments(Row):
    measure: Text
    things: Annotated[list[Text], Field(min_length=1, max_length=2)]


class _Function(Row):
    name: Literal["measure"]
    arguments: _Arguments


class _Call(Row):
    type: Literal["function"]
    function: _Function


class _ToolMessage(Row):
    role: Literal["user", "assistant", "tool"]
    content: str
    tool_calls: Annotated[list[_Call], Field(min_length=1, max_length=1)] | None = None


class _ToolItem(Row):
    id: Id
    messages: Annotated[list[_ToolMessage], Field(min_length=4)]
    tools: Annotated[list[dict[str, Any]], Field(min_length=1)]
    images: Annotated[list[Annotated[RelativePath, there(may_lack="images")]], Field(min_length=1, max_length=1)]
    solution: Text
    type: Text
    tour: Text
    scale_status: Literal["metric", "assumed"]

    def check(self, row: RowCheck) -> None:
        """Every call has its result, the answer is last."""
        first, *middle, last = self.messages
        if first.role != "user" or first.content.count(IMAGE_TOKEN) != 1:
            row.bad("messages", f"a question of the user first, with one {IMAGE_TOKEN}", first.role)
        if last.role != "assistant" or last.tool_calls or not last.content.strip():
            row.bad("messages", "an answer in words last", last.role)
        roles = [(message.role, message.tool_calls is not None) for message in middle]
        if roles != [("assistant", True), ("tool", False)] * (len(middle) // 2):
            row.bad("messages", f"a call of {TOOL} and its result by turns", [role for role, _ in roles])


TOOL_CALLS = ExportFormat(
    name="tool_calls",
    summary="spatial questions that take several measures, with each measure as the call of a tool",
    client="TRL and other trainers of chat messages with `tools`",
    reads=("thinking",),
    convention=TOOLS_CONVENTION,
    options=CopyOptions,
    rows=rows_of("tool_calls_*.jsonl"),
    write=each_run(TOOL_FILES, _tool_rows, "talks", counted="talks"),
    tables={TOOL_FILES: _ToolItem},
)
