"""What a model may add to rows of templates: wrong options that are false, and steps told with nothing lost."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from benchmarks.made_homes import make_home
from instructions.language.model import Message, Reply
from instructions.language.options import LanguageOptions
from instructions.language.requests import Answer
from instructions.programs.asked.polishing import find_difference, read_steps
from instructions.programs.asked.proposing import ProposedOptions, find_proposals, take_proposals
from instructions.programs.asked.rewording import RewordedRows, find_rewordings, reword_rows
from instructions.programs.options import ProgramChoiceOptions, ProgramOptions
from instructions.programs.records import ProgramQuestion
from instructions.programs.steps import say_step
from instructions.programs.writer import write_questions
from tests.support.cases import each_case

CHOICES = ProgramOptions(choice=ProgramChoiceOptions(choices=1.0, rows_per_image=0, rows_per_video=0))
LANGUAGE = LanguageOptions(model="scripted", concurrency=2)
NUMBER = re.compile(r"\d+(?:\.\d+)?")


@pytest.fixture(scope="module")
def rows() -> list[ProgramQuestion]:
    home = make_home(3)
    return list(write_questions(home.scene, home.objects, home.observations, options=CHOICES, exact=True).rows)


def propose(row: ProgramQuestion, *wrong: str | float) -> tuple[ProgramQuestion, Counter[str]]:
    (asked,) = (request for one, request in find_proposals([row], 0) if one is row)
    counts: Counter[str] = Counter()
    return take_proposals(row, Answer(asked, ProposedOptions(wrong=list(wrong)), served_by="m"), counts), counts


def numbers_of(row: ProgramQuestion) -> list[float]:
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
    name_of = {one.object: one.phrase + (f" {one.clause}" if one.clause else "") for one in row.references}
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


STEPS = [(16, 1.23), (-57, 1.21), (0, 0.61), (157, 0.0)]
TRUE = (
    "Turn left by 16 degrees and walk 1.23 meters, then turn right by 57 degrees and walk 1.21 meters, then walk 0.61 "
    "meters, then turn left by 157 degrees.",
    "Swing 16 degrees to the left and go 1.23 meters. Next turn 57 degrees to the right and move on for 1.21 meters; "
    "go on for another 0.61 meters, and finally turn around to the left by 157 degrees.",
    "Begin by rotating 16° left and walk 1.23 m. After that, rotate 57° to the right and proceed 1.21 m, continue "
    "straight for 0.61 m and end with a turn of 157° to the left.",
)
FALSE = {
    "a number": TRUE[0].replace("1.21", "1.12"),
    "a side": TRUE[0].replace("right", "left"),
    "no step": TRUE[0].replace("then walk 0.61 meters, ", ""),
    "another step": TRUE[0].replace("157 degrees.", "157 degrees and walk 1.00 meters."),
    "exchanged": TRUE[0].replace("1.23", "x").replace("1.21", "1.23").replace("x", "1.21"),
    "another unit": TRUE[0].replace("0.61 meters", "0.61 feet"),
    "a thing": TRUE[0].replace("0.61 meters", "0.61 meters past the sofa"),
    "a sum": TRUE[0] + " In all, that is 3.05 meters.",
    "a list": "1. " + TRUE[0],
    "denied": TRUE[0].replace("then walk", "then do not walk"),
    "time turned round": TRUE[0].replace(
        "Turn left by 16 degrees and walk", "Before you turn left by 16 degrees, walk"
    ),
    "a slight turn": TRUE[0].replace("turn right by 57", "bear right by 57"),
    "nothing": "One walks about.",
}


@each_case("name", [*TRUE, *FALSE])
def test_steps_are_read_back_from_other_words_and_other_steps_are_not(name):
    text = FALSE[name] if name in FALSE else name  # noqa: SIM401
    assert (find_difference(text, STEPS) is None) == (text in TRUE)


def test_of_many_walks_every_change_of_one_step_is_found():
    rng = random.Random(0)
    for _ in range(100):
        steps = [(rng.choice([-1, 1]) * rng.randint(20, 150), rng.randint(30, 300) / 100) for _ in range(8)]
        told = [say_step(*step) for step in steps]
        assert read_steps(told) == steps
        assert find_difference("; next, ".join(told) + ".", steps) is None
        at = rng.randrange(7)
        turn, way = steps[at]
        for other in (
            [*steps[:at], (-turn, way), *steps[at + 1 :]],
            [*steps[:at], (turn + 1, way), *steps[at + 1 :]],
            [*steps[:at], (turn, way + 0.01), *steps[at + 1 :]],
            [*steps[:at], *steps[at + 1 :]],
            [*steps[:at], steps[at + 1], steps[at], *steps[at + 2 :]],
        ):
            assert other != steps
            assert find_difference("; next, ".join(say_step(*step) for step in other) + ".", steps) is not None


@dataclass
class Wordsmith:
    """Puts steps into words, and proposes half and twice the right number."""

    honest: bool = True
    asked: list[str] = field(default_factory=list)

    def ask(self, messages: tuple[Message, ...], schema: Any, *, temperature: float | None, seed: int) -> Reply:
        told = json.loads(messages[1].content)
        self.asked.append(messages[1].content)
        if "wrong" in schema.model_fields:
            found = NUMBER.findall(told["right"])
            said: dict[str, Any] = {"wrong": [f"{float(found[0]) * by:.2f}" for by in (0.5, 2.0)] if found else ["x"]}
        else:
            parts = [", ".join(filter(None, (one.get("turn"), one.get("walk")))) for one in told["steps"]]
            text = "; then ".join(
                part.replace(" degrees left", " degrees to the left and go").replace(
                    " degrees right", " degrees to the right and go"
                )
                for part in parts
            )
            text = "; then ".join(f"turn {one}" if "degrees" in one else f"go {one}" for one in text.split("; then "))
            said = {"text": text.replace("go,", "go") + "." if self.honest else text.replace("left", "right")}
        return Reply(json.dumps(said), None, "stop", 10, 10, "smith")


def reword(rows: list[ProgramQuestion], folder, model: Wordsmith) -> RewordedRows:
    return reword_rows(rows, replies=folder, language=LANGUAGE, connect=lambda: model)


def test_a_walk_in_other_words_takes_the_place_of_the_templates(rows, tmp_path):
    (walk,) = (row for row in rows if row.type == "steps")
    model = Wordsmith()
    made = reword(rows, tmp_path, model)
    assert len(made.rows) == len(rows)
    # Views of other places may be asked about in the same words: that is one request.
    assert len(model.asked) == len({(one.messages, one.schema) for one in find_rewordings(rows, 0)})
    (told,) = (row for row in made.rows if row.type == "steps")
    assert told.accepted
    assert told.writer == "llm smith"
    assert told.answer != walk.answer
    assert NUMBER.findall(told.answer) == NUMBER.findall(walk.answer)
    assert replace(told, id="", answer="", writer="", prompt=None, reply=None, template="") == replace(
        walk, id="", answer="", writer="", prompt=None, reply=None, template=""
    )
    assert made.options["taken"] > 0
    assert reword(rows, tmp_path, Wordsmith(honest=False)).rows == made.rows  # kept replies, no server asked


def test_who_tells_another_walk_leaves_the_templates_and_a_rejected_row(rows, tmp_path):
    made = reword(rows, tmp_path, Wordsmith(honest=False))
    walk, rejected = (row for row in made.rows if row.type == "steps")
    assert walk in rows
    assert rejected.rejected_because == "other_steps"
    assert not rejected.accepted
    assert sum(not row.accepted for row in made.rows) == 1
