"""What a language model words is kept only if it reads back as the row: every fault is found and named."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from instructions.language.options import LanguageOptions
from instructions.questions.core.options import ChoiceOptions, SpatialOptions
from instructions.questions.core.records import Question
from instructions.questions.rewording import REJECTIONS, Reworded, check_pair, find_rewordings, reword
from instructions.questions.things.registry import THING_TYPES
from instructions.questions.writers.views import write_questions
from tests.support.doubles.scripted_model import ScriptedModel, told
from tests.support.worlds.box_rooms import Block, make_room

BLOCKS = (
    Block("chair", (2.5, 0.9, 0.5), (0.5, 0.5, 1.0)),
    Block("table", (4.0, -1.0, 0.4), (1.4, 0.8, 0.8)),
    Block("lamp", (5.5, 1.6, 0.9), (0.3, 0.3, 1.8)),
    Block("sofa", (6.5, -0.2, 0.45), (1.0, 2.0, 0.9)),
)
EVERY = SpatialOptions(choice=ChoiceOptions(rows_per_view=0, rows_per_pair=0, again_m=0, halves=False))
NAMES = [block.name for block in BLOCKS]
OPTIONS = LanguageOptions(model="scripted", concurrency=1)


@pytest.fixture(scope="module")
def rows() -> tuple[Question, ...]:
    room = make_room(BLOCKS)
    return write_questions(room.tour, options=EVERY).rows


def find_row(rows: tuple[Question, ...], kind: str, truth: str | None = None) -> Question:
    return next(row for row in rows if row.type == kind and truth in (None, row.truth))


def phrases(row: Question) -> tuple[str, str]:
    first, second = (one.name for one in row.references)
    return first, second


def run(rows: tuple[Question, ...], model: ScriptedModel, folder: Path) -> Reworded:
    return reword(rows, NAMES, "room", replies=folder, language=OPTIONS, connect=lambda: model)


def test_the_words_of_templates_hold(rows: tuple[Question, ...]) -> None:
    asked = [row for row, _ in find_rewordings(rows)]
    assert len(asked) > 100
    assert not Counter(check_pair(row, row.question, row.answer, NAMES) for row in asked).keys() - {None}


def test_an_answer_that_is_not_the_rows_never_passes(rows: tuple[Question, ...]) -> None:
    """The twin's answer, or that of a row with another number, under the row's own question."""
    by_id = {row.id: row for row in rows}
    checked = 0
    for row in rows:
        other = by_id.get(row.twin or "")
        if other is None or "too close" in (row.truth, other.truth) or row.form == "thing":
            continue
        assert check_pair(row, row.question, other.answer, NAMES) is not None, (row.question, other.answer)
        checked += 1
    numbers = [row for row in rows if row.said is not None]
    for row, other in zip(numbers, numbers[7:], strict=False):
        assert row.said is not None
        assert other.said is not None
        if (row.said.value, row.said.unit) != (other.said.value, other.said.unit):
            assert check_pair(row, row.question, other.answer, NAMES) is not None, (row.question, other.answer)
            checked += 1
    assert checked > 100


def test_faults_of_words_are_named(rows: tuple[Question, ...]) -> None:
    left = find_row(rows, "left_predicate", "yes")
    a, b = phrases(left)
    distance = find_row(rows, "distance")
    c, d = phrases(distance)
    said = distance.said
    assert said is not None
    number = f"{said.value:g} {said.unit}"
    others = [name for name in NAMES if name not in (a + b)]
    faults = [
        (left, f"Is {a} left of it?", "Yes.", "no_phrase"),
        (left, f"Is {a} to the left of {b} and the {others[0]}?", "Yes.", "other_thing"),
        (left, f"Is {a} to the left of {b}?", f"Yes, like the {others[0]}.", "other_thing"),
        (left, f"Is {a} to the left of {b}?", "No.", "other_answer"),
        (left, f"Is {a} to the left of {b}?", "I cannot tell from the picture.", "other_answer"),
        (distance, f"How far is {c} from {d}?", "Far.", "other_answer"),
        (distance, f"How far is {c} from {d}?", f"{said.value * 10:g} {said.unit}.", "other_answer"),
        (distance, f"How far is {c} from {d}?", f"{said.value:g} kilometers.", "other_answer"),
        (distance, f"How far is {c} from {d}?", f"{number}, or {said.value + 1:g} {said.unit}.", "other_answer"),
        (distance, f"How far is {c} from {d}, is it {said.value:g}?", f"{number}.", "other_thing"),
        (left, f"Does {a} lie to the left of {b}?", "Yes indeed.", None),
        (distance, f"What distance is there from {c} to {d}?", f"Some {number}.", None),
    ]
    for row, question, answer, code in faults:
        assert check_pair(row, question, answer, NAMES) == code, (question, answer)


STEPS = "turn left by 16 degrees and walk 1.23 meters, then turn right by 57 degrees, then walk 0.61 meters."
OTHER_STEPS = (
    STEPS.replace("1.23", "1.32"), STEPS.replace("right", "left"), STEPS.replace("then walk 0.61 meters", "then stop"),
    STEPS + " In all, 1.84 meters.", STEPS.replace("16", "x").replace("57", "16").replace("x", "57"), "1. " + STEPS,
    STEPS.replace("0.61 meters", "0.61 feet"), "One walks about.",
)  # fmt: skip


def test_every_turn_side_and_distance_of_a_walk_is_told_in_its_order(rows: tuple[Question, ...]) -> None:
    walk = replace(rows[0], type="steps", form="text", question="How?", references=(), answer=STEPS, truth=("x",))
    swung = "Swing 16 degrees to the left, go 1.23 m, turn 57° to the right and move on for 0.61 meters."
    assert check_pair(walk, "Which way?", swung, NAMES) is None
    assert {check_pair(walk, "Which way?", one, NAMES) for one in OTHER_STEPS} == {"other_steps"}


def test_what_the_judge_takes_for_another_meaning_leaves_the_template(rows: tuple[Question, ...], tmp_path) -> None:
    row = find_row(rows, "left_predicate", "yes")
    a, b = phrases(row)

    def answer(messages: tuple) -> object:
        if "The pair" in messages[1].content:
            return {"pairs": [{"question": f"Is {a} to the right of {b}?", "answer": "Yes."}]}
        return {"same": "to the right" not in messages[1].content, "why": "the sides differ"}

    found = run((replace(row, twin=None),), ScriptedModel(answer), tmp_path)
    assert found.rows[0].question == row.question
    assert [one.rejected_because for one in found.rows[1:]] == ["other_meaning"]
    assert "the sides differ" in (found.rows[1].rejection or "")


def test_a_wording_takes_the_place_of_the_row_and_its_twin(rows: tuple[Question, ...], tmp_path: Path) -> None:
    row = find_row(rows, "left_predicate", "yes")
    pair = tuple(one for one in rows if one.id in (row.id, row.twin))

    def answer(messages: tuple) -> object:
        if "The pair" not in messages[1].content:
            return {"same": True}
        given = told(messages)
        a, b = given["phrases"]
        yes = given["answer"].lower().startswith(("yes", "indeed", "correct", "that is right"))
        return {"pairs": [{"question": f"Do you see {a} left of {b}?", "answer": "Yes." if yes else "No."}]}

    model = ScriptedModel(answer)
    found = run(pair, model, tmp_path)
    assert len(model.asked) == 2
    assert len(found.rows) == 2
    one, two = found.rows
    assert (one.twin, two.twin) == (two.id, one.id)
    assert {one.truth, two.truth} == {"yes", "no"}
    for made in found.rows:
        a, b = phrases(made)
        assert made.question == f"Do you see {a} left of {b}?"
        assert made.writer == "llm scripted"
        assert made.prompt is not None
        assert made.prompt.startswith("rewording@")
        assert made.evidence == row.evidence or made.evidence == pair[1].evidence


def test_what_does_not_hold_is_a_rejected_row_and_the_template_stays(
    rows: tuple[Question, ...], tmp_path: Path
) -> None:
    row = find_row(rows, "distance")
    c, d = phrases(row)
    bad = {"pairs": [{"question": f"How far is {c} from {d}?", "answer": "17 light years."}]}
    found = run((row,), ScriptedModel(lambda _: bad), tmp_path)
    assert found.rows[0] == row
    assert [one.rejected_because for one in found.rows[1:]] == ["other_answer"]
    assert found.rows[1].rejection == REJECTIONS["other_answer"]
    assert "0 of 1 rows were reworded" in found.findings[0].message


@pytest.mark.parametrize("reply", ["", "no json", '{"pairs": []}', '{"pairs": [{"question": "x"}]}', "[" * 5000])
def test_replies_of_another_form_leave_the_row_as_it_is(rows: tuple[Question, ...], tmp_path: Path, reply: str) -> None:
    row = find_row(rows, "distance")
    found = run((row,), ScriptedModel(lambda _: reply), tmp_path)
    assert found.rows == (row,)
    assert found.open.useless == found.open.asked == 1


def test_a_question_that_is_there_already_is_a_double(rows: tuple[Question, ...], tmp_path: Path) -> None:
    row = find_row(rows, "distance")
    assert row.said is not None
    same = {"pairs": [{"question": row.question, "answer": f"{row.said.value:g} {row.said.unit}"}]}
    found = run((row,), ScriptedModel(lambda _: same), tmp_path)
    assert {one.rejected_because for one in found.rows[1:]} <= {"double"}
    assert found.rows[0] == row


def test_too_close_is_not_given_away_and_each_pair_of_twins_is_asked_once(rows: tuple[Question, ...]) -> None:
    asked = find_rewordings(rows)
    ids = {row.id for row, _ in asked}
    assert not any(row.truth == "too close" for row, _ in asked)
    assert not any(row.twin in ids for row, _ in asked)
    assert not any(row.type == "unseen" or THING_TYPES[row.type].supposes for row, _ in asked)
    may = [row for row in rows if row.twin is not None and not THING_TYPES[row.type].supposes]
    twins = [row for row in may if row.truth != "too close"]
    assert sum(row.twin is not None for row, _ in asked) == len(twins) // 2
