"""Talks from templates: a puzzle, the measures it takes one by one, and the answer that follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from instructions.asking.draws import Draw
from instructions.asking.rounding import say_exactly
from instructions.facts.measured import Measured
from instructions.questions.thinking.puzzles import Solved
from instructions.questions.thinking.records import Turn
from instructions.questions.wording.words import templates_of
from instructions.wording.english import capital, fill


@dataclass(frozen=True)
class Talk:
    """A talk in words."""

    question: str
    turns: tuple[Turn, ...]
    conclusion: str
    answer: str
    truth: str
    choices: tuple[str, ...]
    template: str


def compose_talk(solved: Solved, draw: Draw) -> Talk:
    """The whole talk from templates."""
    own = templates_of(solved.puzzle)
    place = draw.shorter(own["questions"])
    question = fill(own["questions"][place], _things(solved), _given(solved))
    asks = templates_of("asks")
    turns, said = [], []
    for kind, places, values in solved.asks:
        lists = asks[kind]
        things = {slot: _things(solved)["ABC"[place]] for slot, place in zip("AB", places, strict=False)}
        ask = fill(lists[draw.shorter(lists)], things, {})
        words = say_sides(values) if kind == "sides" else say_exactly(values[0]).text
        said.append(words)
        replies = asks["reply_sides" if kind == "sides" else "reply_length"]
        slot = "s" if kind == "sides" else "x"
        reply = fill(replies[draw.shorter(replies)], {}, {slot: words})
        measured = tuple(Measured(kind, value, "m", 0.0) for value in values)
        turns.append(Turn(ask, reply, measured, tuple(solved.things[place].id for place in places)))
    things, words = _things(solved), _given(solved)
    slots = "st" if solved.puzzle == "fits_into" else "xyz"
    words |= dict(zip(slots, said, strict=False))
    if solved.puzzle == "nearest":
        key = "won"
        things["W"] = things["ABC"[int(solved.verdict)]]
    else:
        key = "yes" if solved.verdict else "no"
    conclusion = fill(own[key][draw.shorter(own[key])], things, words)
    answer, truth, choices = tell_answer(solved)
    return Talk(question, tuple(turns), conclusion, answer, truth, choices, f"{solved.puzzle}/questions/{place}")


def tell_answer(solved: Solved) -> tuple[str, str, tuple[str, ...]]:
    """The answer in words, the truth, and what may be answered."""
    if solved.puzzle == "nearest":
        place = int(solved.verdict)
        phrases = tuple(one.text for one in solved.names)
        return f"{capital(phrases[place])}.", solved.things[place].id, phrases
    return ("Yes." if solved.verdict else "No."), ("yes" if solved.verdict else "no"), ("yes", "no")


def say_sides(values: Sequence[float]) -> str:
    """Three sides, short to long."""
    return " by ".join(f"{value:.2f}" for value in sorted(values)) + " meters"


def _things(solved: Solved) -> dict[str, tuple[str, bool]]:
    return {slot: (one.text, one.plural) for slot, one in zip("ABC", solved.names, strict=False)}


def _given(solved: Solved) -> dict[str, str]:
    return {} if solved.given_m is None else {"w": f"{100 * solved.given_m:.0f} cm"}
