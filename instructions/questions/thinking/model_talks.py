"""Talks of a language model with the friend: it sees the question only, asks, and answers; all talks side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from instructions.asking.answers import read_choice, read_yes_no
from instructions.language import prompts
from instructions.language.budget import Usage, sum_usage
from instructions.language.model import Message, TextModel
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.language.quoting import clean
from instructions.language.requests import Request
from instructions.language.runner import ask_all
from instructions.questions.thinking.dialogues import Friend
from instructions.questions.thinking.records import MOST_TURNS, Turn

TALK_FAULTS = {
    "wrong_answer": "the answer is not what the measures give",
    "too_many_turns": f"no answer after {MOST_TURNS} questions to the friend",
    "guessed": "it answered without one measure",
}
"""Codes of rejected talks."""
_MOST_CHARS = 240
_TOKENS = 40


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
    rejection: str | None = None
    is_open: bool = False
    """A move of the model is missing."""
    reply_key: str | None = None
    served_by: str = ""
    prompt: str = ""


Game = tuple[str, Friend, tuple[str, str, tuple[str, ...]]]
"""Question, friend, and the answer in words, the truth, and what may be answered."""


def first_request(question: str, seed: int, number: int = 0) -> Request[AskOrAnswer]:
    """What is asked first about a puzzle."""
    prompt = prompts.load("instructions.questions", "thinking")
    messages = (Message("system", prompt.text), Message("user", f"The question: {question}"))
    return Request(f"puzzle {number}", messages, AskOrAnswer, seed=seed, likely_tokens=_TOKENS)


def play(
    games: Sequence[Game],
    *,
    replies: Path,
    options: LanguageOptions,
    connect: Callable[[], TextModel],
    seed: int = 0,
) -> tuple[list[Played], Usage, OpenQuestions]:
    """Play all puzzles side by side, one move of each at a time.

    Raises:
        InstructionError: If the server cannot be used.
    """
    label = prompts.load("instructions.questions", "thinking").label
    requests = [first_request(question, seed, number) for number, (question, _, _) in enumerate(games)]
    state = [Played(prompt=label, served_by=options.model) for _ in games]
    going = list(range(len(games)))
    usage, left_open = Usage(), OpenQuestions()
    for _ in range(MOST_TURNS + 1):
        if not going:
            break
        told = ask_all([requests[place] for place in going], connect, replies, options)
        usage, left_open = sum_usage(usage, told.usage), left_open + told.open
        still = []
        for place, answer in zip(going, told.answers, strict=True):
            now = replace(state[place], reply_key=answer.reply_key, served_by=answer.served_by or options.model)
            _, friend, (_, truth, choices) = games[place]
            if answer.value is None:
                state[place] = replace(now, is_open=True)
            elif answer.value.answer:
                state[place] = _judge(replace(now, answer=answer.value.answer), friend, truth, choices)
            else:
                turn = friend.answer(answer.value.ask or "", answer.value.measure, answer.value.of)
                state[place] = replace(now, turns=(*now.turns, turn))
                requests[place] = _go_on(requests[place], answer.value, turn)
                still.append(place)
        going = still
    for place in going:
        fault = TALK_FAULTS["too_many_turns"]
        state[place] = replace(state[place], rejected_because="too_many_turns", rejection=fault)
    return state, usage, left_open


def _judge(game: Played, friend: Friend, truth: str, choices: tuple[str, ...]) -> Played:
    """Keep a talk whose answer is the truth and rests on a measure."""
    if choices == ("yes", "no"):
        is_right = read_yes_no(game.answer) is (truth == "yes")
    else:
        place = read_choice(game.answer, choices)
        is_right = place is not None and friend.solved.things[place].id == truth
    code = None if is_right else "wrong_answer"
    if code is None and not any(turn.measured for turn in game.turns):
        code = "guessed"
    return game if code is None else replace(game, rejected_because=code, rejection=TALK_FAULTS[code])


def _go_on(request: Request[AskOrAnswer], said: AskOrAnswer, turn: Turn) -> Request[AskOrAnswer]:
    mine = Message("assistant", said.model_dump_json(exclude_none=True, exclude_defaults=True))
    return replace(request, messages=(*request.messages, mine, Message("user", f"Your friend: {turn.reply}")))
