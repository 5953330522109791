"""Wrong options that a language model proposes: each takes a computed one's place only if it is computed to be false.

A proposal stands on the side of the truth on which the option stood that it replaces, and the right option keeps its
letter: so neither rank nor letter tells more than before.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from instructions.asking.answers import read_number
from instructions.language.budget import Usage
from instructions.language.model import Message, TextModel
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.language.prompts import load
from instructions.language.quoting import clean
from instructions.language.requests import Answer, Request
from instructions.language.runner import ask_all
from instructions.questions.core.records import Question
from instructions.questions.wording.choices import LEAST_SHARE, LEAST_SIGMAS
from instructions.questions.wording.words import UNIT_WORDS, list_options, say_number
from instructions.rows import row_id
from instructions.wording.english import join_list

MOST_TIMES = 4.0
"""A wrong number is at most so many times the truth, and no smaller than the truth by more: nobody believes others."""
FORMS = ("number", "order")
"""Forms whose wrong options are free to choose: labels and candidates are told by the question."""


class ProposedOptions(BaseModel):
    """A reply."""

    model_config = ConfigDict(extra="ignore")

    wrong: list[str | float] = Field(min_length=1, max_length=8)


def find_proposals(rows: Iterable[Question], seed: int) -> list[tuple[Question, Request[ProposedOptions]]]:
    """The multiple choices for which a model may propose options, with the requests."""
    prompt = load("instructions.programs", "propose_options")
    out = []
    for row in rows:
        if not row.is_choice or row.form not in FORMS or row.writer != "embedded":
            continue
        told = {
            "question": row.question.partition("\n")[0],
            "right": row.choices[row.correct or 0],
            "names": [one.name for one in row.references if _is_option(row, one.object)],
            "form": f"a number in {UNIT_WORDS[row.answer_unit]}"
            if row.answer_unit
            else ("a whole number" if row.form == "number" else "an order of all the names"),
            "number_of_options": len(row.choices) - 1,
        }
        messages = (Message("system", prompt.text), Message("user", json.dumps(told, ensure_ascii=False)))
        out.append((row, Request(f"programs/{row.id}/options", messages, ProposedOptions, seed=seed, likely_tokens=60)))
    return out


def take_proposals(row: Question, answer: Answer[ProposedOptions], counts: Counter[str]) -> Question:
    """The row with proposed options in the place of computed ones; the same row where none can be used.

    Args:
        row: A multiple choice.
        answer: What the model replied.
        counts: Filled with `taken` and `refused`.
    """
    if answer.value is None:
        return row
    values = list(row.choice_values)
    proposed = [_read(row, one) for one in answer.value.wrong]
    taken = 0
    for value in proposed:
        place = None if value is None else _find_place(row, values, value)
        if place is None or value is None:
            counts["refused"] += 1
        else:
            values[place] = value
            taken += 1
    counts["taken"] += taken
    if not taken:
        return row
    choices = tuple(_say(row, value) for value in values)
    choices = tuple(row.choices[at] if at == row.correct else one for at, one in enumerate(choices))
    question = row.question.partition("\n")[0] + list_options(choices)
    return replace(
        row,
        id=f"{row.id.rpartition('_p')[0]}_p{row_id(row.id, 'options', question)}",
        question=question,
        choices=choices,
        choice_values=tuple(values),
        writer=f"llm {answer.served_by or ''}".strip(),
        prompt=load("instructions.programs", "propose_options").label,
        reply=answer.reply_key,
    )


def _is_option(row: Question, thing: str) -> bool:
    """Whether a thing of a question is one of those to be put in order; all are things of a question for a number."""
    return not isinstance(row.truth, tuple) or thing in row.truth


def _find_place(row: Question, values: Sequence[str], value: str) -> int | None:
    """Where a proposal may stand: none for what is true, too near, or on the list already."""
    if value in values:
        return None
    places = [at for at, one in enumerate(values) if at != row.correct and one in row.choice_values]
    if row.form == "order":
        return places[0] if places else None
    truth, said = float(str(row.truth)), float(value)
    sigma = row.measured.sigma if row.measured else 0.0
    if not truth / MOST_TIMES <= said <= truth * MOST_TIMES or abs(said - truth) < LEAST_SIGMAS * sigma:
        return None
    for at in places:
        others = [float(one) for other, one in enumerate(values) if other != at]
        same_side = (float(values[at]) > truth) == (said > truth)
        if same_side and all(abs(said - one) >= LEAST_SHARE * max(said, one) for one in others):
            return at
    return None


def _read(row: Question, proposed: str | float) -> str | None:
    """A proposal as the values of options are written; None for what is no option of this row."""
    text = clean(str(proposed), 300)
    if row.form == "order":
        ids = {one.name.casefold(): one.object for one in row.references}
        named = [ids.get(part.strip().removeprefix("then ").casefold()) for part in text.split(",")]
        order = [one for one in named if one is not None]
        wanted = sorted(row.truth) if isinstance(row.truth, tuple) else []
        return ",".join(order) if sorted(order) == wanted and len(order) == len(named) else None
    number = read_number(text, row.answer_unit or "count")
    if number is None or number.is_range or not isfinite(number.value) or number.value <= 0:
        return None
    if row.answer_unit == "":
        return str(round(number.value)) if number.value == round(number.value) else None
    return f"{number.value:.6g}"


def _say(row: Question, value: str) -> str:
    if row.form == "order":
        return join_list([row.phrase_of(one) for one in value.split(",")], last="then")
    return say_number(float(value), row.answer_unit, row.measured.sigma if row.measured else 0.0)


@dataclass(frozen=True)
class Proposed:
    """All rows of a tour, those that a model touched in the place of what they were."""

    rows: tuple[Question, ...]
    usage: Usage
    open: OpenQuestions
    options: Mapping[str, int]
    """Proposed options `taken` and `refused`."""


def propose_options(
    rows: Sequence[Question],
    *,
    replies: Path,
    language: LanguageOptions,
    connect: Callable[[], TextModel],
    seed: int = 0,
) -> Proposed:
    """Have a language model propose wrong options for the rows of one tour; the rest is as for `reword`.

    Raises:
        InstructionError: If the server cannot be used. Replies so far are kept.
    """
    found = find_proposals(rows, seed)
    told = ask_all([request for _, request in found], connect, replies, language)
    options: Counter[str] = Counter()
    changed = {
        row.id: take_proposals(row, answer, options) for (row, _), answer in zip(found, told.answers, strict=True)
    }
    made = tuple(changed.get(row.id, row) for row in rows)
    return Proposed(made, told.usage, told.open, dict(sorted(options.items())))
