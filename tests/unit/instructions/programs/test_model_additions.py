"""What a model may add to rows of templates: wrong options that are false."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest

from benchmarks.made_homes import make_home
from instructions.language.model import Message, Reply
from instructions.language.options import LanguageOptions
from instructions.language.requests import Answer
from instructions.programs.asked.proposing import ProposedOptions, find_proposals, propose_options, take_proposals
from instructions.questions.core.options import ProgramChoiceOptions, ProgramOptions
from instructions.questions.core.records import Question
from instructions.questions.writers.sets import write_questions

CHOICES = ProgramOptions(choice=ProgramChoiceOptions(choices=1.0, rows_per_image=0, rows_per_video=0))
LANGUAGE = LanguageOptions(model="scripted", concurrency=2)
NUMBER = re.compile(r"\d+(?:\.\d+)?")


@pytest.fixture(scope="module")
def rows() -> list[Question]:
    home = make_home(3)
    return list(write_questions(home.tour, options=CHOICES).rows)


def propose(row: Question, *wrong: str | float) -> tuple[Question, Counter[str]]:
    (asked,) = (request for one, request in find_proposals([row], 0) if one is row)
    counts: Counter[str] = Counter()
    return take_proposals(row, Answer(asked, ProposedOptions(wrong=list(wrong)), served_by="m"), counts), counts


def numbers_of(row: Question) -> list[float]:
    """As the question prints them."""
    return [float(NUMBER.findall(line)[0]) for line in row.question.splitlines()[1:]]


def test_numbers_that_are_false_take_the_place_of_computed_ones(rows):
    tried = taken = 0
    for row in rows:
        if row.correct is None or row.form != "number" or row.answer_unit == "":
            continue
        truth = float(row.truth)
        made, counts = propose(row, f"{truth * 1.5:.3f}", f"{truth * 0.6:.3f}", truth * 2.6)
        tried += 1
        taken += counts["taken"]
        assert counts["taken"] + counts["refused"] == 3
        before, after = numbers_of(row), numbers_of(made)
        assert made.correct == row.correct
        assert made.answer == row.answer
        assert sum(one < before[row.correct] for one in before) == sum(one < after[row.correct] for one in after)
        assert len(after) == len(before) == len(made.choice_values)
        wrong = [one for at, one in enumerate(after) if at != made.correct]
        for at, one in enumerate(wrong):
            assert all(abs(one - other) >= 0.24 * max(one, other) for other in (*wrong[:at], truth))
        assert (made.id != row.id) == (counts["taken"] > 0) == (made.writer == "llm m")
    assert tried > 10
    assert taken > tried


def test_a_number_that_may_be_true_or_that_nobody_believes_is_refused(subtests, rows):
    row = next(row for row in rows if row.correct is not None and row.form == "number" and row.answer_unit == "m")
    truth = float(row.truth)
    said = {
        "the truth": f"{truth:.2f} meters", "near the truth": truth * 1.2, "far off": truth * 40, "nothing": 0.0,
        "none": "", "not a number": float("nan"), "a range": f"{truth * 1.5:.1f} to {truth * 3:.1f} meters",
        "minus": -truth * 1.5,
    }  # fmt: skip
    for name, lie in said.items():
        with subtests.test(name):
            made, counts = propose(row, lie)
            assert made == row
            assert counts == Counter(refused=1, taken=0)


def test_orders_are_taken_if_they_are_other_orders_of_the_same_things(rows):
    row = next(row for row in rows if row.correct is not None and row.form == "order" and len(row.choices) == 4)
    assert isinstance(row.truth, tuple)
    name_of = {one.object: one.name for one in row.references}
    right = [name_of[one] for one in row.truth]
    said = {tuple(value.split(",")) for value in row.choice_values}
    free = [list(row.truth)[-at:] + list(row.truth)[:-at] for at in range(1, len(right))]
    free = [one for one in free if tuple(one) not in said]
    bad = [", ".join(right), ", ".join(right[:-1]), ", ".join([*right[:-1], right[0]]), ", ".join([*right[:-1], "x"])]
    made, counts = propose(row, *bad, *(", ".join(name_of[one] for one in order) for order in free[:1]))
    assert counts == Counter(refused=4, taken=min(len(free), 1))
    assert made.choice_values[row.correct or 0] == row.choice_values[row.correct or 0]
    assert all(sorted(one.split(",")) == sorted(row.truth) for one in made.choice_values)
    assert len(set(made.choice_values)) == len(set(made.choices)) == 4


class Wordsmith:
    """Proposes half and twice the right number."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def ask(self, messages: tuple[Message, ...], schema: Any, *, temperature: float | None, seed: int) -> Reply:
        told = json.loads(messages[1].content)
        self.asked.append(messages[1].content)
        found = NUMBER.findall(told["right"])
        said = {"wrong": [f"{float(found[0]) * by:.2f}" for by in (0.5, 2.0)] if found else ["x"]}
        return Reply(json.dumps(said), None, "stop", 10, 10, "smith")


def test_options_of_a_model_take_the_place_of_ours_and_nothing_is_asked_twice(rows, tmp_path):
    model = Wordsmith()
    made = propose_options(rows, replies=tmp_path, language=LANGUAGE, connect=lambda: model)
    assert len(made.rows) == len(rows)
    # Views of other places may be asked about in the same words: that is one request.
    assert len(model.asked) == len({(one.messages, one.schema) for _, one in find_proposals(rows, 0)})
    assert made.options["taken"] > 0
    asked = len(model.asked)
    again = propose_options(rows, replies=tmp_path, language=LANGUAGE, connect=lambda: model)
    assert (again.rows, len(model.asked)) == (made.rows, asked)
