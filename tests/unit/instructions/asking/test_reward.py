"""Rewards: right answers earn all, and thirty ways to cheat earn no more than they deserve."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instructions.asking.accuracy import grade_number
from instructions.asking.reward import reward, write_solution
from tests.support.cases import each_case


def say(answer: str, thought: str = "I look.") -> str:
    return f"<think>{thought}</think><answer>{answer}</answer>"


def score(text: object, solution: object) -> float:
    return reward([text], [solution])[0]


LETTER = write_solution("thing", "B", choices=4)
NUMBER = write_solution("number", 2.0, "m")
LABEL = write_solution("label", "front-left")
YES = write_solution("yes_no", True)
LIST = write_solution("things", ("the sofa", "the lamp"))
ORDER = write_solution("order", ("the sofa", "the lamp", "the desk"))


@each_case(
    ("answer", "solution"),
    [
        ("B", LETTER),
        ("B.", LETTER),
        ("(B)", LETTER),
        ("B. the brown chair", LETTER),
        ("2.0", NUMBER),
        ("2 meters", NUMBER),
        ("2.00 m.", NUMBER),
        ("front-left", LABEL),
        ("Front-left.", LABEL),
        ("Yes.", YES),
        ("the lamp and the sofa", LIST),
        ("lamp, sofa", LIST),
        ("the sofa, the lamp then the desk", ORDER),
    ],
)
def test_right_answers_earn_all(answer, solution):
    assert score(say(answer), solution) == pytest.approx(1.0)


CHEATS = (
    ("both letters", say("A or B"), LETTER),
    ("all letters", say("A B C D"), LETTER),
    ("listed letters", say("A, B, C, D"), LETTER),
    ("letter in thought only", say("", "The answer is B"), LETTER),
    ("letter and doubt", say("B or maybe C."), LETTER),
    ("letter behind words", say("It is not A but B"), LETTER),
    ("small letter", say("b"), LETTER),
    ("two lines", say("B\nA."), LETTER),
    ("every number", say("1 2 3 4"), NUMBER),
    ("range", say("1-3"), NUMBER),
    ("range in words", say("between 1 and 3"), NUMBER),
    ("expression", say("1+1"), NUMBER),
    ("exponent", say("2e0"), NUMBER),
    ("infinite", say("inf"), NUMBER),
    ("nan", say("nan"), NUMBER),
    ("other unit", say("2 feet"), NUMBER),
    ("hidden unit", say("200 cm"), NUMBER),
    ("huge", say("9" * 400), NUMBER),
    ("full-width digits", say("２"), NUMBER),
    ("all labels", say("front-left, front-right, back-left, back-right"), LABEL),
    ("half a label", say("left"), LABEL),
    ("yes and no", say("yes no"), YES),
    ("yes, no", say("Yes. No."), YES),
    ("empty", say(""), YES),
    ("order with a thing twice", say("the sofa, the lamp, the desk, the sofa"), ORDER),
    ("order with one more", say("the sofa, the lamp, the desk, the bed"), ORDER),
    ("template", say("<letter>"), LETTER),
    ("the truth's own form", say('{"truth": "B"}'), LETTER),
)


@pytest.mark.parametrize(("name", "text", "solution"), CHEATS, ids=[name for name, *_ in CHEATS])
def test_cheats_earn_the_form_at_most(name, text, solution):
    assert score(text, solution) <= 0.1


BROKEN = (
    ("two answers", "<think>x</think><answer>A</answer><answer>B</answer>"),
    ("two thoughts", "<think>x</think><think>y</think><answer>B</answer>"),
    ("nested", "<think>x<answer>B</answer></think>"),
    ("answer first", "<answer>B</answer><think>x</think>"),
    ("no thought", "<answer>B</answer>"),
    ("no answer", "<think>B</think>"),
    ("open answer", "<think>x</think><answer>B"),
    ("words after", say("B") + " or A"),
    ("words before", "A " + say("B")),
    ("words between", "<think>x</think> A <answer>B</answer>"),
    ("other case", "<THINK>x</THINK><ANSWER>B</ANSWER>"),
    ("endless", say("B", "x" * 30_000)),
    ("plain", "B"),
    ("nothing", ""),
    ("no text", None),
    ("a number", 7),
    ("bytes", b"B"),
    ("empty talk", []),
)


@pytest.mark.parametrize(("name", "text"), BROKEN, ids=[name for name, _ in BROKEN])
def test_a_broken_form_earns_nothing(name, text):
    assert score(text, LETTER) == 0.0


def test_naming_everything_earns_less_than_the_right_list():
    everything = score(say("the sofa, the lamp, the desk, the bed, the chair, the door"), LIST)
    assert everything < score(say("the sofa, the desk"), LIST) + 0.01
    assert score(say("the sofa, the sofa, the sofa, the lamp"), LIST) < 1.0


def test_a_wrong_order_earns_its_pairs():
    assert score(say("the lamp, the sofa, the desk"), ORDER) == pytest.approx(0.1 + 0.9 * 2 / 3)


@given(st.floats(0.01, 100), st.floats(0.01, 100))
def test_numbers_earn_what_the_published_accuracy_gives(value: float, truth: float):
    said = f"{value:.4f}"
    want = 0.1 + 0.9 * grade_number(float(said), truth)
    assert score(say(said), write_solution("number", truth, "m")) == pytest.approx(want)


@given(st.text(max_size=200), st.text(max_size=40))
def test_never_an_exception_and_always_a_share(text: str, solution: str):
    for one in (text, say(text)):
        for told in (solution, LETTER, NUMBER, ORDER):
            assert 0.0 <= score(one, told) <= 1.0


def test_conversations_and_other_columns_are_taken():
    talk = [{"role": "assistant", "content": say("B")}]
    assert reward([talk, talk], [LETTER, NUMBER], images=[1, 2], seed=3) == [pytest.approx(1.0), pytest.approx(0.1)]
    assert reward([], []) == []
    assert np.isfinite(reward([say("0")], [write_solution("number", 0.0)])).all()
