"""What is read out of sentences: kinds, sides, order, names, and what is refused."""

from __future__ import annotations

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
        ("The camera glides by a red sofa, which is on its left.", ["pass sofa left"]),
        ("Keep the sofa to your left as you go.", ["side sofa left"]),
        ("Leave the sofa on your right.", ["pass sofa right"]),
        ("On your left you will see the sofa.", ["side sofa left"]),
        ("Walk to the left of the sofa.", ["pass sofa right"]),
        ("Pass the sofa and the floor lamp on the right.", ["pass sofa right", "pass lamp right"]),
        ("Pass the sofa on the left and the floor lamp on the right.", ["pass sofa left", "pass lamp right"]),
        ("Turn right at the lamp.", ["turn right", "near lamp"]),
        ("Take a sharp left, then bear slightly right.", ["turn left wide", "turn right slight"]),
        ("Make a U-turn.", ["around"]),
        ("Turn about and look the other way.", ["around"]),
        ("Turn left twice.", ["turn left", "turn left"]),
        ("Make two left turns.", ["turn left", "turn left"]),
        ("Go left.", ["turn left"]),
        ("Turn right before the sofa.", ["turn right", "front sofa"]),
        ("Turn left after passing the sofa on your right.", ["pass sofa right", "turn left"]),
        ("After passing the sofa on your right, turn left.", ["pass sofa right", "turn left"]),
        ("Before reaching the lamp, turn left.", ["turn left", "approach lamp"]),
        ("Turn left before reaching the lamp.", ["turn left", "approach lamp"]),
        ("Walk up to the sofa and stop in front of it.", ["approach sofa", "stop sofa"]),
        ("Stop facing the sofa.", ["end facing sofa"]),
        ("The sofa comes into view and stays on your left.", ["side sofa left"]),
        ("Go from the hall into the kitchen.", ["exit hall", "enter kitchen"]),
        ("Cross the hall, leave it behind and enter the lounge.", ["room hall", "enter living room"]),
        ("Move away from the sofa.", ["leave sofa"]),
        ("Go past the coffee table and the side table.", ["pass coffee", "pass side"]),
        ("Go past the table.", ["pass coffee/side"]),
        ("Head towards the couch.", ["approach sofa"]),
        ("Stop at the dark blue item.", ["stop dark"]),
        ("Pass both the sofa and the floor lamp.", ["pass sofa", "pass lamp"]),
        ("From the hall, turn right and go into the kitchen.", ["room hall", "turn right", "enter kitchen"]),
        ("Two turns: first to the right, then to the left.", ["turn right", "turn left"]),
        ("Bear right in a long curve.", ["turn right"]),
        ("Make two turns to the right.", ["turn right", "turn right"]),
        ("Walk through two rooms and turn left.", ["rooms", "turn left"]),
        ("Two corners: the first to the right, the second to the left.", ["turn right", "turn left"]),
        ("Down the hall, right, and straight ahead.", ["room hall", "turn right"]),
        ("Right, then left, then straight on.", ["turn right", "turn left"]),
        ("A slight left takes you into the kitchen.", ["turn left slight", "enter kitchen"]),
        ("Turn left at the sofa and right after the lamp.", ["turn left", "near sofa", "see lamp", "turn right"]),
        ("Go right into the kitchen.", ["turn right", "enter kitchen"]),
        ("First right, then left.", ["turn right", "turn left"]),
        ("The kitchen is on the right; turn that way.", ["room kitchen", "turn right"]),
        ("The camera glances to the left, toward the sofa, and walks on.", ["turn left", "front sofa"]),
        ("Walk until the lamp and stop there.", ["see lamp", "stop lamp"]),
        ("Don't sit down on the sofa; pass the lamp.", ["pass lamp"]),
        ("Two turns that cancel each other out.", []),
        ("The path bends gently through a right angle to the left.", ["turn left wide"]),
        ("Three metres, left, three metres.", ["length", "turn left", "length"]),
        ("Walk to the sofa and come back.", ["approach sofa", "around"]),
        ("The kitchen is on your right; go in and stop.", ["room kitchen", "turn right", "enter kitchen"]),
        ("On the left is the kitchen. Turn into it.", ["room kitchen", "turn left", "enter kitchen"]),
        ("Leave the hall on the right.", ["exit hall", "turn right"]),
        ("Walk to the sofa and return to where you began.", ["approach sofa", "around"]),
        ("Walk to the sofa, turn around and return to where you began.", ["approach sofa", "around"]),
        ("Walk round the sofa, turning left all the time.", ["near sofa left"]),
        ("The sofa goes by on your left.", ["pass sofa left"]),
        ("Take a few steps back from the sofa, turn right.", ["back", "see sofa", "turn right"]),
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
        ("Stop at the dining table.", "the dining table"),
        ("Walk through the door to the sofa.", "the door"),
        ("The camera passes curtains.", "curtains"),
        ("Walk past the sofa with a cat.", "a cat"),
    ],
)
def test_what_nobody_saw_is_named(text, words):
    odd = [told for told in read_text(text, OBJECTS, ROOMS) if told.kind in ("unknown", "threshold")]
    assert [told.words for told in odd] == [words]


