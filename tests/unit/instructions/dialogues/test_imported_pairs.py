"""Questions with answers of other data sets become statements that say the same, by rules and by a language model."""

from pathlib import Path

from instructions.dialogues.tasks.annotations import Annotation, AskedPair
from instructions.dialogues.tasks.imported_pairs import (
    MOST_PAIRS,
    Statements,
    find_statement_fault,
    state,
    state_by_model,
    state_by_rules,
)
from instructions.language.options import LanguageOptions
from tests.support.cases import each_case
from tests.support.doubles.scripted_model import ScriptedModel


@each_case(
    ("question", "answer", "said"),
    [
        ("Is there a table in the room?", "Yes.", "There is a table in the room."),
        ("Is there an oven?", "No", "There is no oven."),
        ("Are there any chairs here?", "yes", "There are chairs here."),
        ("Are there any chairs?", "No.", "There are no chairs."),
        ("Is the sofa next to the bed?", "Yes", "The sofa is next to the bed."),
        ("Is the door open?", "No, it is not.", "The door is not open."),
        ("How many chairs are there?", "4", "There are four chairs."),
        ("How many shelves are there?", "No shelves", None),
        ("What is the colour of the rug?", "red", "The colour of the rug is red."),
        ("What is its shape?", "round", "The shape of the scene is round."),
        ("Is the sofa bed open?", "yes", None),  # where the name ends nobody can tell
    ],
)
def test_rules(question: str, answer: str, said: str | None):
    assert state(AskedPair(question, answer)) == said


PAIRS = (AskedPair("Is there a lamp?", "No."), AskedPair("How many stools are there?", "3"))


@each_case(
    ("sentences", "fault"),
    [
        (["There is no lamp.", "There are three stools."], None),
        (["There is no lamp."], "1 sentences for 2 pairs"),
        (["No, there is no lamp.", "There are three stools."], "begins with yes or no"),
        (["There is no lamp.", "How many stools are there?"], "is a question"),
        (["There is no lamp.", "There are four stools."], "number that its pair has not"),
        (["There is a lamp.", "There are three stools."], "yes for no"),
    ],
)
def test_what_a_model_may_not_do(sentences: list[str], fault: str | None):
    found = find_statement_fault(PAIRS, Statements(sentences=sentences))
    assert (found is None) if fault is None else fault in str(found)


def ask(folder: Path, pairs: list[AskedPair], spoil: bool = False):
    """Statements by a model that makes a sentence of each pair, all or all but the last; and how often it was asked."""

    def write(messages) -> dict[str, list[str]]:
        asked = [part.split("\n") for part in messages[-1].content.split("\n***\n")]
        sentences = [f"The answer to {question.rstrip('?').lower()} is {answer}." for question, answer in asked]
        return {"sentences": sentences[:-1] if spoil else sentences}

    scribe = ScriptedModel(write)
    told, rejected, _ = state_by_model(
        [Annotation(None, "0", pairs=tuple(pairs))], tour="flat", seed=0, replies=folder,
        options=LanguageOptions(base_url="http://localhost:1", model="m"), connect=lambda: scribe,
    )  # fmt: skip
    return told, rejected, len(scribe.asked)


def test_many_pairs_go_into_one_call_and_replies_are_kept(tmp_path: Path):
    pairs = [AskedPair(f"What colour is chair {number}?", "red") for number in range(MOST_PAIRS + 5)]
    told, rejected, calls = ask(tmp_path, pairs)
    assert (calls, rejected, len(told)) == (2, 0, len(pairs))
    assert told[pairs[3]] == "The answer to what colour is chair 3 is red."
    assert ask(tmp_path, pairs) == (told, 0, 0)


def test_a_call_with_a_sentence_too_few_is_replaced_by_rules(tmp_path: Path):
    told, rejected, _ = ask(tmp_path, [*PAIRS, AskedPair("Why?", "Because.")], spoil=True)
    assert rejected == 1
    assert told == state_by_rules([Annotation(None, "0", pairs=PAIRS)])
    assert sorted(told.values()) == ["There are three stools.", "There is no lamp."]
