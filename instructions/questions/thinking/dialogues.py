"""Talks from templates: a puzzle, the measures it takes one by one, and the answer that follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from instructions.asking.draws import Draw
from instructions.asking.rounding import say_exactly
from instructions.facts.measured import Measured
from instructions.questions.core.asker import Asker
from instructions.questions.things.lengths import MEASURES
from instructions.questions.things.registry import THING_TYPES
from instructions.questions.thinking.puzzles import Solved
from instructions.questions.thinking.records import Turn
from instructions.questions.wording.words import templates_of
from instructions.wording.english import capital, fill

CANNOT = "I cannot measure that. Ask me for one distance, height or width of the things by their names."


@dataclass(frozen=True, eq=False)
class Friend:
    """Of one view and the things of one puzzle."""

    asker: Asker
    solved: Solved

    def answer(self, ask: str, measure: str, of: Sequence[str]) -> Turn:
        """Measure what is asked, if it can be measured.

        Args:
            ask: The question in words.
            measure: What is measured: a type of question for a length, or `sides`.
            of: The things, by their names.
        """
        names = [one.text.casefold() for one in self.solved.names]
        places = [names.index(one.casefold()) for one in of if one.casefold() in names]
        values = self._measure(measure, places) if len(places) == len(of) else None
        if values is None:
            return Turn(ask, CANNOT, ())
        reply = f"{say_sides(values) if measure == 'sides' else say_exactly(values[0]).text}."
        about = tuple(self.solved.things[place].id for place in places)
        return Turn(ask, reply, tuple(Measured(measure, value, "m", 0.0) for value in values), about)

    def _measure(self, name: str, places: Sequence[int]) -> list[float] | None:
        """Lengths; None for what has none."""
        things = [self.solved.things[place] for place in places]
        if name == "sides" and len(things) == 1:
            return sorted((2 * things[0].body.half).tolist())
        kind = THING_TYPES.get(name)
        if kind is None or name not in MEASURES or kind.objects != len(things):
            return None
        if name == "elevation":
            is_known = self.asker.view.model.floor_z is not None
        else:
            is_known = self.asker.is_upright or not kind.upright
        return [MEASURES[name](self.asker, *things)] if is_known else None


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


def compose_question(solved: Solved, draw: Draw) -> tuple[str, str]:
    """The puzzle in words, and the name of its template."""
    lists = templates_of(solved.puzzle)
    place = draw.shorter(lists["questions"])
    return fill(lists["questions"][place], _things(solved), _given(solved)), f"{solved.puzzle}/questions/{place}"


def compose_talk(solved: Solved, draw: Draw) -> Talk:
    """The whole talk from templates."""
    question, template = compose_question(solved, draw)
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
    lists = templates_of(solved.puzzle)
    things, words = _things(solved), _given(solved)
    slots = "st" if solved.puzzle == "fits_into" else "xyz"
    words |= dict(zip(slots, said, strict=False))
    if solved.puzzle == "nearest":
        key = "won"
        things["W"] = things["ABC"[int(solved.verdict)]]
    else:
        key = "yes" if solved.verdict else "no"
    conclusion = fill(lists[key][draw.shorter(lists[key])], things, words)
    answer, truth, choices = tell_answer(solved)
    return Talk(question, tuple(turns), conclusion, answer, truth, choices, template)


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
