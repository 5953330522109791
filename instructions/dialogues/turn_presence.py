"""What a turn says to be there or not to be there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from instructions.dialogues.turn_statements import Statement, show
from instructions.dialogues.turn_text import NEGATES, THING, TurnText, drop_opening, find_things, plain_word

_PRESENCE = re.compile(r"\b(?:one|ones|any|none|some|nowhere|no|sight|sign|missing|lacks?|without|luck|there)\b|@")
_EXISTS = re.compile(
    r"\b(?:none|nowhere|used to be|no sign|one is|is one|(?:got|have|has|see|put) (?:one|any)|n't \w+ (?:one|any))\b"
)
_SEES = re.compile(r"\b(?:see|visible|in view|in sight|find|spot)\b")


def read_presence(turn: TurnText) -> Iterator[Statement]:
    """Kinds that are there or not, also those that the question takes for granted."""
    told = dict(_say_what_is_there(turn))
    for kind in turn.answer.kinds if turn.says_more() else ():
        told.setdefault(kind, False)
    is_read = bool(told) or turn.says_more()
    for kind in turn.question.kinds:
        # A question names what is there: `What is left of the chair?`
        if not re.search(rf"\b(?:any|no) @{re.escape(kind.replace(' ', '_'))}\b", turn.question.text) and is_read:
            told.setdefault(kind, False)
    for kind, denied in told.items():
        yield show(kind, denied)


def _say_what_is_there(turn: TurnText) -> Iterator[tuple[str, bool]]:
    """Kinds that are said to be there or, if True, not to be."""
    if turn.says_more():
        for clause in turn.clauses:
            yield from ((plain_word(kind), True) for kind in re.findall(r"\bno @([^\s@#%=~^*.,;:?!]+)", clause))
        return
    if len(turn.kinds) != 1:
        for clause in turn.clauses:
            denies = len(NEGATES.findall(drop_opening(clause))) % 2 == 1
            for kind in find_things(clause):
                is_open = re.search(rf"\b(?:no|any) @{re.escape(kind.replace(' ', '_'))}\b", clause)
                if is_open or not denies:
                    yield kind, denies
        return
    kind = turn.kinds[0]
    spoken = [one for one in turn.own if _PRESENCE.search(one)]
    spoken = spoken or [one for one in turn.own if NEGATES.search(one)]
    naming = [one for one in spoken if "@" in one or re.search(r"\b(?:one|any|none)\b", one)] or spoken
    # `A piano, since there is none here`: a name alone says nothing beside a sentence.
    naming = [one for one in naming if not re.fullmatch(rf"(?:any )?{THING}", one)] or naming
    asked = turn.question.text
    is_open = re.search(r"\b(?:any|no) @", f"{asked} {turn.answer.text}") or _SEES.search(asked)
    is_open = is_open or any(_EXISTS.search(one) for one in naming)
    is_open = is_open or re.fullmatch(rf"(?:any )?{THING}\s*\??", turn.question.text)
    if naming and is_open:
        absent = {len(NEGATES.findall(drop_opening(one))) % 2 == 1 for one in naming}
        if len(absent) == 1:
            yield kind, absent.pop()
    elif naming and turn.answer.kinds:
        yield kind, False
    elif turn.agrees is not None and is_open:
        yield kind, turn.agrees == _asks_for_absence(turn)


def _asks_for_absence(turn: TurnText) -> bool:
    """Whether who agrees with the question says that something is not there."""
    text = re.sub(
        r"^(?:and |so |but )?\w+ n't\b|\byes or no\b|\bor not\b", "", turn.question.text
    )  # `Isn't there a chair?` asks for one
    if re.search(r", (?:is|are|do|does|have|has|can)(?: n't)? (?:there|it|you|we|they)\b[^@]*$", text):
        return False  # `There is no chair, is there?`: the answer tells of itself
    return len(NEGATES.findall(re.sub(r"\bwrong (?:to|in)\b", "not", text))) % 2 == 1
