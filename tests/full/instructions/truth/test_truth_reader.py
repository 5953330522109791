"""What is read out of sentences: kinds, sides, order, names, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instructions.records import Obb, SceneObject
from instructions.truth.reader import read_alternatives, read_text
from tests.support.cases import each_case

BOX = Obb((0.0, 0.0, 0.0), (1.0, 1.0, 1.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
ALIASES = {
    "sofa": "red sofa",
    "coffee": "coffee table",
    "side": "side table",
    "lamp": "floor lamp",
    "green": "green chair",
    "blue": "blue chair",
    "dark": "dark blue object",
}
OBJECTS = [SceneObject(n, "0", None, a, None, None, BOX, (), (), False, "t") for n, a in ALIASES.items()]
ROOMS = ("kitchen", "hall", "living room")


def read(text):
    """`kind thing|room side` of each statement but the bare walking, in order of time."""
    out = []
    for told in read_text(text, OBJECTS, ROOMS):
        if told.kind not in ("walk",):
            name = "/".join(told.things) or told.room or ""
            out.append(" ".join(part for part in (told.kind, name, told.side or "", told.size or "") if part))
    return out


@each_case(
    ("text", "told"),
    [
        ("Walk past the red sofa on your left.", ["pass sofa left"]),
        ("Keep the sofa to your left as you go.", ["side sofa left"]),
        ("Leave the sofa on your right.", ["pass sofa right"]),
        ("Walk to the left of the sofa.", ["pass sofa right"]),
        ("Turn right at the lamp.", ["turn right", "near lamp"]),
        ("Take a sharp left, then bear slightly right.", ["turn left wide", "turn right slight"]),
        ("Make a U-turn.", ["around"]),
        ("Turn left twice.", ["turn left", "turn left"]),
        ("Go left.", ["turn left"]),
        ("Turn left after passing the sofa on your right.", ["pass sofa right", "turn left"]),
        ("Before reaching the lamp, turn left.", ["turn left", "approach lamp"]),
        ("Walk up to the sofa and stop in front of it.", ["approach sofa", "stop sofa"]),
        ("Go from the hall into the kitchen.", ["exit hall", "enter kitchen"]),
        ("Cross the hall, leave it behind and enter the lounge.", ["room hall", "enter living room"]),
        ("Go past the coffee table and the side table.", ["pass coffee", "pass side"]),
        ("Go past the table.", ["pass coffee/side"]),
        ("Stop at the dark blue item.", ["stop dark"]),
        ("From the hall, turn right and go into the kitchen.", ["room hall", "turn right", "enter kitchen"]),
        ("Two turns: first to the right, then to the left.", ["turn right", "turn left"]),
        ("Bear right in a long curve.", ["turn right"]),
        ("A slight left takes you into the kitchen.", ["turn left slight", "enter kitchen"]),
        ("Two turns that cancel each other out.", []),
        ("The path bends gently through a right angle to the left.", ["turn left wide"]),
        ("Three metres, left, three metres.", ["length", "turn left", "length"]),
        ("The kitchen is on your right; go in and stop.", ["room kitchen", "turn right", "enter kitchen"]),
        ("Leave the hall on the right.", ["exit hall", "turn right"]),
        ("The sofa goes by on your left.", ["pass sofa left"]),
        ("Walk towards the sofa and pass it on the left.", ["approach sofa", "pass sofa left"]),
    ],
)
def test_sentences_are_read_as_a_person_would(text, told):
    assert read(text) == told


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Walk past a grand piano.", "a grand piano"),
        ("Walk past the red sofa and piano.", "piano"),
        ("Walk past the green sofa.", "the green sofa"),
        ("Walk through the door to the sofa.", "the door"),
    ],
)
def test_what_nobody_saw_is_named(text, words):
    odd = [told for told in read_text(text, OBJECTS, ROOMS) if told.kind in ("unknown", "threshold")]
    assert [told.words for told in odd] == [words]


@pytest.mark.parametrize(
    "text",
    ["Right after the sofa, walk on.", "Having left, walk."],
)
def test_left_and_right_are_not_always_sides(text):
    assert not any(told.side for told in read_text(text, OBJECTS, ROOMS))


VOCABULARY = """
walk past turn left right the a red sofa table , . and then before after on your to of towards it which stop in front
between keep two chairs kitchen around not with facing \u2019 left-hand 90 degrees piano as until"""
WORDS = st.sampled_from(VOCABULARY.split())


@given(st.lists(WORDS, max_size=25))
def test_no_text_breaks_the_reader(words):
    told = read_text(" ".join(words), OBJECTS, ROOMS)
    assert [one.rank for one in told] == sorted(one.rank for one in told)


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ("Forward, left at the sofa, forward to the lamp.", [[], ["left"]]),
        ("Sofa left, lamp right.", [[], ["left"], ["right"], ["left", "right"]]),
        ("Pass the sofa on the left.", [[]]),
        ("Turn left at the sofa.", [["left"]]),
    ],
)
def test_a_side_that_stands_alone_may_be_a_turn_or_the_place_of_a_thing(text: str, turns: list[list[str]]):
    read_as = [[told.side for told in told if told.kind == "turn"] for told in read_alternatives(text, OBJECTS, ROOMS)]
    assert read_as == turns
