"""Further templates pass what our own pass, or stay out with a reason."""

from pathlib import Path

import pytest

from instructions.dialogues.templates import load_pool
from instructions.errors import InstructionError
from instructions.language.options import LanguageOptions
from roomtour.scoring.dialogues.pools import ask_templates, find_template_fault, join_pool, read_pools, write_pool
from tests.support.cases import each_case
from tests.support.doubles.scripted_model import ScriptedModel


@each_case(
    ("task", "variant", "text", "fault"),
    [
        ("count", None, "Please count all {Cs} here.", None),
        ("count", None, "How many are there?", "lacks"),
        ("count", "", "There are 3 of them.", "lacks"),
        ("count", "", "One sees {NC} in view.", "not read as what it says"),
        ("count", None, "How many {Cs} and {Ds} are there?", "Ds is no placeholder"),
        ("count", None, "In the given data, how many {Cs} are there?", "given data"),
        ("detect", "", "Here is {aC} at {B}.", "aC is no placeholder"),
        ("classify_thing", "", "It is surely not {aC}.", "not read as what it says"),
        ("presence", "yes", "Certainly.", "claims more"),
        ("ground", "", "It lies at {B} or [0.1].", "a bracket that is no placeholder"),
        ("choice", "", "I take {A}.", "lacks L"),
        ("unseen", "unseen", "You see it on the left.", "not read as what it says"),
        ("count", None, "How many {Cs} are  there?", "double blanks"),
        ("count", None, "Count {Cs}", "neither a question mark nor a stop"),
    ],
)
def test_what_may_join_and_what_not(task: str, variant: str | None, text: str, fault: str | None):
    found = find_template_fault(task, text, variant=variant)
    assert (found is None) if fault is None else fault in str(found), found


def test_a_file_is_written_and_read(tmp_path: Path):
    pool, left = join_pool("count", ("Please count all {Cs} here.", "How many?"), {"": ("My count: {NC}.",)})
    assert list(left) == ["How many?"]
    assert write_pool(pool, tmp_path / "count.toml") == 2
    again = read_pools(tmp_path)["count"]
    assert again == pool
    assert again.questions[: len(load_pool("count").questions)] == load_pool("count").questions


BAD_FILES = (
    ("count.toml", 'questions = ["How many?"]', "lacks"),
    ("juggle.toml", "questions = []", "no task 'juggle'"),
    ("count.toml", "questions = [", "cannot be read"),
    ("count.toml", "colour = 1", "colour"),
    ("count.toml", 'answers_yes = ["Yes."]', "no answers 'yes'"),
)


def test_a_bad_file_is_one_line(subtests, tmp_path: Path):
    for number, (name, text, told) in enumerate(BAD_FILES):
        with subtests.test(text):
            (tmp_path / str(number)).mkdir()
            (tmp_path / str(number) / name).write_text(text)
            with pytest.raises(InstructionError) as caught:
                read_pools(tmp_path / str(number))
            assert told in str(caught.value)
            assert "\n" not in str(caught.value)


def test_an_empty_or_missing_folder_is_told(tmp_path: Path):
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(InstructionError, match="roomtour dialogues pool"):
            read_pools(folder)


def ask_author(reply: object, folder: Path):
    options, author = LanguageOptions(base_url="http://localhost:1", model="m"), ScriptedModel(lambda messages: reply)
    return ask_templates("count", replies=folder, options=options, connect=lambda: author)


def test_a_model_is_asked_and_its_sentences_are_checked(tmp_path: Path):
    reply = {
        "questions": ["Please count all {Cs} here.", "How many?"],
        "answers": {"": ["My count: {NC}.", "{NC}."], "x": ["y y"]},
    }
    pool, left = ask_author(reply, tmp_path)
    own = load_pool("count")
    assert set(pool.questions) - set(own.questions) == {"Please count all {Cs} here."}
    assert set(pool.answers[""]) - set(own.answers[""]) <= {"My count: {NC}.", "{NC}."}
    assert {"How many?", "y y"} <= set(left)


def test_no_reply_is_one_line(tmp_path: Path):
    with pytest.raises(InstructionError, match="roomtour dialogues pool count"):
        ask_author({"questions": 3}, tmp_path)
