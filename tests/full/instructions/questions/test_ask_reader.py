"""Free questions are read as what they ask, or not at all: never as something else."""

from __future__ import annotations

from instructions.questions.things.ask_reader import read_ask
from instructions.questions.things.words import templates_of
from instructions.questions.types import TYPES, QuestionType
from instructions.wording.english import fill
from tests.support.cases import each_case

NAMES = ("the red chair", "the wooden table")
WITHOUT_ORDER = ("distance", "gap", "horizontal_distance", "vertical_distance", "passage")


def questions_of(name: str) -> list[str]:
    things = {"A": (NAMES[0], False), "B": (NAMES[1], False)}
    lists = templates_of(name)
    return [fill(text, things, {}) for key, texts in lists.items() if key.startswith("questions") for text in texts]


@each_case("kind", TYPES.values(), ids=lambda kind: kind.name)
def test_no_question_of_ours_is_read_as_another_or_the_other_way_round(kind: QuestionType) -> None:
    for question in questions_of(kind.name):
        read = read_ask(question, NAMES)
        if read is None:
            continue
        assert read.type.name == kind.name, question
        if kind.form != "choice" and kind.name not in WITHOUT_ORDER:
            assert read.things == (0, 1)[: kind.objects], question


def test_most_questions_are_read() -> None:
    every = [question for name in TYPES for question in questions_of(name)]
    assert sum(read_ask(question, NAMES) is not None for question in every) >= 0.75 * len(every)


@each_case(
    ("text", "name", "things"),
    [
        ("Would you say the wooden table stands left of the red chair?", "left_predicate", (1, 0)),
        ("Compared to the red chair, is the wooden table taller?", "tall_predicate", (1, 0)),
        ("what's the distance separating the red chair from the wooden table", "distance", (0, 1)),
        ("How far to the right of the wooden table is the red chair?", "right_difference", (0, 1)),
        ("Which is wider, the wooden table or the red chair?", "wide_choice", (1, 0)),
        ("How tall is the wooden table?", "height", (1,)),
        ("How far is the red chair from the camera?", "camera_distance", (0,)),
        ("How wide is the passage between the red chair and the wooden table?", "passage", (0, 1)),
    ],
)
def test_words_of_others_are_read(text: str, name: str, things: tuple[int, ...]) -> None:
    read = read_ask(text, NAMES)
    assert read is not None
    assert (read.type.name, read.things) == (name, things)


@each_case(
    "text",
    [
        "",
        "What a nice room!",
        "Is the red chair here?",
        "Is the red chair red?",
        "Is the red chair not left of the wooden table?",
        "Isn't the red chair taller than the wooden table?",
        "Is the red chair left of or behind the wooden table?",
        "Is the lamp left of the wooden table?",
        "How old is the red chair?",
        "Left or right?",
        "How heavy is the red chair compared with the wooden table?",
    ],
)
def test_what_is_not_sure_is_not_read(text: str) -> None:
    assert read_ask(text, NAMES) is None


def test_a_name_inside_another_is_not_that_thing() -> None:
    read = read_ask("Is the chair to the left of the chair further to the right in the image?", NAMES)
    assert read is None
    names = ("the chair", "the armchair")
    read = read_ask("Is the armchair to the left of the chair?", names)
    assert read is not None
    assert read.things == (1, 0)
