"""Turns of human and gpt as LLaVA and its descendants have them, and the rules that their loaders share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from roomtour.export.core.checking import Row, RowCheck, Text


class Turn(Row):
    """One entry of `conversations`."""

    speaker: Literal["human", "gpt"] = Field(alias="from")
    value: Text


Turns = Annotated[list[Turn], Field(min_length=2)]


def check_turns(row: RowCheck, turns: Sequence[Turn], mark: str = "") -> None:
    """A question and an answer by turns; the first question, and no other text, begins with the mark of the medium.

    Args:
        row: That has the column `conversations`.
        turns: Its entries.
        mark: Of the medium; empty where texts have none.
    """
    speakers = [turn.speaker for turn in turns]
    if len(turns) % 2:
        row.bad("conversations", "an answer last", speakers[-1])
    elif speakers != ["human", "gpt"] * (len(turns) // 2):
        row.bad("conversations.from", "human and gpt by turns", speakers)
    if mark and (not turns[0].value.startswith(f"{mark}\n") or sum(turn.value.count(mark) for turn in turns) != 1):
        row.bad("conversations.value", f"{mark} and a line break before the first question only", turns[0].value)
