"""Short answers are read with their questions; what is not said gives no statement."""

from __future__ import annotations

import pytest

from instructions.dialogues.full_sentences import deny_presence, say_in_full

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
        ("Is the sofa to the left of the chair?", "No, it is the other way round.", "The sofa is right of the chair."),
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
    ],
)
def test_answers_in_full(question: str, answer: str, statement: str):
    assert statement in say_in_full(question, answer, KINDS)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Do you like being here?", "Yes, it is pleasant."),
        ("Is the sofa nearer than the chair?", "No."),  # not that it is the other way round
        ("Is the sofa left of the chair?", "No."),
        ("Is the sofa red?", "No."),
        ("Would you sit on the sofa or on the chair?", "I do not know yet."),
        ("Where is the sofa?", "Right here."),
        ("Is there a sofa left of the chair?", "I cannot say."),
        ("", ""),
    ],
)
def test_what_is_not_said_gives_nothing(question: str, answer: str):
    assert say_in_full(question, answer, KINDS) == ()


@pytest.mark.parametrize(
    ("question", "answer", "kind"),
    [
        ("Is there a chair?", "No, I see none.", "chair"),
        ("Do you see a floor lamp anywhere?", "I do not see one.", "floor lamp"),
        ("What is missing?", "I do not see any sofa.", "sofa"),
        ("Could I sit down?", "There is no chair here.", "chair"),
        ("Is a sofa part of this?", "No, there isn't a sofa here.", "sofa"),
        ("Is there a chair left of the sofa?", "No, there is none.", None),  # there may be one elsewhere
        ("Is the sofa red?", "No.", None),
        ("Is there a chair?", "Yes, there is.", None),
        ("Is there a chair?", "No, but the sofa is comfortable.", None),
    ],
)
def test_denied_kinds(question: str, answer: str, kind: str | None):
    assert deny_presence(question, answer, KINDS) == kind
