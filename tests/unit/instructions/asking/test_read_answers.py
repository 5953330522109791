"""Answers of people and models, read: numbers in every spelling, yes and no, one thing of several."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from instructions.asking.answers import is_refusal, read_choice, read_number, read_yes_no
from instructions.asking.draws import Draw
from instructions.asking.reward import grade_number, mra
from instructions.asking.rounding import say_exactly, say_length, say_ratio
from tests.support.cases import each_case

FOOT, INCH = 0.3048, 0.0254


def texts(table: str) -> list[str]:
    return [text.strip() for text in table.split("|")]


NUMBERS = {
    0.0254: "An inch.",
    0.25: "a quarter of a meter | twenty-five centimeters",
    0.5: "half a meter | .5 m",
    0.75: "three quarters of a meter",
    0.8: "It is about 80 centimeters.",
    1.0: "a meter | one",
    1.2: "one hundred and twenty cm | **1.2 m**",
    1.5: "1,5 m | one and a half meters | The 2 chairs are 1.5 m apart.",
    1.56: "1.56m | 1 m 56 cm | 1m56",
    2.0: "a couple of meters | <think>maybe 3 m or 7 m</think> 2 m | not 3 m but 2 m"
    " | The lamp is at 4 m and the chair at 2 m. Therefore the answer is 2 m.",
    2.35: "Approximately 2.35 metres (7.7 feet).",
    2.5: "2 and a half meters | two point five meters | I think 3. <answer>2.5</answer>",
    3.0: "The table is 2 in front, I would say 3 m.",
    12.0: "12.",
    1500.0: "1,500 m",
    1.8288: "2 yards",
    6 * INCH: "6 inches | 6 in. | 6 in",
    1.5 * FOOT: "a foot and a half | 1 1/2 feet",
    2.5 * FOOT: "two and a half feet | 2½ feet",
    3 * FOOT + 2 * INCH: "3 ft 2 in | 3 feet and 2 inches",
    5 * FOOT: "5'",
    5.5 * FOOT: "5'6\" | 5’6”",
    10 * FOOT: "10-foot",
}
RANGES = {
    0.75: "50 cm to 1 m",
    1.75: "1.5 – 2 m",
    2.5: "2-3 m | 2 to 3 meters | two or three meters",
    2.5 * FOOT: "between 2 and 3 feet | Between two and three feet.",
}
"""Of these the middle counts."""


@each_case("value", {**NUMBERS, **RANGES})
def test_numbers_of_people_are_read(value: float):
    for table, is_range in ((NUMBERS, False), (RANGES, True)):
        for text in texts(table[value]) if value in table else ():
            read = read_number(text)
            assert read is not None, text
            assert (read.value, read.is_range) == (pytest.approx(value, rel=1e-3), is_range), text


NO_NUMBERS = """I cannot measure a 2D picture, but 2.5 m is usual. | I can't tell; 3 m? | I don't know. | far | 20 kg
| Sorry, I'm unable to determine distances such as 2 m. | It is not possible to determine the distance. 12 | 45 degrees
| The distance cannot be determined from 1 picture. | As an AI model I see 3 things. | 3 square meters
| The one on the left."""


@each_case("text", ["", *texts(NO_NUMBERS)])
def test_refusals_and_other_dimensions_are_no_numbers(text: str):
    assert read_number(text) is None


UNITS = {
    "ratio": {2.0: "twice | It is twice as tall as the chair.", 1.5: "1.5 times | 150 %", 3.0: "three times as wide"},
    "hour": {3.0: "At three o'clock.", 11.0: "11 o'clock"},
    "m2": {12.0: "12 m²"},
    "count": {4.0: "There are 4 chairs.", 7.0: "seven"},
    "deg": {30.0: "30 degrees"},
    "cm": {300.0: "3 m"},
}


@each_case("unit", UNITS)
def test_other_units_are_read_too(unit: str):
    for value, told in UNITS[unit].items():
        for text in texts(told):
            read = read_number(text, unit)
            assert read is not None
            assert read.value == pytest.approx(value), text
    bare = read_number("6", "m", "ft")
    assert bare is not None
    assert (bare.value, bare.unit) == (pytest.approx(6 * FOOT), ""), "meant in the unit that the question named"


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


@settings(max_examples=40)
@given(st.text(max_size=60))
def test_no_text_breaks_the_readers(text: str):
    read_number(text)
    read_yes_no(text)
    read_choice(text, ["the chair", "the table"])


YES_OR_NO = {
    True: """Yes. | yes, it is | Indeed, the chair is. | That is right: it is. | Correct | True. | It is. | No doubt.
| That is not wrong. | I believe the answer is yes. | I'm not sure, but yes. | Yes and no.
| yes or no? Both, no and yes""",
    False: """No. | Nope | Not so; it is below. | That is wrong: it is below. | That is not true. | False | It is not.
| The chair isn't left of the table. | The answer is: no""",
    None: " | I cannot tell. | It could be yes, it could be no. | The chair. | maybe",
}


@each_case("is_yes", YES_OR_NO)
def test_yes_and_no_with_denial(is_yes: bool | None):
    told = texts(YES_OR_NO[is_yes])
    assert {text: read_yes_no(text) for text in told} == dict.fromkeys(told, is_yes)


CHOICES = {
    0: """The chair. | The chair is further left than the tall lamp. | The one that is higher up is the chair. | A
| Between the chair and the tall lamp, the chair is nearer. | A chair.""",
    1: """It is the tall lamp. | lamp | Compared with the chair, the tall lamp is bigger. | (B) | B. the tall lamp
| Not the chair but the tall lamp. | Of the two, the tall lamp is higher.""",
    None: """D | the chair and the tall lamp | the chair, the tall lamp | Both. | Neither; they are level. | the table
| I cannot tell the chair from the lamp.""",
}


@each_case("place", CHOICES)
def test_the_thing_that_is_named_is_found(place: int | None):
    told = texts(CHOICES[place])
    assert {text: read_choice(text, ["the chair", "the tall lamp"]) for text in told} == dict.fromkeys(told, place)


def test_a_phrase_inside_another_is_not_taken_for_it_and_a_clause_tells_look_alikes():
    options = ["the chair", "the office chair"]
    assert [read_choice(text, options) for text in ("The office chair.", "The chair.")] == [1, 0]
    options = ["the chair further to the left", "the chair further to the right"]
    told = [read_choice(text, options) for text in ("The chair further to the right.", "the left one", "The chair.")]
    assert told == [1, 0, None]


MRA = {
    1.0: "2.5 meters | 2.5.",
    0.9: "2.25",
    0.6: "2.0",  # off by 0.2, and 1 - 0.8 is 0.19999999999999996: not counted in the published code either
    0.1: "3.75",
    0.0: "2.5m | about 2.5 | two | nan | 3.76",
}


def test_mra_reads_as_strictly_as_the_published_code():
    for score, told in MRA.items():
        assert [mra(text, 2.5) for text in texts(told)] == pytest.approx([score] * len(texts(told)))
    assert [mra(text, 2.5) for text in ("", " 2.5")] == [0.0, 0.0]


@given(st.floats(0.01, 100), st.floats(0, 200))
def test_mra_is_the_mean_over_ten_thresholds(truth: float, value: float):
    bars = [np.linspace(0.5, 0.95, 10)[k] for k in range(10)]
    assert grade_number(value, truth) == np.mean([abs(value - truth) / truth <= 1 - bar for bar in bars])


def test_refusals_are_told_from_answers():
    assert is_refusal("I'm sorry, I can't help with that.")
    assert not is_refusal("The robot cannot pass: the gap is 0.4 m.")
