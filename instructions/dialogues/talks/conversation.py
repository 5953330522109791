"""A row as LAMM's loader turns it into text: what of it is learned, how much fits, and its task's system message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from instructions.dialogues.records import Turn
from instructions.dialogues.tasks.tasks import TALK_TYPES, TASKS

TASK_TYPES = tuple(dict.fromkeys([*(kind.task_type for kind in TASKS.values()), *TALK_TYPES.values()]))
"""What the loader knows; it stops at other names where system messages are on."""
_MARKS = {False: ("<Img>", "</Img>"), True: ("<Pcl>", "</Pcl>")}


@dataclass(frozen=True)
class Part:
    """A stretch of the text."""

    text: str
    learned: bool
    """Whether the loss is taken on it."""


@cache
def system_message(task_type: str) -> str:
    """What the task is and what the answer looks like.

    Raises:
        KeyError: For a type that no loader knows.
    """
    if task_type not in TASK_TYPES:
        raise KeyError(task_type)
    return (files("instructions.dialogues.system") / f"{task_type}.txt").read_text(encoding="utf-8").strip()


def build_text(turns: Sequence[tuple[str, str]], task_type: str, *, is_cloud: bool, medium: str = "") -> list[Part]:
    """The parts of the text in order; put together they are what the model reads."""
    begin, end = _MARKS[is_cloud]
    parts = [Part(f"{system_message(task_type)}\n\n### Human: {begin}{medium}{end} ", False)]
    for number, (question, answer) in enumerate(turns):
        # The loader leaves no blank before the later turns of the human.
        parts.append(Part(f"{'' if number == 0 else 'Human: '}{question}\n### Assistant: ", False))
        parts.append(Part(f"{answer}\n###", True))
    return parts


BYTES_PER_TOKEN = 3.0
"""English has 3 to 5 bytes per token with the usual vocabularies: an upper estimate of tokens."""
_TURN_BYTES = len("### Human: ### Assistant: \n###")


def estimate_tokens(turns: Sequence[Turn]) -> int:
    """Upper estimate of the tokens of turns with the marks around them."""
    size = sum(len(turn.question.encode()) + len(turn.answer.encode()) + _TURN_BYTES for turn in turns)
    return -int(-size // BYTES_PER_TOKEN)


def cut_turns(turns: Sequence[Turn], most_turns: int, most_tokens: int) -> list[tuple[Turn, ...]]:
    """Turns in order as rows of at most so many turns and tokens.

    Returns:
        Rows as even as they can be; a turn that is too long by itself is left out.
    """
    rows: list[list[Turn]] = []
    for turn in turns:
        if estimate_tokens([turn]) > most_tokens:
            continue
        if rows and len(rows[-1]) < most_turns and estimate_tokens([*rows[-1], turn]) <= most_tokens:
            rows[-1].append(turn)
        else:
            rows.append([turn])
    return [tuple(row) for row in rows]
