"""A turn is read by its things, relations and negations, in whatever sentence they stand; what is left over is told."""

from __future__ import annotations

import pytest

from instructions.dialogues.rounding import find_interval_m
from instructions.dialogues.turn_marks import mark_text
from instructions.dialogues.turn_meaning import read_turn

KINDS = ("sofa", "floor lamp", "chair", "picture")


@pytest.mark.parametrize(
    ("question", "answer", "statement"),
    [
        ("Where is the sofa?", "Over on the left.", "The sofa is on the left."),
        ("What is on the right?", "A chair.", "The chair is on the right."),
        ("Is the sofa on the right?", "No, on the left.", "The sofa is on the left."),
        ("Which is further to the left, the sofa or the chair?", "The chair.", "The chair is left of the sofa."),
        ("How do they stand?", "The sofa is further left than the chair.", "The sofa is left of the chair."),
        ("Coming from the chair, where is the sofa?", "To the right of it.", "The sofa is right of the chair."),
        ("Which is nearer, the sofa or the chair?", "The chair.", "The chair is nearer than the sofa."),
        ("Which is nearer, the sofa or the chair?", "It is the chair.", "The chair is nearer than the sofa."),
        ("Which is more distant, the sofa or the chair?", "The sofa.", "The sofa is farther than the chair."),
        ("Would you reach the sofa before the chair?", "Yes.", "The sofa is nearer than the chair."),
        ("Which is taller, the floor lamp or the sofa?", "The floor lamp.", "The floor lamp is taller than the sofa."),
        ("Is the sofa taller than the chair?", "No, the chair is taller.", "The chair is taller than the sofa."),
        ("Is the sofa taller than the chair?", "No, it is lower.", "The sofa is shorter than the chair."),
        ("How many chairs are there?", "Two.", "There are two chairs."),
        ("Do you see any chairs?", "Yes, three of them.", "There are three chairs."),
        ("What colour is the sofa?", "It is red.", "The sofa is red."),
        ("Is the sofa red?", "Yes, it is.", "The sofa is red."),
        ("What kind of room is this?", "A kitchen.", "This is a kitchen."),
        ("Does this look like an office?", "Yes, it does.", "This is an office."),
        ("What carries the picture?", "The sofa carries it.", "The picture is on the sofa."),
        ("Where does the picture stand?", "On top of the chair.", "The picture is on the chair."),
        ("Have you got a chair in view?", "I have, yes.", "There is a chair."),
        # the same relation in the words of nobody's pattern
        (
            "What would come down without the sofa?",
            "The picture would, since it rests on the sofa.",
            "The picture is on the sofa.",
        ),
        ("Is the picture on the floor?", "No, it is the sofa that it stands on.", "The picture is on the sofa."),
        (
            "What does the sofa do for the picture?",
            "The picture is carried by the sofa.",
            "The picture is on the sofa.",
        ),
        ("So?", "From the chair you go left, and there the sofa is.", "The sofa is left of the chair."),
        (
            "Going from left to right, which comes first, the sofa or the chair?",
            "The chair comes first.",
            "The chair is left of the sofa.",
        ),
        ("Which has the sofa beside it?", "The chair has the sofa on its left.", "The sofa is left of the chair."),
        ("How do they compare?", "The sofa is not as tall as the chair.", "The sofa is shorter than the chair."),
        ("How far?", "There is less distance to the sofa than to the chair.", "The sofa is nearer than the chair."),
        ("Would five be the number of chairs?", "No, there are three, not five.", "There are three chairs."),
        ("Which paint does the sofa need?", "Rather red than green.", "The sofa is red."),
        ("Which way do I turn for the sofa?", "Well over to the right-hand side.", "The sofa is on the right."),
        ("And the sofa?", "You would have to walk two and a half metres.", "The sofa is about 2.5 metres away."),
    ],
)
def test_turns_are_read(question: str, answer: str, statement: str):
    found = [one for one in read_turn(question, answer, KINDS).statements if not one.denied]
    told = [one.text for one in found if one.family != "visible"]  # besides, what is named is said to be there
    assert (told or [one.text for one in found]) == [statement]


@pytest.mark.parametrize(
    ("question", "answer", "statement"),
    [
        ("Is the sofa nearer than the chair?", "No.", "The sofa is nearer than the chair."),
        ("Is the sofa left of the chair?", "No, it is the other way round.", "The sofa is left of the chair."),
        ("Is the sofa red?", "No.", "The sofa is red."),
        ("Are there two chairs?", "No.", "There are two chairs."),
        ("Is there a chair?", "No, I see none.", "There is a chair."),
        ("Is there a floor lamp anywhere?", "I do not see one.", "There is a floor lamp."),
        ("What is missing?", "I do not see any sofa.", "There is a sofa."),
        ("Could I sit down?", "There is no chair here.", "There is a chair."),
        ("Is a sofa part of this?", "No, there isn't a sofa here.", "There is a sofa."),
        ("What does this view lack?", "It lacks a chair.", "There is a chair."),
        ("Is the place without a chair?", "Yes, it is without one.", "There is a chair."),
        ("Can I fetch a chair?", "I am afraid you cannot, as there isn't one in sight.", "There is a chair."),
    ],
)
def test_denials_are_read_as_denials(question: str, answer: str, statement: str):
    found = [one for one in read_turn(question, answer, KINDS).statements if one.denied]
    assert [one.text for one in found] == [statement]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is a chair missing?", "It is not missing; you can see it."),
        ("Is the place without a chair?", "No, it is not without one."),
        ("Would I look for a chair in vain?", "No, you would find one."),
        ("Isn't there a chair?", "There is indeed."),
    ],
)
def test_two_negations_are_none(question: str, answer: str):
    assert [(one.text, one.denied) for one in read_turn(question, answer, KINDS).statements] == [
        ("There is a chair.", False)
    ]


@pytest.mark.parametrize(
    ("question", "answer", "left"),
    [
        ("Which of the sofa, the chair and the picture?", "It is further left than that.", ("side",)),
        ("And the chair?", "It is taller.", ("tall",)),
        ("Do you see many chairs?", "Four or five.", ("count",)),
        ("What rests where?", "One thing is on top of the chair.", ("on",)),
    ],
)
def test_words_that_no_reading_accounts_for_are_left_over(question: str, answer: str, left: tuple[str, ...]):
    assert read_turn(question, answer, KINDS).leftover == left


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Do you like being here?", "Yes, it is pleasant."),
        ("", ""),
        ("Would you stay?", "I would, for a while."),
        ("Is that the right number?", "You are right."),
        ("Could I look over it?", "Its top is lower than the eyes of a seated person."),
    ],
)
def test_what_says_nothing_of_things_gives_nothing(question: str, answer: str):
    found = read_turn(question, answer, KINDS)
    assert (found.statements, found.leftover) == ((), ())


def test_marks_keep_what_is_said():
    marked = mark_text("The red sofa isn't on the left-hand side of the two chairs.", KINDS)
    assert marked.text == "@sofa =red is n't #left of the %2 @chair*."
    assert marked.kinds == ("sofa", "chair")
    assert mark_text("Picture this: it lies in the picture.", KINDS).kinds == ()


@pytest.mark.parametrize(
    ("told", "measured", "is_right"),
    [(2.0, 1.5, True), (2.0, 1.49, False), (2.0, 2.5, True), (2.0, 2.51, False), (2.5, 2.25, True), (2.5, 2.24, False)],
)
def test_a_rounded_length_is_right_within_its_interval(told: float, measured: float, is_right: bool):
    low, high = find_interval_m(told)
    assert (low <= measured <= high) is is_right
