"""A turn is read by its things, relations and negations, in whatever sentence they stand; what is left over is told."""

from __future__ import annotations

import pytest

from instructions.dialogues.filters import needs_viewpoint
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


@each_case(
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


@each_case(
    ("question", "answer", "said"),
    [
        ("Rank the sofa and the chair by height.", "The sofa ranks first, the chair second.", "sofa taller chair"),
        (
            "Put the sofa and the chair in order from near to far.",
            "First the chair, then the sofa.",
            "chair nearer sofa",
        ),
        ("Sort the sofa and the chair, nearest first.", "The sofa is second, the chair is first.", "chair nearer sofa"),
        ("Am I closer to the sofa or to the chair?", "To the chair, clearly.", "chair nearer sofa"),
        (
            "Which is further out on the right, the sofa or the chair?",
            "The sofa is further out.",
            "sofa right of chair",
        ),
        (
            "Compare the heights of the sofa and the chair.",
            "In height, the sofa exceeds the chair.",
            "sofa taller chair",
        ),
        ("Sort the sofa and the chair by height.", "Second is the sofa, first the chair.", "chair taller sofa"),
        ("Name them from left to right.", "The sofa comes second, the chair first.", "chair left of sofa"),
        ("Name the sofa and the chair from left to right.", "The sofa comes after the chair.", "chair left of sofa"),
        ("Which is nearer, the sofa or the chair?", "The chair is further out.", "chair farther sofa"),
        ("Which is nearer, the sofa or the chair?", "The chair is further along.", "chair farther sofa"),
        (
            "Which is taller, the sofa or the chair?",
            "The sofa is exceeded in height by the chair.",
            "sofa shorter chair",
        ),
        ("Which is taller, the sofa or the chair?", "The sofa is towered over by the chair.", "sofa shorter chair"),
        ("Is the sofa taller than the chair, or not?", "Yes, compared with the chair.", "sofa taller chair"),
        ("Is the sofa taller, or the chair?", "No, the chair.", "chair taller sofa"),
        ("Is the sofa smaller in height than the chair?", "No; the chair is smaller in height.", "chair shorter sofa"),
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
        ("Rank the sofa and the chair by height, in ascending order.", _LISTED, "tall"),
        ("Rank the sofa and the chair by height, low to high.", _LISTED, "tall"),
        ("Rank the sofa and the chair by height, from the smallest to the largest.", _LISTED, "tall"),
        ("In ascending order, rank the sofa and the chair by height.", _LISTED, "tall"),
        ("Sort the sofa and the chair, tallest last.", _LISTED, "tall"),
        ("Sort the sofa and the chair by distance.", _LISTED, "near"),
        ("Sort the sofa and the chair from near to far, in reverse.", _LISTED, "near"),
        (_BY_HEIGHT, "The sofa comes after the chair.", "tall"),
        (_BY_HEIGHT, "The sofa is in second place, the chair in first.", "tall"),
        (_BY_HEIGHT, "The sofa is not first, the chair is.", "tall"),
        (_BY_HEIGHT, "The sofa, the chair first.", "tall"),
        ("From left to right, which comes last, the sofa or the chair?", "The chair.", "side"),
        ("Name the sofa and the chair from left to right.", "Certainly the chair, then the sofa.", "side"),
        ("From left to right, what comes after the sofa?", "The chair.", "side"),
        ("From left to right, which is further along, the sofa or the chair?", "The chair.", "side"),
        ("From left to right, which of the sofa and the chair is it?", "The chair is further along.", "side"),
        ("Is the sofa taller, or the chair?", "Yes, the chair.", "tall"),
        ("Is the sofa taller than the chair, or as tall as the chair?", "No, compared with the chair.", "tall"),
    ],
)
def test_orders_and_choices_that_may_be_turned_round_are_left_over(question: str, answer: str, left: str):
    found = read_turn(question, answer, KINDS)
    assert [one.text for one in found.statements if len(one.things) == 2] == []
    assert left in found.leftover


@pytest.mark.parametrize(
    "answer", ["It is 5 metres tall and 3 metres away.", "It is 3 metres away, 5 metres wide.", "It is 3 metres tall."]
)
def test_a_length_of_a_thing_leaves_the_distance_over(answer: str):
    assert "distance" in read_turn("Tell me about the sofa.", answer, KINDS).leftover


@pytest.mark.parametrize("left_out", ["the chair on the left", "the left to the chair", "the left to a chair"])
def test_what_is_left_on_a_side_is_said_to_be_there(left_out: str):
    found = read_turn("Where is the sofa?", f"It is on the right, leaving {left_out}.", KINDS).statements
    assert {one.text for one in found if one.family == "side"} == {
        "The sofa is on the right.",
        "The chair is on the left.",
    }


@pytest.mark.parametrize(
    ("answer", "is_distance"),
    [
        ("It is 3 metres tall.", False),
        ("It has a height of 3 metres.", False),
        ("It is 3 metres in width.", False),
        ("It is 3 metres away.", True),
        ("It is 3 metres deep in the room.", True),
    ],
)
def test_a_length_of_a_thing_is_no_distance(answer: str, is_distance: bool):
    found = read_turn("Tell me about the sofa.", answer, KINDS)
    assert [one.family for one in found.statements if one.family == "distance"] == ["distance"] * is_distance


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        ("I heard it has a sofa; is that right?", "That's right, it has a sofa.", {"There is a sofa."}),
        ("Is something missing?", "A sofa is missing, for one thing.", {"not There is a sofa."}),
        ("Is it the study?", "It's the kitchen rather than the study.", {"This is a kitchen.", "not This is a study."}),
        (
            "Where is the sofa?",
            "It is towards the right side, leaving the left side to other things.",
            {"The sofa is on the right.", "There is a sofa."},
        ),
    ],
)
def test_idioms_of_denial_and_agreement(question: str, answer: str, said: set[str]):
    found = read_turn(question, answer, KINDS).statements
    assert {f"{'not ' if one.denied else ''}{one.text}" for one in found} == said


