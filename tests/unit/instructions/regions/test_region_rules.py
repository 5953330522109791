"""Rules of texts and numbers, question types, parsing and repeats: tables of cases."""

import re

import pytest

from instructions.regions.clusters import find_clusters, find_concepts, measure_likeness
from instructions.regions.measured.region_fact import TYPES, load_wordings
from instructions.regions.parse import Qars
from instructions.regions.question_types import find_type
from instructions.regions.records import Parts
from instructions.regions.rules import (
    count_sentences,
    find_echo,
    find_id_fault,
    find_mentions,
    find_stutter,
    find_text_fault,
)
from tests.support.cases import each_case

SLOTS = [
    *("color", "height", "bottom", "top", "side", "distance", "seen", "way", "across", "near", "far", "step", "how"),
    *("apart", "other", "noun", "use", "where", "room"),
]
GOOD = Parts("What is [0]?", "[0] is a sofa.", "It is wide.")


@each_case(
    ("parts", "mode", "code"),
    [
        (GOOD, "id", None),
        (Parts("Where?", "A kitchen.", "It is."), "id", "no_id"),
        (Parts("Where?", "A kitchen.", "It is."), "description", None),
        (GOOD, "description", "has_id"),
        (Parts("What is [4]?", "A sofa.", "Wide."), "id", "unknown_id"),
        (Parts("What is [3]?", "A sofa.", "Wide."), "id", None),
    ],
)
def test_numbers_of_a_row(parts, mode, code):
    fault = find_id_fault(parts, mode, 4)
    assert (fault.code if fault else None) == code


def test_at_most_five_regions_are_named():
    for count, code in ((5, None), (6, "too_many_ids")):
        text = " ".join(f"[{number}]" for number in range(count))
        fault = find_id_fault(Parts(text, text, text), "id", 10)
        assert (fault.code if fault else None) == code


FAULTS = {
    None: ["It is a sofa.", "It is likely a sofa, and might be old.", "One. Two.", "It is 2.5 m away. It is wide.",
        "The orchid on the floor.", "The regional train.", "The chair is upright."],
    "empty": [""],
    "sentences": ["One. Two. Three."],
    "hedge": ["It is hard to tell.", "One may be speculating."],
    "options": ["It is a sofa or a bed.", "A sofa and/or a bed."],
    "meta": ["It is in the image.", "The bounding box is wide."],
    "banned": ["There is a watermark.", "The lighting is soft.", "Her hair is long."],
}  # fmt: skip


def test_words_of_a_row():
    for code, answers in FAULTS.items():
        for answer in answers:
            fault = find_text_fault(Parts("What is it?", answer, "So it is."))
            assert (fault.code if fault else None) == code, answer


def test_a_picture_on_the_wall_is_no_word_about_the_photograph():
    parts = Parts("What is [0]?", "It is a picture.", "It hangs.")
    assert find_text_fault(parts, names=("picture",)) is None
    assert find_text_fault(parts) is not None


def test_sentences_are_counted_by_their_ends():
    assert [count_sentences(text) for text in ("", "a", "a.", "a. b", "a! b?", "about 1.5 m. B")] == [0, 1, 1, 2, 2, 2]


def test_mentions_stand_in_order_of_first_mention():
    assert find_mentions(Parts("[3] and [1]?", "[1] [0].", "[3]")) == (3, 1, 0)


TYPE_OF = {
    "Reason": ["Why is [0] here?", "What is the reason for that?", "What is the motive?"],
    "Purpose": ["What is the purpose of [0]?", "What might [0] be used for?", "Which significance has it?"],
    "Relationship": ["What is the relationship between [0] and [1]?", "How are they related?"],
    "Role": ["What job has [0]?"],
    "Focus": ["Which stands out?", "What is the focal point?"],
    "Ambiance": ["What mood is this?"],
    "Emotion": ["How does [0] feel?"],
    "Attribute": ["What colour is [0]?", "What color is [0]?", "What is the material of [0]?",
        "Is the colour of [0] red?"],
    "Action": ["What is [0] doing?"],
    "Type": ["What kind of room is this?"],
    "Scene": ["Where is [0]?", "What time is it?"],
    "Inference": ["What can one infer?", "What might come next?", "How might [0] fall?"],
    "Factual": ["Is [0] open?", "Has it moved?"],
    "Others": ["Who is there?", "Isolated things, which are they?", "Somewhere else?"],
}  # fmt: skip


