"""Answers about marks: read, rewarded, and guessed at blindly."""

from __future__ import annotations

import json

import pytest

from instructions.asking.reward import reward, write_solution
from instructions.questions.quality.balance import blind_item
from instructions.questions.quality.grades import Solution, grade_answer
from tests.support.export.mark_rows import make_mark_row

ORDERS = ("2, 1, 3", "1, 3, 2", "3, 1, 2", "1, 2, 3")


def truth(kind: str, solution: str, choices: tuple[str, ...], unit: str = "") -> Solution:
    return Solution("row", "tour", kind, "label", solution, unit, 0.1, "Which?", choices)


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ("The order is 1, 3, 2.", "1, 3, 2"),
        ("1,3,2", "1, 3, 2"),
        ("1-3-2", "1, 3, 2"),
        ("132", "1, 3, 2"),
        ("Mark 1, then mark 3, then mark 2.", "1, 3, 2"),
        ("(B)", "1, 3, 2"),
        ("2, 3, 1", "2, 3, 1"),
        ("1, 1, 2", None),
        ("1, 3", None),
        ("I cannot tell", None),
    ],
)
def test_an_order_is_read_from_its_numbers(answer: str, read: str | None):
    grade = grade_answer(truth("mark_depth_order", "1, 3, 2", ORDERS), answer)
    assert grade.read == read
    assert grade.right == (read == "1, 3, 2")


@pytest.mark.parametrize(
    ("answer", "read"),
    [("Mark 2.", "mark 2"), ("2", "mark 2"), ("Point #2", "mark 2"), ("either 1 or 2", None), ("mark 3", None)],
)
def test_a_mark_is_read_from_its_number(answer: str, read: str | None):
    assert grade_answer(truth("mark_nearer_choice", "mark 2", ("mark 1", "mark 2")), answer).read == read


@pytest.mark.parametrize(
    ("form", "right", "unit", "answer", "earned"),
    [
        ("label", "mark 2", "", "Mark 2.", 1.0),
        ("label", "mark 2", "", "2", 1.0),
        ("label", "mark 2", "", "1", 0.1),
        ("label", "1, 3, 2", "", "1,3,2", 1.0),
        ("label", "1, 3, 2", "", "1, 2, 3", 0.1),
        ("number", "40.0", "deg", "40 degrees", 1.0),
        ("number", "40.0", "deg", "40°", 1.0),
        ("number", "40.0", "deg", "40 m", 0.1),
        ("number", "2.0", "ratio", "2 times", 1.0),
    ],
)
def test_rewards_know_marks_orders_degrees_and_ratios(form: str, right: str, unit: str, answer: str, earned: float):
    said = f"<think>I look.</think><answer>{answer}</answer>"
    assert reward([said], [write_solution(form, right, unit)]) == pytest.approx([earned])


def test_a_blind_reader_is_asked_for_the_place_among_what_is_offered():
    row = make_mark_row("a", "mark_depth_order", "Sort.", "1, 3, 2.", "1, 3, 2", tour="t", marks={1: 1, 2: 1, 3: 1})
    item = blind_item(row)
    assert item.answer == "1"
    assert item.offered == f"{len(ORDERS)} options"
    assert [item.features[f"option {place}"] for place in range(4)] == list(ORDERS)
    number = make_mark_row("b", "mark_distance", "How far?", "2 m", "2.0", tour="t", marks={1: 1})
    assert blind_item(number).answer == 2.0
    assert json.dumps(item.features)