@pytest.mark.parametrize(
    ("text", "needs_place"),
    [
        ("I'd guess five. Am I right? Not quite; there are three.", False),
        ("I heard it has a sofa; is that right? It is.", False),
        ("Is it right of the sofa? It is.", True),
        ("Where is it? On the right.", True),
        ("Standing at the door and facing the sofa, what is on the right?", False),
    ],
)
def test_right_as_in_true_needs_no_place(text: str, needs_place: bool):
    assert needs_viewpoint(text) is needs_place


@each_case(
    ("text", "marked"),
    [
        ("more than three chairs", "%>3 @chair*"),
        ("no more than three chairs", "%<=3 @chair*"),
        ("at least 3 chairs", "%>=3 @chair*"),
        ("fewer than fifteen chairs", "%<15 @chair*"),
        ("a dozen", "%12"),
        ("half a dozen", "%6"),
        ("a picture above two chairs", "any @picture above %2 @chair*"),
        ("over twenty metres", "^>20"),
        ("within two metres", "^<2"),
        ("half a metre", "^0.5"),
        ("a metre and a half", "^1.5"),
        ("80 centimetres", "^0.8"),
        ("ten feet", "^3.05"),
        ("within arm's reach", "^<1"),
        ("2.5 of it", "2.5 of it"),
        ("steps of a metre", "steps of a metre"),
    ],
)
def test_amounts_and_bounds_are_marked(text: str, marked: str):
    assert mark_text(text, KINDS).text == marked


@each_case(
    ("question", "answer", "said"),
    [
        ("Where should I look for the sofa?", "Anywhere but on the left.", {"not The sofa is on the left."}),
        ("Left or right, the sofa?", "The opposite of right.", {"not The sofa is on the right."}),
        ("Where is the sofa?", "Right in the middle of the view.", {"The sofa is on the middle."}),
        ("What colour is the sofa?", "Anything but red.", {"not The sofa is red."}),
        ("Which room is this?", "Every room but the kitchen.", {"not This is a kitchen."}),
        ("Is this a bathroom?", "It is nothing but a kitchen.", {"This is a kitchen."}),
        ("Is there a chair?", "There used to be one, but it is gone.", {"not There is a chair."}),
        ("Where is the chair?", "There's none to be found.", {"not There is a chair."}),
        ("Do you see a chair?", "I see two of them.", {"There are two chairs."}),
        ("Are there two chairs?", "No, there are more than two.", {"There are > 2 chairs.", "There is a chair."}),
        ("Are there two chairs?", "No, there are fewer than that.", {"There are < 2 chairs.", "There is a chair."}),
        ("How far is the sofa?", "Over twenty metres.", {"The sofa is > 20 metres away.", "There is a sofa."}),
        ("Is the sofa over ten metres off?", "More than that.", {"The sofa is > 10 metres away.", "There is a sofa."}),
        ("How far is the sofa?", "It's within arm's reach.", {"The sofa is < 1 metres away.", "There is a sofa."}),
        ("What is the picture standing on?", "On the floor.", {"The picture is on the floor.", "There is a picture."}),
        ("Is it right to say the sofa is left of the chair?", "That's right.", {"The sofa is left of the chair."}),
        ("Starting at the chair, which way is it to the sofa?", "Go left.", {"The sofa is left of the chair."}),
        ("In height, who wins: the sofa or the chair?", "The sofa wins.", {"The sofa is taller than the chair."}),
        ("What is in front, the sofa or the chair?", "The chair is.", {"The chair is nearer than the sofa."}),
        ("Rank the sofa and the chair by how near they are.", "Sofa, chair.", {"The sofa is nearer than the chair."}),
        ("Which is further right, sofa or chair?", "The sofa, furthest that way.", {"The sofa is right of the chair."}),
        ("True or false: the sofa is red.", "False.", {"not The sofa is red."}),
        ("What is right beneath the picture?", "The sofa.", {"The picture is on the sofa."}),
        ("Which takes longer?", "The sofa takes longer than the chair.", {"The sofa is farther than the chair."}),
    ],
)  # fmt: skip
def test_words_that_turn_round_bound_or_rank_are_read(question: str, answer: str, said: set[str]):
    found = read_turn(question, answer, KINDS).statements
    told = {f"{'not ' if one.denied else ''}{one.text}" for one in found}
    assert said <= told <= said | {f"There is a {kind}." for kind in KINDS}


