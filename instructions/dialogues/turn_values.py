"""Numbers, colours, rooms and distances that a turn tells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from instructions.dialogues.turn_marks import OF_ITSELF
from instructions.dialogues.turn_statements import Statement, bound_count, bound_distance, count, paint
from instructions.dialogues.turn_text import THING, TurnText, denies, plain_word
from instructions.wording.english import with_article

_RELATED_NUMBERS: tuple[tuple[re.Pattern[str], Callable[[int], int]], ...] = (
    (re.compile(r"\b(?:twice|double)(?: as many| that)?\b"), lambda number: 2 * number),
    (re.compile(r"\b(?:one (?:more|too few)|another(?: one)?)\b"), lambda number: number + 1),
    (re.compile(r"\bone (?:fewer|less|too many)\b"), lambda number: max(number - 1, 0)),
)
"""What a number is that is told by the one of the question."""


def read_counts(turn: TurnText) -> Iterator[Statement]:
    """How many there are of a kind: exactly, or a bound."""
    asked = re.findall(rf"{THING[:-3]}\*", turn.question.text)
    told = re.findall(r"%([<>]=?)?(\d+) @([^\s*.,;:?!]+)\*", turn.answer.text)
    for bound, number, kind in told:
        yield bound_count(bound, int(number), plain_word(kind)) if bound else count(int(number), plain_word(kind))
    is_any = re.search(r"\bany @", turn.question.text)
    singular = (
        list(turn.kinds) if is_any and re.search(r"%\S+ (?:of (?:them|those|these)|such)\b", turn.answer.text) else []
    )
    asked = asked or singular
    if told or not asked or len(set(asked)) != 1:
        return
    kind = plain_word(asked[0])
    bounds = set(re.findall(r"%([<>]=?)(\d+)", _tell_of_asked(turn, turn.answer.text)))
    if len(bounds) == 1:
        ((bound, number),) = bounds
        yield bound_count(bound, int(number), kind)
        return
    said = _tell_of_asked(turn, turn.answer.text)
    numbers = {int(one) for one in re.findall(r"(?<!not )(?<!n't )%(\d+)", said)}
    if not numbers and re.search(r"\b(?:just|only|exactly|a single) one\b|^one\b(?! of\b)", turn.answer.text):
        numbers = {1}
    elif not numbers and re.search(
        r"^(?:none|zero|nil)\b|\b(?:not a single one|none (?:at all|whatsoever))\b", turn.answer.text
    ):
        numbers = {0}
    if len(numbers) == 1:
        yield count(numbers.pop(), kind)
    elif not numbers and turn.agrees is not None:
        numbers = {int(one) for one in re.findall(r"(?<!than )%(\d+)", turn.question.text)}
        bounds = set(re.findall(r"%([<>]=?)(\d+)", turn.question.text))
        if len(numbers) + len(bounds) == 1:
            made = count(numbers.pop(), kind) if numbers else bound_count(*_bound(*bounds), kind)
            yield replace(made, denied=not turn.agrees)


def read_colors(turn: TurnText) -> Iterator[Statement]:
    """The colours of things."""
    for kind, color in re.findall(rf"{THING} =(\w+)", turn.answer.text):
        yield paint(plain_word(kind), color)
    if len(turn.kinds) != 1 or re.search(r"@\S+ =", turn.answer.text):
        return
    told = {}
    for clause in turn.clauses:
        for color in re.finditer(r"(?<!than )=(\w+)", clause):
            told[color.group(1)] = denies(clause[: color.start()])
    asked = set(re.findall(r"=(\w+)", turn.question.text))
    if not told and len(asked) == 1 and turn.agrees is not None and turn.is_bare:
        told = {asked.pop(): not turn.agrees}
    for color, denied in told.items():
        yield paint(turn.kinds[0], color, denied)


def read_rooms(turn: TurnText) -> Iterator[Statement]:
    """The room that it is."""
    told = {}
    for clause in turn.clauses:
        for room in re.finditer(r"~(\w+)", clause):
            told[room.group(1)] = denies(clause[: room.start()])
    asked = set(re.findall(r"~(\w+)", turn.question.text))
    if not told and len(asked) == 1 and turn.agrees is not None and turn.is_bare and not turn.kinds:
        told = {asked.pop(): not turn.agrees}
    for room, denied in told.items():
        name = plain_word(room)
        yield Statement("room", f"This is {with_article(name)}.", denied, value=name)


def read_distances(turn: TurnText) -> Iterator[Statement]:
    """How far away a thing is: about, or a bound."""
    if OF_ITSELF.search(turn.answer.text):
        return  # which of several lengths is the distance?
    said = _tell_of_asked(turn, turn.answer.text)
    bounds = set(re.findall(r"\^([<>]=?)([\d.]*\d)", said))
    takes_over = "^" not in said and "%" not in said and turn.agrees is not None
    asked = set(re.findall(r"\^([<>]=?)([\d.]*\d)", turn.question.text)) if takes_over else set()
    if len(turn.kinds) == 1 and len(bounds | asked) == 1:
        ((bound, metres),) = bounds | asked
        made = bound_distance(bound, float(metres), turn.kinds[0])
        yield replace(made, denied=bool(asked) and not turn.agrees)
        return
    lengths = set(re.findall(r"\^([\d.]+)(?<!\.)", said))
    if not lengths and "^" not in turn.answer.text and re.search(r"\bmet(?:re|er)s?\b", turn.question.text):
        lengths = set(re.findall(r"%(\d+)", turn.answer.text))
    agreed = set(re.findall(r"\^([\d.]*\d)", turn.question.text)) if takes_over and not lengths else set()
    of_itself = re.search(r"\b(?:tall|high|wide|long|deep(?! in\b)|height|width|length|apart)\b", turn.question.text)
    if of_itself and not re.search(r"\b(?:to|reach|between) @", turn.question.text):
        return
    if len(turn.kinds) == 1 and len(lengths | agreed) == 1:
        kind, metres = turn.kinds[0], (lengths | agreed).pop()
        text = f"The {kind} is about {metres} metres away."
        yield Statement("distance", text, bool(agreed) and not turn.agrees, things=(kind,), value=float(metres))


def _tell_of_asked(turn: TurnText, text: str) -> str:
    """`More than that` with the one number of the question in place of `that`."""
    number = set(re.findall(r"[%^][<>]?=?([\d.]*\d)", turn.question.text))
    sign = "^" if "^" in turn.question.text else "%"
    if len(number) != 1:
        return text
    amount = number.pop()
    if sign == "%":
        for words, other in _RELATED_NUMBERS:
            text = words.sub(lambda one, other=other: f"%{other(int(amount))}", text)
    text = re.sub(r"\b(?:more|further|farther) than (?:that|this)\b", f"{sign}>{amount}", text)
    return re.sub(r"\b(?:less|fewer|nearer|closer) than (?:that|this)\b", f"{sign}<{amount}", text)


def _bound(told: tuple[str, str]) -> tuple[str, int]:
    return told[0], int(told[1])
