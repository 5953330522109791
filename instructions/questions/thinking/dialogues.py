"""Talks from templates: a puzzle, the measures it takes one by one, and the answer that follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from instructions.asking.draws import Draw
from instructions.facts import sizes
from instructions.facts.measured import Measured
from instructions.questions.core.asker import Asker
from instructions.questions.thinking.puzzles import Solved
from instructions.questions.thinking.records import Turn
from instructions.questions.wording.words import templates_of
from instructions.wording.english import fill

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
        reply = f"{say_sides(values) if measure == 'sides' else say_metres(values[0])}."
        about = tuple(self.solved.things[place].id for place in places)
        return Turn(ask, reply, tuple(Measured(measure, value, "m", 0.0) for value in values), about)

    def _measure(self, name: str, places: Sequence[int]) -> list[float] | None:
        """Lengths; None for what has none."""
        viewer, floor_z = self.asker.view.viewer, self.asker.view.model.floor_z
        things = [self.solved.things[place] for place in places]
        is_upright = self.asker.is_upright
        if len(things) == 1:
            one = things[0].body
            single = {
                "sides": lambda: sorted((2 * one.half).tolist()),
                "height": lambda: [sizes.height(one)] if is_upright else None,
                "width": lambda: [sizes.width(one, viewer)],
                "elevation": lambda: None if floor_z is None else [sizes.elevation(one, floor_z)],
                "camera_distance": lambda: [sizes.camera_distance(one, viewer)],
            }
            return single[name]() if name in single else None
        if len(things) != 2:
            return None
        pair = self.asker.pairs.of(things[0], things[1])
        double = {
            "distance": lambda: [pair.distance],
            "gap": lambda: [pair.gap],
            "passage": lambda: [pair.passage] if is_upright else None,
            "horizontal_distance": lambda: [pair.horizontal] if is_upright else None,
            "vertical_distance": lambda: [abs(pair.vertical)] if is_upright else None,
        }
        return double[name]() if name in double else None


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
        words = say_sides(values) if kind == "sides" else say_metres(values[0])
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
        return f"{phrases[place][:1].upper()}{phrases[place][1:]}.", solved.things[place].id, phrases
    return ("Yes." if solved.verdict else "No."), ("yes" if solved.verdict else "no"), ("yes", "no")


def say_metres(value: float) -> str:
    """A length as the friend gives it: two decimals."""
    return f"{value:.2f} meters"


def say_sides(values: Sequence[float]) -> str:
    """Three sides, short to long."""
    return " by ".join(f"{value:.2f}" for value in sorted(values)) + " meters"


def _things(solved: Solved) -> dict[str, tuple[str, bool]]:
    return {slot: (one.text, one.plural) for slot, one in zip("ABC", solved.names, strict=False)}


def _given(solved: Solved) -> dict[str, str]:
    return {} if solved.given_m is None else {"w": f"{100 * solved.given_m:.0f} cm"}