@pytest.mark.parametrize(
    ("question", "answer", "relation"),
    [
        ("Which is taller, the sofa or the chair?", "They are of the same height.", "taller"),
        ("Are the sofa and the chair equally far?", "Yes, they are at the same distance.", "nearer"),
        ("How do they compare?", "The sofa is as tall as the chair.", "taller"),
    ],
)
def test_what_is_even_is_neither_more_nor_less(question: str, answer: str, relation: str):
    found = [one for one in read_turn(question, answer, KINDS).statements if one.relation == relation]
    assert {(one.things, one.denied) for one in found} == {(("sofa", "chair"), True), (("chair", "sofa"), True)}


@pytest.mark.parametrize(
    ("question", "answer", "asked"),
    [
        ("Which is taller, the sofa or the chair?", "Hard to beat, either of them.", "tall"),
        ("Where is the sofa?", "Just where you would want it.", "side"),
        ("What is on the sofa?", "Nothing is on it.", "on"),
        ("How many chairs are there?", "As many as you like.", "count"),
        ("What colour is the sofa?", "A lovely one.", "colour"),
        ("How far is the sofa?", "A stone's throw.", "distance"),
        ("Which room is this?", "A nice one.", "room"),
    ],
)
def test_what_answers_nothing_of_its_question_is_known_as_such(question: str, answer: str, asked: str):
    found = read_turn(question, answer, KINDS)
    assert asked in found.asked
    assert not found.asked & {one.family for one in found.statements}


@pytest.mark.parametrize(
    "question",
    [
        "Do you like being here?",
        "What could you do on the sofa?",
        "Why might somebody put a chair here?",
        "What is a sofa usually made of?",
        "Would it be a good place to read?",
        "Where would you put another chair?",
    ],
)
def test_questions_for_a_reason_ask_for_no_measure(question: str):
    assert read_turn(question, "It is soft and wide.", KINDS).asked == frozenset()


def test_stand_may_be_a_verb():
    kinds = ("tv", "tv stand")
    assert mark_text("Where does the tv stand?", kinds).kinds == ("tv",)
    assert mark_text("The tv stands on it.", kinds).kinds == ("tv",)
    assert mark_text("Is the tv on the tv stand?", kinds).kinds == ("tv", "tv stand")
    assert mark_text("Does the tv stand rise above it?", kinds).kinds == ("tv stand",)


@each_case(
    ("question", "answer", "left"),
    [
        ("How far away is the sofa?", "Three times 2 metres.", ("count",)),
        ("Is the sofa about 3 metres away?", "No, ten times as far.", ("count",)),
        ("Is the sofa about 3 metres away?", "I'd put it at several times that.", ("distance",)),
        ("Would two be the number of chairs?", "It would be one off.", ("count",)),
        ("How many metres is it to the sofa?", "Two.", ()),
        ("How many chairs are there?", "There are two chairs.", ()),
        ("If you split the view in two, where is the sofa?", "On the left.", ()),
        ("How many chairs do you see?", "Two of these two kinds, so two.", ()),
    ],
)
def test_a_number_that_no_statement_accounts_for_is_left_over(question: str, answer: str, left: tuple[str, ...]):
    assert read_turn(question, answer, KINDS).leftover == left
