"""Talks that take several measures as chat messages in which each measure is the call of a tool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from instructions.questions.thinking.records import ThinkingTalk, Turn
from roomtour.export.core.checking import RowCheck
from roomtour.export.core.fields import Id, RelativePath, Row, Text, there
from roomtour.export.core.format import ExportFormat, each_run
from roomtour.export.core.images import show_frame
from roomtour.export.core.ledger import CopyOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.row_files import rows_of
from roomtour.export.core.talks.talk import IMAGE_TOKEN, plain

CONVENTION = """\
* `tool_calls_{split}.jsonl`: `messages`, `tools`, `images` (relative to this folder), and beside them `solution` (the
  truth), `type`, `tour`, `scale_status`. The assistant calls the tool `measure` (arguments as an object: `measure` and
  `things`), the role `tool` gives the numbers in metres, two decimals; the last message answers.
* Only talks whose answer is the truth are in it; turns in which nothing was measured are left out."""
FILES, TOOL = "tool_calls_{split}.jsonl", "measure"
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


def _row(run: RunData, talk: ThinkingTalk, shown: str) -> dict[str, object]:
    phrase_of = {one.object: one.name for one in talk.references}
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
    numbers = ", ".join(f"{one.value:.2f}" for one in turn.measured)
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "name": TOOL, "content": f"{numbers} m"},
    ]


def _rows(run: RunData, ledger: Ledger, options: CopyOptions) -> Iterator[dict[str, object]]:
    kept = [talk for talk in run.thinking if talk.accepted]
    for talk in kept:
        yield _row(run, talk, show_frame(run, talk.views[0], ledger.out, copy=options.copy_images))
    if len(kept) < len(run.thinking):
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


class _Message(Row):
    role: Literal["user", "assistant", "tool"]
    content: str
    tool_calls: Annotated[list[_Call], Field(min_length=1, max_length=1)] | None = None


class _Item(Row):
    id: Id
    messages: Annotated[list[_Message], Field(min_length=4)]
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
    convention=CONVENTION,
    options=CopyOptions,
    rows=rows_of("tool_calls_*.jsonl"),
    write=each_run(FILES, _rows, "talks", counted="talks"),
    tables={FILES: _Item},
)