def test_types_go_by_words_and_the_first_that_fits():
    found = {question: find_type(question) for questions in TYPE_OF.values() for question in questions}
    assert found == {question: kind for kind, questions in TYPE_OF.items() for question in questions}


def test_every_type_has_four_wordings_that_are_of_the_type():
    by_type = {kind: 0 for kind in TYPES}
    for (kind, task), wordings in load_wordings().items():
        assert len(wordings) >= 4, (kind, task)
        by_type[kind] += len(wordings)
        for one in wordings:
            question, answer, rationale = one.fill(
                {"A": ("[0]", False), "B": ("[1]", False)}, dict.fromkeys(SLOTS, "one")
            )
            assert find_type(question) == kind, question
            assert find_text_fault(Parts(question, answer, rationale)) is None, (question, answer, rationale)
            assert question.endswith("?")
            assert re.search(r"%|frame|standpoint|recogni|certain", rationale) is None, "nobody sees that in a view"
    assert min(by_type.values()) >= 4


def test_replies_hold_one_to_three_items_of_plain_text_and_numbers():
    item = {"question": "What is [0]?", "answer": "a", "rationale": "b", "claims": [], "reasons": []}
    assert Qars.model_validate({"qars": [item]})
    bad = [
        [{**item, "question": text}] for text in ("What is [0].", "What is <b>?", "What is [x]?", "What " * 41 + "?")
    ]
    for items in ([], [item] * 4, *bad):
        with pytest.raises(ValueError, match="qars"):
            Qars.model_validate({"qars": items})


def test_facts_about_the_same_things_are_told_apart_and_held_together_in_other_words():
    texts = [
        "Which side of [1] is [0] on? On its left side.",
        "Is [1] further off than [0]? Yes, the distance to [0] is less.",
        "Do I look left of [1] to see [0]? Yes.",
        "Does one get to [0] sooner than to [1]? It is nearer.",
    ]
    assert find_clusters(measure_likeness(texts), 2) == [0, 1, 0, 1]
    assert find_concepts("The hue of [0] is close to red.").keys() == {"colour"}
    by_words = [
        "What colour has the sofa? It is red.",
        "In what shade does it come? Red.",
        "Where is the bed? On the left.",
    ]
    assert find_clusters(measure_likeness(by_words, about=[(3,), (3,), (1,)]), 2) == [0, 0, 1]
    near = measure_likeness(texts)
    assert near == pytest.approx(near.T)
    assert near.diagonal() == pytest.approx([1.0] * 4)


@each_case(
    ("parts", "is_echo"),
    [
        (Parts("What is [0]?", "[0] is a sofa.", "Because it is a sofa."), True),
        (Parts("Is [0] left of [1]?", "Yes.", "[0] stands left of [1]."), False),  # that it stands is new
        (Parts("Is [0] left of [1]?", "Yes.", "[1] is right of [0]."), False),
        (Parts("Who stands there?", "[0] stands there.", "Of [0] standing there."), True),
        (Parts("Who stands there?", "[0] stands there.", "[1] stands there."), False),
    ],
)
def test_a_rationale_that_only_repeats_the_answer_is_an_echo(parts, is_echo):
    fault = find_echo(parts)
    assert (fault is not None and fault.code == "echo") == is_echo


@each_case(
    ("rationale", "is_found"),
    [
        ("The door lies next to the bed, next to the bed, next to the bed.", True),
        ("[0] is left of [1], left of [2] and left of [3].", False),
        ("Next to the bed, next to the bed.", False),
    ],
)
def test_a_phrase_three_times_in_a_row_is_a_stutter(rationale, is_found):
    assert (find_stutter(Parts("What is [0]?", "A door.", rationale)) is not None) == is_found


@each_case(
    ("text", "families"),
    [
        ("[0] sits further left.", {"side"}),
        ("[0] is farther than [1].", {"depth"}),
        ("They are side by side.", {"neighbour"}),
        ("[1] stands right by [0].", {"neighbour"}),
        ("There is a shorter way to it.", {"depth"}),
    ],
)
def test_words_of_two_senses_are_told_apart_by_their_neighbours(text, families):
    assert find_concepts(text).keys() == families
