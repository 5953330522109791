"""Answers of people and models, read: numbers in every spelling, yes and no, one thing of several."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instructions.asking.accuracy import grade_number, mra
from instructions.asking.answers import is_refusal, read_choice, read_number, read_yes_no
from instructions.asking.draws import Draw
from instructions.asking.rounding import say_exactly, say_length, say_ratio
from tests.support.cases import each_case

FOOT = 0.3048


@each_case(
    ("text", "value"),
    [
        ("1.56m", 1.56),
        ("12.", 12.0),
        ("1,5 m", 1.5),
        ("1,500 m", 1500.0),
        ("5'6\"", 5.5 * FOOT),
        ("5’6”", 5.5 * FOOT),
        ("5'", 5 * FOOT),
        ("3 ft 2 in", 3 * FOOT + 2 * 0.0254),
        ("3 feet and 2 inches", 3 * FOOT + 2 * 0.0254),
        ("half a meter", 0.5),
        ("a foot and a half", 1.5 * FOOT),
        ("two and a half feet", 2.5 * FOOT),
        ("one and a half meters", 1.5),
        ("2 and a half meters", 2.5),
        ("a meter", 1.0),
        ("An inch.", 0.0254),
        ("three quarters of a meter", 0.75),
        ("a quarter of a meter", 0.25),
        ("twenty-five centimeters", 0.25),
        ("one hundred and twenty cm", 1.2),
        ("two point five meters", 2.5),
        ("a couple of meters", 2.0),
        ("1 1/2 feet", 1.5 * FOOT),
        ("2½ feet", 2.5 * FOOT),
        ("1 m 56 cm", 1.56),
        ("1m56", 1.56),
        (".5 m", 0.5),
        ("It is about 80 centimeters.", 0.8),
        ("Approximately 2.35 metres (7.7 feet).", 2.35),
        ("The 2 chairs are 1.5 m apart.", 1.5),
        ("The table is 2 in front, I would say 3 m.", 3.0),
        ("6 inches", 6 * 0.0254),
        ("6 in.", 6 * 0.0254),
        ("6 in", 6 * 0.0254),
        ("10-foot", 10 * FOOT),
        ("<think>maybe 3 m or 7 m</think> 2 m", 2.0),
        ("I think 3. <answer>2.5</answer>", 2.5),
        ("The lamp is at 4 m and the chair at 2 m. Therefore the answer is 2 m.", 2.0),
        ("not 3 m but 2 m", 2.0),
        ("**1.2 m**", 1.2),
        ("2 yards", 1.8288),
        ("one", 1.0),
    ],
)
def test_numbers_of_people_are_read(text: str, value: float):
    read = read_number(text)
    assert read is not None
    assert read.value == pytest.approx(value, rel=1e-3)
    assert not read.is_range


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("between 2 and 3 feet", 2.5 * FOOT),
        ("Between two and three feet.", 2.5 * FOOT),
        ("2-3 m", 2.5),
        ("2 to 3 meters", 2.5),
        ("two or three meters", 2.5),
        ("50 cm to 1 m", 0.75),
        ("1.5 – 2 m", 1.75),
    ],
)
def test_of_a_range_the_middle_counts_and_is_flagged(text: str, value: float):
    read = read_number(text)
    assert read is not None
    assert read.value == pytest.approx(value)
    assert read.is_range


@each_case(
    "text",
    [
        "",
        "I cannot measure a 2D picture, but 2.5 m is usual.",
        "I can't tell; 3 m?",
        "Sorry, I'm unable to determine distances such as 2 m.",
        "It is not possible to determine the distance. 12",
        "The distance cannot be determined from 1 picture.",
        "As an AI model I see 3 things.",
        "I don't know.",
        "far",
        "45 degrees",
        "3 square meters",
        "The one on the left.",
        "20 kg",
    ],
)
def test_refusals_and_other_dimensions_are_no_numbers(text: str):
    assert read_number(text) is None


def test_a_bare_number_is_meant_in_the_unit_that_the_question_named():
    read = read_number("6", "m", "ft")
    assert read is not None
    assert read.value == pytest.approx(6 * FOOT)
    assert read.unit == ""


@each_case(
    ("text", "unit", "value"),
    [
        ("twice", "ratio", 2.0),
        ("It is twice as tall as the chair.", "ratio", 2.0),
        ("1.5 times", "ratio", 1.5),
        ("three times as wide", "ratio", 3.0),
        ("150 %", "ratio", 1.5),
        ("At three o'clock.", "hour", 3.0),
        ("11 o'clock", "hour", 11.0),
        ("12 m²", "m2", 12.0),
        ("There are 4 chairs.", "count", 4.0),
        ("seven", "count", 7.0),
        ("30 degrees", "deg", 30.0),
        ("3 m", "cm", 300.0),
    ],
)
def test_other_units_are_read_too(text: str, unit: str, value: float):
    read = read_number(text, unit)
    assert read is not None
    assert read.value == pytest.approx(value)


@given(st.floats(0.05, 30.0), st.integers(0, 10_000))
def test_what_we_say_is_read_back(value: float, seed: int):
    draw = Draw(seed)
    for spoken in (say_length(value, draw), say_exactly(max(value, 0.01))):
        read = read_number(f"It is about {spoken.text}.")
        assert read is not None
        assert read.value == pytest.approx(spoken.in_m, rel=1e-3, abs=1e-9)
    ratio = say_ratio(1.2 + value, draw)
    read = read_number(f"{ratio.text} as tall.", "ratio")
    assert read is not None
    assert read.value == pytest.approx(ratio.value)


@given(st.text(max_size=60))
def test_no_text_breaks_the_readers(text: str):
    read_number(text)
    read_yes_no(text)
    read_choice(text, ["the chair", "the table"])


@each_case(
    ("text", "is_yes"),
    [
        ("Yes.", True),
        ("yes, it is", True),
        ("Indeed, the chair is.", True),
        ("That is right: it is.", True),
        ("Correct", True),
        ("True.", True),
        ("It is.", True),
        ("That is not wrong.", True),
        ("I believe the answer is yes.", True),
        ("No doubt.", True),
        ("No.", False),
        ("Nope", False),
        ("Not so; it is below.", False),
        ("That is wrong: it is below.", False),
        ("That is not true.", False),
        ("False", False),
        ("It is not.", False),
        ("The chair isn't left of the table.", False),
        ("The answer is: no", False),
        ("I'm not sure, but yes.", True),
        ("Yes and no.", True),
        ("I cannot tell.", None),
        ("yes or no? Both, no and yes", True),
        ("It could be yes, it could be no.", None),
        ("The chair.", None),
        ("", None),
        ("maybe", None),
    ],
)
def test_yes_and_no_with_denial(text: str, is_yes: bool | None):
    assert read_yes_no(text) is is_yes


@each_case(
    ("text", "place"),
    [
        ("The chair.", 0),
        ("It is the tall lamp.", 1),
        ("lamp", 1),
        ("The chair is further left than the tall lamp.", 0),
        ("Compared with the chair, the tall lamp is bigger.", 1),
        ("Not the chair but the tall lamp.", 1),
        ("Between the chair and the tall lamp, the chair is nearer.", 0),
        ("Of the two, the tall lamp is higher.", 1),
        ("The one that is higher up is the chair.", 0),
        ("A", 0),
        ("(B)", 1),
        ("B. the tall lamp", 1),
        ("A chair.", 0),
        ("D", None),
        ("the chair and the tall lamp", None),
        ("the chair, the tall lamp", None),
        ("Both.", None),
        ("Neither; they are level.", None),
        ("I cannot tell the chair from the lamp.", None),
        ("the table", None),
    ],
)
def test_the_thing_that_is_named_is_found(text: str, place: int | None):
    assert read_choice(text, ["the chair", "the tall lamp"]) == place


def test_a_phrase_inside_another_is_not_taken_for_it():
    options = ["the chair", "the office chair"]
    assert read_choice("The office chair.", options) == 1
    assert read_choice("The chair.", options) == 0


def test_a_clause_tells_look_alikes():
    options = ["the chair further to the left", "the chair further to the right"]
    assert read_choice("The chair further to the right.", options) == 1
    assert read_choice("the left one", options) == 0
    assert read_choice("The chair.", options) is None


@each_case(
    ("prediction", "score"),
    [
        ("2.5 meters", 1.0),
        ("2.5.", 1.0),
        ("2.5m", 0.0),
        ("about 2.5", 0.0),
        ("two", 0.0),
        ("", 0.0),
        (" 2.5", 0.0),
        ("nan", 0.0),
        ("2.25", 0.9),
        ("2.0", 0.6),  # off by 0.2, and 1 - 0.8 is 0.19999999999999996: not counted in the published code either
        ("3.75", 0.1),
        ("3.76", 0.0),
    ],
)
def test_mra_reads_as_strictly_as_the_published_code(prediction: str, score: float):
    assert mra(prediction, 2.5) == pytest.approx(score)


@given(st.floats(0.01, 100), st.floats(0, 200))
def test_mra_is_the_mean_over_ten_thresholds(truth: float, value: float):
    bars = [np.linspace(0.5, 0.95, 10)[k] for k in range(10)]
    assert grade_number(value, truth) == np.mean([abs(value - truth) / truth <= 1 - bar for bar in bars])


def test_refusals_are_told_from_answers():
    assert is_refusal("I'm sorry, I can't help with that.")
    assert not is_refusal("The robot cannot pass: the gap is 0.4 m.")
