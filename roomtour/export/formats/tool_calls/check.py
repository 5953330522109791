"""Check messages with calls of a tool: every call has its result, the answer is last, pictures are there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from roomtour.export.core.checking import Id, RelativePath, Row, RowCheck, Text, fit_splits
from roomtour.export.core.conversations import IMAGE_TOKEN
from roomtour.export.core.records import Problem
from roomtour.export.formats.tool_calls.write import TOOL, file_name


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
    images: Annotated[list[RelativePath], Field(min_length=1, max_length=1)]
    solution: Text
    type: Text
    tour: Text
    scale_status: Literal["metric", "assumed"]


def recognise(path: Path) -> bool:
    """Whether the folder holds calls of tools."""
    return (path / file_name("train")).is_file()


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    split_of: dict[str, str] = {}
    for split, row, item in fit_splits(path, file_name, _Item, problems):
        if split_of.setdefault(item.tour, split) != split:
            row.bad("tour", f"a tour of {split} only, not of {split_of[item.tour]}", item.tour)
        _check_item(row, item, path)
    return problems


def _check_item(row: RowCheck, item: _Item, path: Path) -> None:
    first, *middle, last = item.messages
    if first.role != "user" or first.content.count(IMAGE_TOKEN) != 1:
        row.bad("messages", f"a question of the user first, with one {IMAGE_TOKEN}", first.role)
    if last.role != "assistant" or last.tool_calls or not last.content.strip():
        row.bad("messages", "an answer in words last", last.role)
    for place, message in enumerate(middle):
        is_call = message.role == "assistant" and message.tool_calls is not None
        if is_call != (place % 2 == 0) or (not is_call and message.role != "tool"):
            row.bad("messages", f"a call of {TOOL} and its result by turns", message.role)
    if len(middle) % 2:
        row.bad("messages", "a result for every call", len(middle))
    if (path / "images").is_dir():
        missing = [name for name in item.images if not (path / name).is_file()]
        if missing:
            row.bad("images", "files that are there", missing)
