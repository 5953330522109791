"""Rewards: right answers earn all, and thirty ways to cheat earn no more than they deserve."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instructions.asking.reward import grade_number, reward, write_solution
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


RIGHT = (
    (LETTER, "B | B. | (B) | B. the brown chair"),
    (NUMBER, "2.0 | 2 meters | 2.00 m."),
    (LABEL, "front-left | Front-left."),
    (YES, "Yes."),
    (LIST, "the lamp and the sofa | lamp, sofa"),
    (ORDER, "the sofa, the lamp then the desk"),
)
CHEATS = (
    (
        LETTER,
        "A or B | A B C D | A, B, C, D | B or maybe C. | It is not A but B | b | B\nA. | <letter> | {'truth': 'B'}",
    ),
    (NUMBER, "1 2 3 4 | 1-3 | between 1 and 3 | 1+1 | 2e0 | inf | nan | 2 feet | 200 cm | ２ | " + "9" * 400),
    (LABEL, "front-left, front-right, back-left, back-right | left"),
    (YES, "yes no | Yes. No. | "),
    (ORDER, "the sofa, the lamp, the desk, the sofa | the sofa, the lamp, the desk, the bed"),
)


def test_right_answers_earn_all_and_cheats_the_form_at_most(subtests):
    for solution, answers in RIGHT:
        for answer in answers.split(" | "):
            with subtests.test(answer):
                assert score(say(answer), solution) == pytest.approx(1.0)
    for solution, answers in CHEATS:
        for answer in answers.split(" | "):
            with subtests.test(answer):
                assert score(say(answer), solution) <= 0.1
    assert score(say("", "The answer is B"), LETTER) <= 0.1
    assert score(say('{"truth": "B"}'), LETTER) <= 0.1


BROKEN = {
    "two answers": "<think>x</think><answer>A</answer><answer>B</answer>",
    "two thoughts": "<think>x</think><think>y</think><answer>B</answer>",
    "nested": "<think>x<answer>B</answer></think>",
    "answer first": "<answer>B</answer><think>x</think>",
    "no thought": "<answer>B</answer>",
    "no answer": "<think>B</think>",
    "open answer": "<think>x</think><answer>B",
    "words after": say("B") + " or A",
    "words between": "<think>x</think> A <answer>B</answer>",
    "endless": say("B", "x" * 30_000),
    "nothing": "",
    "no text": None,
}


@each_case("name", BROKEN)
def test_a_broken_form_earns_nothing(name):
    assert score(BROKEN[name], LETTER) == 0.0


def test_naming_everything_earns_less_than_the_right_list_and_a_wrong_order_its_pairs():
    everything = score(say("the sofa, the lamp, the desk, the bed, the chair, the door"), LIST)
    assert everything < score(say("the sofa, the desk"), LIST) + 0.01
    assert score(say("the sofa, the sofa, the sofa, the lamp"), LIST) < 1.0
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
