"""How much text a loader keeps behind a picture or cloud, and rows that stay under it."""

from __future__ import annotations

from collections.abc import Sequence

from instructions.dialogues.records import Turn

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
