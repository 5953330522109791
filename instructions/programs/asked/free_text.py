"""Composed answers in free text: what the programs compute is the truth, a model judges whether the text says it.

Values are compared by code wherever they can be read. Only a text that no reader of ours takes for a value goes to the
judge, and a judge that errs cannot make a row untrue: the row says what the programs compute, in our words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from instructions.programs.asked.asking import FreeQuestion
from instructions.programs.asked.believing import Outcome
from instructions.programs.asked.wording import find_unit
from instructions.programs.running.values import PlainValue
from instructions.questions.core.types import Form
from instructions.questions.core.world import Value

LEAST_WORDS, MOST_WORDS = 2, 40
_NO_ANSWER = re.compile(r"(?i)\b(unable|unknown|invalid|not found|cannot|can't|no idea|not sure)\b")


def is_free_text(said: str) -> bool:
    """Whether an answer is a text that may say something: some words, and none that refuse to answer."""
    words = re.findall(r"[^\W\d_]+", said)
    return LEAST_WORDS <= len(words) <= MOST_WORDS and _NO_ANSWER.search(said) is None


def settle_form(question: FreeQuestion, outcomes: Sequence[Outcome]) -> FreeQuestion | None:
    """The question with the form and value of what its programs computed; None where they have no form in common.

    Args:
        question: Of form `text`.
        outcomes: Of its programs.
    """
    ids = {question.names[one].text.casefold(): one for one in question.truth.things}
    found = [value for one in outcomes if one.raw is not None and (value := _read(one.raw, ids)) is not None]
    if not found or len({form for form, _ in found}) > 1:
        return None
    form, value = found[0]
    unit = find_unit(str(question.truth.value)) if form == "number" else ""  # a length in the question may be a bound
    if form == "number" and not unit and value != round(float(str(value))):
        return None  # how many times as much: nothing of ours says it
    kind = replace(question.truth.kind, form=form, unit=unit)
    return replace(question, truth=replace(question.truth, kind=kind, value=value))


def _read(raw: PlainValue, ids: Mapping[str, str]) -> tuple[Form, Value] | None:
    if isinstance(raw, bool):
        return "yes_no", raw
    if isinstance(raw, int | float):
        return "number", float(raw)
    if isinstance(raw, str) and raw.strip().casefold() in ids:
        return "thing", ids[raw.strip().casefold()]
    if isinstance(raw, list) and raw and all(isinstance(one, str) and one.strip().casefold() in ids for one in raw):
        listed = tuple(ids[str(one).strip().casefold()] for one in raw)
        return ("order", listed) if len(set(listed)) == len(listed) else None
    return None
