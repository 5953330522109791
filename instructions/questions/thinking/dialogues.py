"""Talks about puzzles with a friend who measures: from templates, and of a model, which sees the question only.

Of templates: a puzzle, the measures it takes one by one, and the answer that follows. A model asks, and answers; all
talks go side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from instructions.asking.answers import read_choice, read_yes_no
from instructions.asking.draws import Draw
from instructions.asking.rounding import say_exactly
from instructions.facts.verdict import Measured
from instructions.language import prompts
from instructions.language.budget import Usage, sum_usage
from instructions.language.model import Message, TextModel
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.language.quoting import clean
from instructions.language.requests import Request
from instructions.language.runner import ask_all
from instructions.questions.core.asker import Asker
from instructions.questions.core.records import MOST_TURNS, Turn
from instructions.questions.things.lengths import MEASURES
from instructions.questions.things.registry import THING_TYPES
from instructions.questions.thinking.puzzles import Solved
from instructions.questions.wording.templates import templates_of
from instructions.wording.english import capital, fill

CANNOT = "I cannot measure that. Ask me for one distance, height or width of the things by their names."
TALK_FAULTS = {
    "wrong_answer": "the answer is not what the measures give",
    "too_many_turns": f"no answer after {MOST_TURNS} questions to the friend",
    "guessed": "it answered without one measure",
}
"""Codes of rejected talks."""
_MOST_CHARS = 240
_TOKENS = 40


@dataclass(frozen=True, eq=False)
class Posed:
    """A puzzle of a view that is asked, and the friend who measures."""

    asker: Asker
    solved: Solved
    draw: Draw

    def answer(self, ask: str, measure: str, of: Sequence[str]) -> Turn:
        """Measure what is asked (a type of question for a length, or `sides`) of the things of these names, if it can
        be.
        """
        names = [name.text.casefold() for name in self.solved.names]
        places = [names.index(one.casefold()) for one in of if one.casefold() in names]
        values = self._measure(measure, places) if len(places) == len(of) else None
        if values is None:
            return Turn(ask, CANNOT, ())
        reply = f"{_say(measure, values)}."
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

    def compose_question(self) -> tuple[str, str]:
        """The puzzle in words, and the name of its template."""
        puzzle = self.solved.puzzle
        texts = templates_of(puzzle)["questions"]
        place = self.draw.shorter(texts)
        return fill(texts[place], _things(self.solved), _given(self.solved)), f"{puzzle}/questions/{place}"

    def compose_talk(self) -> dict[str, Any]:
        """The whole talk from templates: fields of `ThinkingTalk`."""
        solved, draw = self.solved, self.draw
        question, template = self.compose_question()
        things, asks, said, turns = _things(solved), templates_of("asks"), [], []
        for kind, places, values in solved.asks:
            slots = {slot: things["ABC"[place]] for slot, place in zip("AB", places, strict=False)}
            ask = fill(asks[kind][draw.shorter(asks[kind])], slots, {})
            slot, key = ("s", "reply_sides") if kind == "sides" else ("x", "reply_length")
            said.append(_say(kind, values))
            reply = fill(asks[key][draw.shorter(asks[key])], {}, {slot: said[-1]})
            measured = tuple(Measured(kind, value, "m", 0.0) for value in values)
            turns.append(Turn(ask, reply, measured, tuple(solved.things[place].id for place in places)))
        words = _given(solved) | dict(zip("st" if solved.puzzle == "fits_into" else "xyz", said, strict=False))
        key, answer = solved.truth, solved.truth
        if solved.winner is not None:
            key, answer, things["W"] = "won", solved.names[solved.winner].text, things["ABC"[solved.winner]]
        texts = templates_of(solved.puzzle)[key]
        conclusion = fill(texts[draw.shorter(texts)], things, words)
        return {
            "question": question,
            "turns": tuple(turns),
            "conclusion": conclusion,
            "answer": f"{capital(answer)}.",
            "template": template,
        }


def _say(kind: str, values: Sequence[float]) -> str:
    """A length, or three sides from short to long."""
    if kind == "sides":
        return " by ".join(f"{value:.2f}" for value in sorted(values)) + " meters"
    return say_exactly(values[0]).text


def _things(solved: Solved) -> dict[str, tuple[str, bool]]:
    return {slot: (one.text, one.plural) for slot, one in zip("ABC", solved.names, strict=False)}


def _given(solved: Solved) -> dict[str, str]:
    return {} if solved.given_m is None else {"w": f"{100 * solved.given_m:.0f} cm"}


def _one_line(text: str | None) -> str | None:
    return None if text is None else clean(text, _MOST_CHARS)


class AskOrAnswer(BaseModel):
    """One move: a question to the friend, or the answer."""

    model_config = ConfigDict(extra="forbid")
    ask: Annotated[str | None, AfterValidator(_one_line)] = None
    measure: str = Field(default="", max_length=40)
    of: list[str] = Field(default=[], max_length=4)
    answer: Annotated[str | None, AfterValidator(_one_line)] = None

    @model_validator(mode="after")
    def _one_of_them(self) -> AskOrAnswer:
        if bool(self.ask) == bool(self.answer):
            raise ValueError('give either "ask" or "answer"')
        return self


@dataclass(frozen=True)
class Played:
    """What became of a puzzle."""

    turns: tuple[Turn, ...] = ()
    answer: str = ""
    rejected_because: str | None = None
    is_open: bool = False
    """A move of the model is missing."""
    reply_key: str | None = None
    served_by: str = ""


def first_request(question: str, seed: int, number: int = 0) -> Request[AskOrAnswer]:
    """What is asked first about a puzzle."""
    prompt = prompts.load("instructions.questions", "thinking")
    messages = (Message("system", prompt.text), Message("user", f"The question: {question}"))
    return Request(f"puzzle {number}", messages, AskOrAnswer, seed=seed, likely_tokens=_TOKENS)


def play(
    posed: Sequence[Posed],
    questions: Sequence[str],
    *,
    replies: Path,
    options: LanguageOptions,
    connect: Callable[[], TextModel],
    seed: int = 0,
) -> tuple[list[Played], Usage, OpenQuestions]:
    """Play all puzzles, each with its question, side by side, one move of each at a time.

    Raises:
        InstructionError: If the server cannot be used.
    """
    requests = [first_request(question, seed, number) for number, question in enumerate(questions)]
    state = [Played(served_by=options.model) for _ in posed]
    going = list(range(len(posed)))
    usage, left_open = Usage(), OpenQuestions()
    for _ in range(MOST_TURNS + 1):
        if not going:
            break
        told = ask_all([requests[place] for place in going], connect, replies, options)
        usage, left_open = sum_usage(usage, told.usage), left_open + told.open
        still = []
        for place, answer in zip(going, told.answers, strict=True):
            now = replace(state[place], reply_key=answer.reply_key, served_by=answer.served_by or options.model)
            if answer.value is None:
                state[place] = replace(now, is_open=True)
            elif answer.value.answer:
                state[place] = _judge(replace(now, answer=answer.value.answer), posed[place].solved)
            else:
                turn = posed[place].answer(answer.value.ask or "", answer.value.measure, answer.value.of)
                state[place] = replace(now, turns=(*now.turns, turn))
                mine = Message("assistant", answer.value.model_dump_json(exclude_none=True, exclude_defaults=True))
                messages = (*requests[place].messages, mine, Message("user", f"Your friend: {turn.reply}"))
                requests[place] = replace(requests[place], messages=messages)
                still.append(place)
        going = still
    for place in going:
        state[place] = replace(state[place], rejected_because="too_many_turns")
    return state, usage, left_open


def _judge(game: Played, solved: Solved) -> Played:
    """Keep a talk whose answer is the truth and rests on a measure."""
    if solved.winner is None:
        is_right = read_yes_no(game.answer) is solved.verdict
    else:
        is_right = read_choice(game.answer, solved.choices) == solved.winner
    if not is_right:
        return replace(game, rejected_because="wrong_answer")
    return game if any(turn.measured for turn in game.turns) else replace(game, rejected_because="guessed")
