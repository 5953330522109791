"""What becomes of rows about marks: names do not tell their answers, and an hour is read as one."""

from __future__ import annotations

import pytest

from instructions.questions.quality.balance import Balanced, find_surplus
from instructions.questions.quality.grades import Solution, grade_answer
from instructions.questions.registry import MARK_TYPES


def test_marks_have_no_names_that_could_tell_an_answer():
    rows = [
        Balanced(f"{name} {k}", "tour", f"{name} {1 - k}", name, ("mark 1", "mark 2"), "", None)
        for name in MARK_TYPES
        for k in range(2)
    ]
    assert not find_surplus(rows)


@pytest.mark.parametrize("name", ["view_clock", "facing_clock"])
def test_an_hour_is_read_in_digits_and_words(name):
    truth = Solution("row", "tour", name, "label", "10", question="At which hour is mark 1?")
    assert all(grade_answer(truth, said).right for said in ("10", "At 10 o'clock.", "ten o'clock"))
    assert not grade_answer(truth, "At 11 o'clock.").right
