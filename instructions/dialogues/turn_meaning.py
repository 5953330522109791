"""What a question and its answer say together, read as things, relations and negations in whatever sentence they stand.

A reading finds for every relation what it is said of and what it is compared with; what the answer leaves out, the
question gives. Content words that no reading accounts for are left over, and told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instructions.dialogues.turn_asked import find_asked
from instructions.dialogues.turn_marks import ASKS_ORDER, FAMILIES, RANKS, mark_text
from instructions.dialogues.turn_presence import read_presence
from instructions.dialogues.turn_relations import RelationReader
from instructions.dialogues.turn_statements import Statement
from instructions.dialogues.turn_text import MARK, TurnText
from instructions.dialogues.turn_values import read_colors, read_counts, read_distances, read_rooms


@dataclass(frozen=True)
class Reading:
    """What a turn says."""

    statements: tuple[Statement, ...]
    leftover: tuple[str, ...]
    """Families of content words that no statement accounts for."""
    asked: frozenset[str] = frozenset()
    """Families of which the question asks for one, so that an answer that tells none of them is not understood."""


def read_turn(question: str, answer: str, kinds: Sequence[str]) -> Reading:
    """The statements of a turn, and what is left over.

    Args:
        question: Of the turn.
        answer: As short, long or winding as people speak.
        kinds: Names of things, in the singular, that may be meant.
    """
    turn = TurnText(mark_text(question, kinds), mark_text(answer, kinds))
    relations = RelationReader(turn)
    found = tuple(dict.fromkeys(_read(turn, relations)))
    told = {one.family for one in found}
    left = (_find_content(turn, relations, bool(found)) - told) | _find_stray_numbers(turn, found)
    return Reading(found, tuple(sorted(left)), find_asked(question, turn.question))


def _read(turn: TurnText, relations: RelationReader) -> Iterator[Statement]:
    """Everything that is said."""
    yield from relations.read()
    yield from read_counts(turn)
    yield from read_colors(turn)
    yield from read_rooms(turn)
    yield from read_distances(turn)
    yield from read_presence(turn)


_IDIOM = re.compile(r"\b(?:of (?:the|these|those)|these|those|in|into|or) %\d+\b(?! @)")
"""Numbers that count nothing: of these two, split in two, a word or two."""
_NUMBER = re.compile(r"([%^])[<>]?=?(\d+(?:\.\d+)?)")


def _find_stray_numbers(turn: TurnText, found: Sequence[Statement]) -> set[str]:
    """Families of numbers that no statement accounts for: `ten times as far`, `is it two chairs? one off`.

    Those of the answer; where it has none and nothing with a number was read, those of the question.
    """
    told = {(one.family, float(one.value)) for one in found if isinstance(one.value, (int, float))}
    answer = set(_NUMBER.findall(_IDIOM.sub("", turn.answer.text)))
    marks = answer or (set() if told else set(_NUMBER.findall(_IDIOM.sub("", turn.question.text))))
    families = {"%": "count", "^": "distance"}
    in_metres = not any(sign == "^" for sign, _ in answer)  # `How many metres is it?` `Two.`
    return {
        families[sign]
        for sign, number in marks
        if (families[sign], float(number)) not in told and not (in_metres and ("distance", float(number)) in told)
    }


def _find_content(turn: TurnText, relations: RelationReader, is_read: bool) -> set[str]:
    """Families of content words that the answer says, or takes over from its question."""
    takes_over = turn.is_bare and (turn.agrees is not None or turn.answer.kinds)
    texts = [turn.answer.text, re.sub(r"(@\S+) =\w+", r"\1", turn.question.text)] if takes_over else [turn.answer.text]
    found: set[str] = set()
    for text in texts:
        marks = [
            one for one in MARK.finditer(text) if not relations.is_edge(text, one) and relations.may_relate(text, one)
        ]
        found |= {FAMILIES[one.group(1)] for one in marks}
        for sign, family in (("=", "colour"), ("~", "room"), ("^", "distance"), ("%", "count")):
            if sign in text and (sign != "%" or "*" in turn.question.text + turn.answer.text):
                found.add(family)
    if takes_over:
        found |= {FAMILIES[mark] for mark, words in RANKS.items() if words.search(turn.question.text)}
    if takes_over and ASKS_ORDER.search(turn.question.text):
        said = (("tall", r"\bheights?\b"), ("near", r"\b(?:distances?|near|far)\b"))
        found |= {family for family, words in said if re.search(words, turn.question.text)}
    is_open = re.search(r"\b(?:any|no) @", turn.question.text) and turn.agrees is not None
    if is_open and not turn.answer.kinds and not found and not is_read:
        found.add("visible")
    return found
