"""A turn is read by its things, relations and negations, in whatever sentence they stand; what is left over is told."""

import pytest

from instructions.dialogues.rounding import find_interval_m
from instructions.dialogues.turn_marks import mark_text
from instructions.dialogues.turn_meaning import read_turn
from tests.support.cases import each_case

KINDS = ("sofa", "floor lamp", "chair", "picture")


@each_case(
    ("question", "answer", "statement"),
    [
        ("Where is the sofa?", "Over on the left.", "The sofa is on the left."),
        ("What is on the right?", "A chair.", "The chair is on the right."),
        ("Is the sofa on the right?", "No, on the left.", "The sofa is on the left."),
        ("Which is further to the left, the sofa or the chair?", "The chair.", "The chair is left of the sofa."),
        ("Which is nearer, the sofa or the chair?", "The chair.", "The chair is nearer than the sofa."),
        ("Is the sofa taller than the chair?", "No, it is lower.", "The sofa is shorter than the chair."),
        ("How many chairs are there?", "Two.", "There are two chairs."),
        ("What kind of room is this?", "A kitchen.", "This is a kitchen."),
        ("What carries the picture?", "The sofa carries it.", "The picture is on the sofa."),
        # the same relation in the words of nobody's pattern
        (
            "What does the sofa do for the picture?",
            "The picture is carried by the sofa.",
            "The picture is on the sofa.",
        ),
        (
            "Going from left to right, which comes first, the sofa or the chair?",
            "The chair comes first.",
            "The chair is left of the sofa.",
        ),
        ("How far?", "There is less distance to the sofa than to the chair.", "The sofa is nearer than the chair."),
    ],
)
def test_turns_are_read(question: str, answer: str, statement: str):
    found = [one for one in read_turn(question, answer, KINDS).statements if not one.denied]
    told = [one.text for one in found if one.family != "visible"]  # besides, what is named is said to be there
    assert (told or [one.text for one in found]) == [statement]


@each_case(
    ("question", "answer", "statement"),
    [
        ("Is the sofa nearer than the chair?", "No.", "The sofa is nearer than the chair."),
        ("Is the sofa red?", "No.", "The sofa is red."),
        ("Are there two chairs?", "No.", "There are two chairs."),
        ("Is there a floor lamp anywhere?", "I do not see one.", "There is a floor lamp."),
        ("Could I sit down?", "There is no chair here.", "There is a chair."),
        ("What does this view lack?", "It lacks a chair.", "There is a chair."),
    ],
)
def test_denials_are_read_as_denials(question: str, answer: str, statement: str):
    found = [one for one in read_turn(question, answer, KINDS).statements if one.denied]
    assert [one.text for one in found] == [statement]


def test_marks_keep_what_is_said():
    marked = mark_text("The red sofa isn't on the left-hand side of the two chairs.", KINDS)
    assert marked.text == "@sofa =red is n't #left of the %2 @chair*."
    assert marked.kinds == ("sofa", "chair")
    assert mark_text("Picture this: it lies in the picture.", KINDS).kinds == ()


@pytest.mark.parametrize(
    ("told", "measured", "is_right"),
    [(2.0, 1.5, True), (2.0, 1.49, False), (2.0, 2.51, False)],
)
def test_a_rounded_length_is_right_within_its_interval(told: float, measured: float, is_right: bool):
    low, high = find_interval_m(told)
    assert (low <= measured <= high) is is_right


@each_case(
    ("question", "answer", "said"),
    [
        ("Rank the sofa and the chair by height.", "The sofa ranks first, the chair second.", "sofa taller chair"),
        (
            "Put the sofa and the chair in order from near to far.",
            "First the chair, then the sofa.",
            "chair nearer sofa",
        ),
        ("Name them from left to right.", "The sofa comes second, the chair first.", "chair left of sofa"),
        (
            "Which is taller, the sofa or the chair?",
            "The sofa is exceeded in height by the chair.",
            "sofa shorter chair",
        ),
        ("Is the sofa taller, or the chair?", "No, the chair.", "chair taller sofa"),
    ],
)
def test_orders_and_choices_are_relations(question: str, answer: str, said: str):
    related = [one for one in read_turn(question, answer, KINDS).statements if len(one.things) == 2]
    assert [f"{one.things[0]} {one.relation} {one.things[1]}" for one in related] == [said]


_BY_HEIGHT = "Rank the sofa and the chair by height."
_LISTED = "The sofa, then the chair."


@each_case(
    ("question", "answer", "left"),
    [
        ("Rank the sofa and the chair by height, smallest first.", _LISTED, "tall"),
        ("Sort the sofa and the chair from near to far, in reverse.", _LISTED, "near"),
        (_BY_HEIGHT, "The sofa is not first, the chair is.", "tall"),
        ("From left to right, which comes last, the sofa or the chair?", "The chair.", "side"),
        ("Is the sofa taller, or the chair?", "Yes, the chair.", "tall"),
    ],
)
def test_orders_and_choices_that_may_be_turned_round_are_left_over(question: str, answer: str, left: str):
    found = read_turn(question, answer, KINDS)
    assert [one.text for one in found.statements if len(one.things) == 2] == []
    assert left in found.leftover


@each_case(
    ("text", "marked"),
    [
        ("more than three chairs", "%>3 @chair*"),
        ("at least 3 chairs", "%>=3 @chair*"),
        ("a dozen", "%12"),
        ("over twenty metres", "^>20"),
        ("within two metres", "^<2"),
        ("80 centimetres", "^0.8"),
        ("2.5 of it", "2.5 of it"),
    ],
)
def test_amounts_and_bounds_are_marked(text: str, marked: str):
    assert mark_text(text, KINDS).text == marked


@each_case(
    ("question", "answer", "said"),
    [
        ("Where should I look for the sofa?", "Anywhere but on the left.", {"not The sofa is on the left."}),
        ("What colour is the sofa?", "Anything but red.", {"not The sofa is red."}),
        ("Is this a bathroom?", "It is nothing but a kitchen.", {"This is a kitchen."}),
        ("Are there two chairs?", "No, there are more than two.", {"There are > 2 chairs.", "There is a chair."}),
        ("How far is the sofa?", "Over twenty metres.", {"The sofa is > 20 metres away.", "There is a sofa."}),
        ("Is it right to say the sofa is left of the chair?", "That's right.", {"The sofa is left of the chair."}),
        ("True or false: the sofa is red.", "False.", {"not The sofa is red."}),
        ("What is right beneath the picture?", "The sofa.", {"The picture is on the sofa."}),
    ],
)  # fmt: skip
def test_words_that_turn_round_bound_or_rank_are_read(question: str, answer: str, said: set[str]):
    found = read_turn(question, answer, KINDS).statements
    told = {f"{'not ' if one.denied else ''}{one.text}" for one in found}
    assert said <= told <= said | {f"There is a {kind}." for kind in KINDS}