@pytest.mark.parametrize(
    "text",
    [
        "Walk forward for a moment, then make a brief stop in front of the sofa.",
        "The camera continues its journey along the way and finally ends its path at the sofa.",
        "From this position, take a few steps ahead; the sofa will be on your left-hand side.",
        "Move in the same direction until you reach the lone red sofa.",
    ],
)
def test_words_that_name_no_thing_are_not_taken_for_things(text):
    assert not [told for told in read_text(text, OBJECTS, ROOMS) if told.kind == "unknown"]


@pytest.mark.parametrize(
    "text",
    ["Right after the sofa, walk on.", "All right, walk on.", "Right now walk past the sofa.", "Having left, walk."],
)
def test_left_and_right_are_not_always_sides(text):
    assert not any(told.side for told in read_text(text, OBJECTS, ROOMS))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Walk 3 metres forward.", "length"),
        ("Walk for ten feet.", "length"),
        ("Do not turn left.", "unreadable"),
        ("Never pass the sofa.", "unreadable"),
    ],
)
def test_what_cannot_be_checked_is_said(text, kind):
    assert kind in [told.kind for told in read_text(text, OBJECTS, ROOMS)]


@pytest.mark.parametrize(
    ("text", "count"), [("two chairs", 2), ("a pair of chairs", 2), ("3 chairs", 3), ("both chairs", 2)]
)
def test_numbers_of_things(text, count):
    (told,) = read_text(f"See {text}.", OBJECTS, ROOMS)
    assert (told.things, told.count) == (("green", "blue"), count)


VOCABULARY = """
walk past turn left right the a red sofa table , . and then before after on your to of towards it which stop in front
between keep two chairs kitchen around not with facing \u2019 left-hand 90 degrees piano as until"""
WORDS = st.sampled_from(VOCABULARY.split())


@given(st.lists(WORDS, max_size=25))
def test_no_text_breaks_the_reader(words):
    told = read_text(" ".join(words), OBJECTS, ROOMS)
    assert [one.rank for one in told] == sorted(one.rank for one in told)


@given(st.text(max_size=200))
def test_no_string_breaks_the_reader(text):
    read_text(text, OBJECTS, ROOMS)


@each_case(
    ("text", "told"),
    [
        ("Walk on, then turn about forty degrees to the right.", ["turn right slight"]),
        ("Turn by a hundred and eighty degrees.", ["around"]),
        ("Turn ninety degrees to the left.", ["turn left wide"]),
        ("To get to the sofa, walk past the floor lamp and turn right.", ["pass lamp", "approach sofa", "turn right"]),
        ("When you have gone by the floor lamp, the sofa is in front of you.", ["pass lamp", "front sofa"]),
        ("Pass the sofa on the left, turn around, and pass it again on the right, facing the lamp.",
         ["pass sofa left", "around", "pass sofa right", "front lamp"]),
        ("Keep turning left around the sofa, one complete round.", ["circle left", "near sofa"]),
        ("Walk into the kitchen on your right.", ["enter kitchen", "turn right"]),
        ("Turn right and walk into the kitchen on your right.", ["turn right", "enter kitchen"]),
        ("Peek left, turn back and walk on.", ["turn left"]),
    ],
)  # fmt: skip
def test_sentences_as_people_give_directions(text, told):
    assert read(text) == told


def test_a_thing_is_called_by_its_size_and_colour_though_its_alias_leaves_them_out():
    counter = SceneObject("c", "0", "counter", "counter", "black", "wide", BOX, (), (), False, "t")
    for words, named in (("long counter", True), ("wide black counter", True), ("small counter", False)):
        told = read_text(f"Stop in front of the {words}.", [counter])
        assert ([one.things for one in told] == [("c",)]) == named, words


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ("Forward, left at the sofa, forward to the lamp.", [[], ["left"]]),
        ("Make a ninety degree right at the sofa.", [[], ["right"]]),
        ("Sofa left, lamp right.", [[], ["left"], ["right"], ["left", "right"]]),
        ("Pass the sofa on the left.", [[]]),
        ("The sofa is to your right.", [[]]),
        ("The sofa is on the left side.", [[]]),
        ("Turn left at the sofa.", [["left"]]),
    ],
)
def test_a_side_that_stands_alone_may_be_a_turn_or_the_place_of_a_thing(text: str, turns: list[list[str]]):
    read_as = [[told.side for told in told if told.kind == "turn"] for told in read_alternatives(text, OBJECTS, ROOMS)]
    assert read_as == turns
