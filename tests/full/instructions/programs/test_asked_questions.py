"""Freely asked questions on the made apartment: what is believed is true, and lies are not, whatever is replied."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from inspect import isfunction
from pathlib import Path
from typing import Any

import pytest

from instructions.errors import InstructionError
from instructions.language.model import NoReply
from instructions.language.options import LanguageOptions
from instructions.programs.asked.programming import AskedRows
from instructions.programs.asked.wording import find_fault
from instructions.programs.asked.writer import ask_questions
from instructions.questions.core.options import ProgramOptions, ViewSetOptions
from instructions.questions.sets.judging import SET_TYPES
from tests.support.cases import each_case
from tests.support.doubles.scripted_programmer import SKILLS, ScriptedProgrammer
from tests.support.worlds.apartment_surfaces import KnownWorld, Surfaces, know_apartment

LANGUAGE = LanguageOptions(model="scripted", concurrency=2)
FEW = ProgramOptions(views=ViewSetOptions(video_views=8, images=1, image_sets=1))


@pytest.fixture(scope="module")
def world() -> KnownWorld:
    return know_apartment(Surfaces(), tuple(float(at) for at in range(2, 50, 6)))


def ask(world: KnownWorld, folder: Path, model: Any, language: LanguageOptions = LANGUAGE) -> AskedRows:
    return ask_questions(
        world.tour, options=FEW, replies=folder, language=language,
        connect=model if isfunction(model) else lambda: model,
    )  # fmt: skip


def test_true_programs_are_believed(world, tmp_path):
    model = ScriptedProgrammer()
    written = ask(world, tmp_path, model)
    kept = [row for row in written.rows if row.accepted]
    assert len(kept) == len(written.rows) > 20
    assert {row.type for row in kept} >= {skill.category for skill in SKILLS} - {"temporal_sequence", "above"}
    for row in kept:
        assert len(row.programs) == 3
        assert all(run.agrees_with_reference and run.error is None for run in row.programs)
        assert row.laws
        assert all(law.holds for law in row.laws)
        assert {run.source_sha256 for run in row.programs} <= set(written.sources)
        assert row.truth_source == "reference"
    assert not written.findings


def test_prompts_hold_no_value_of_the_scene(world, tmp_path):
    model = ScriptedProgrammer()
    ask(world, tmp_path, model)
    numbers = {f"{part:.3f}" for one in world.objects for part in (*one.obb.center, *one.obb.half_extents) if part % 1}
    for text in model.asked:
        assert not numbers & set(re.findall(r"-?\d+\.\d{3}\b", text)) - {"1.204", "0.775"}


LIES = {
    "constant number": lambda program, seed: "def func(metadata, camera):\n    return 2.0 + 0 * len(metadata)",
    "constant true": lambda program, seed: "def func(metadata, camera):\n    return len(metadata) > 0",
    "first thing": lambda program, seed: "def func(metadata, camera):\n    return metadata[0]['id']",
    "always left": lambda program, seed: "def func(metadata, camera):\n    return 'left' if metadata else ''",
    "x only": lambda program, seed: program.replace("math.dist(c[0], c[1])", "abs(c[0][0] - c[1][0])"),
    "syntax": lambda program, seed: "def func(metadata, camera) return 1",
    "hostile": lambda program, seed: (
        "import os\n" + program.replace("    things", "    os.system('id')\n    things", 1)
    ),
    "endless": lambda program, seed: program.replace("    things", "    while metadata: pass\n    things", 1),
    "unable": lambda program, seed: "def func(metadata, camera):\n    return 'unable to say' if metadata else ''",
}


WHY = {"bad_program", "bad_value", "reference_disagrees", "breaks_a_law", "programs_disagree"}


def test_who_lies_in_every_program_is_never_believed(subtests, world, tmp_path):
    for lie in [name for name in LIES if name not in ("x only", "endless")]:
        with subtests.test(lie):
            written = ask(world, tmp_path / lie, ScriptedProgrammer(LIES[lie]))
            assert written.rows
            assert not [row for row in written.rows if row.accepted]
            assert [finding.code for finding in written.findings] == ["programs.unbelieved"]
            assert {row.rejected_because for row in written.rows} <= WHY


def test_programs_that_agree_on_what_is_wrong_are_kept_as_rejected_with_both_values(world, tmp_path):
    written = ask(world, tmp_path, ScriptedProgrammer(LIES["x only"]))
    wrong = [row for row in written.rows if row.type == "absolute_distance"]
    assert wrong
    disagree = [row for row in wrong if row.rejected_because == "reference_disagrees"]
    assert len(disagree) > len(wrong) / 2  # of two things along the axis, x alone is right, and the turned world tells
    assert {row.rejected_because for row in wrong} <= {"reference_disagrees", "breaks_a_law"}
    for row in disagree:
        assert f"{row.programs[0].value}" in (row.rejection or "")
        assert f"{row.truth}" in (row.rejection or "")


def test_one_liar_of_three_is_enough_to_drop_a_question(world, tmp_path):
    def spoil(program: str, seed: int) -> str:
        return program if seed != 2 else "def func(metadata, camera):\n    return 2.0 + 0 * len(metadata)"

    written = ask(world, tmp_path, ScriptedProgrammer(spoil))
    assert not [row for row in written.rows if row.accepted]
    scored = [run.agrees_with_reference for row in written.rows for run in row.programs]
    assert sum(map(bool, scored)) == pytest.approx(2 / 3 * len(scored), abs=2)


def test_bad_replies_are_counted(subtests, world, tmp_path):
    for number, reply in enumerate(("no JSON", "{}", '{"questions": []}', '{"questions": [{"instruction": 5}]}')):
        with subtests.test(reply):
            written = ask(world, tmp_path / str(number), ScriptedProgrammer(asking=reply))
            assert not written.rows
            assert written.open.reasons == {"schema": written.open.asked}
    written = ask(
        world, tmp_path / "no program", ScriptedProgrammer(lambda program, seed: "" if seed == 2 else program)
    )
    assert not written.rows  # two programs of three prove nothing
    assert written.open.reasons["schema"] > 20


QUESTION = {"objects_category": ["x", "x"], "category": "absolute_distance"}


UNREADABLE = (
    ({"category": "beauty"}, "unknown_type"),
    ({"objects": ["the unicorn", "the dragon"]}, "unknown_thing"),
    ({"objects": []}, "wrong_count"),
    ({"instruction": "How far are the two apart from center to center, in meters?"}, "not_named"),
    ({"instruction": "What is the distance between {0} and {1}, in meters?"}, "open_meaning"),
    ({"instruction": "What is the distance from center to center between {0} and {1}, in feet?"}, "bad_wording"),
    ({"instruction": "What is not the center to center distance between {0} and {1}?"}, "bad_wording"),
    ({"instruction": "Tell me a story of the centers of {0} and {1}, in meters."}, "bad_wording"),
)


@dataclass
class AsksOne(ScriptedProgrammer):
    """Asks for one distance, changed in one way."""

    change: dict = field(default_factory=dict)

    def ask(self, messages, schema, *, temperature, seed):
        told = json.loads(messages[1].content)
        if "things" in told:
            names = list(told["things"])[:2]
            text = "What is the distance from center to center between {0} and {1}, in meters?"
            question = {**QUESTION, "instruction": text, "objects": names, **self.change}
            question["instruction"] = question["instruction"].format(*names)
            self.asking = json.dumps({"questions": [question]})
        return super().ask(messages, schema, temperature=temperature, seed=seed)


def test_questions_that_cannot_be_read_are_dropped_and_counted(subtests, world, tmp_path):
    for number, (change, reason) in enumerate(UNREADABLE):
        with subtests.test(str(change)):
            written = ask(world, tmp_path / str(number), AsksOne(change=change))
            assert not written.rows
            assert {found for _, found in written.dropped} == {reason}


@each_case("side", ["longest dimension", "longer dimension", "longer level side", "longest side"])
def test_a_side_named_as_the_longer_one_compares_with_nothing(side):
    assert find_fault(SET_TYPES["size_estimation"], f"What is the {side} of , in meters?", is_video=True) is None


def test_a_thing_longer_than_another_is_compared():
    fault = find_fault(SET_TYPES["size_estimation"], "How long is  if it were longer than , in meters?", is_video=True)
    assert fault is not None


def test_the_same_replies_give_the_same_rows_without_a_server(world, tmp_path):
    def unreachable():
        raise AssertionError("asked again")

    first = ask(world, tmp_path, ScriptedProgrammer())
    again = ask(world, tmp_path, unreachable)
    assert again.rows == first.rows


def test_a_spent_budget_keeps_what_was_made(world, tmp_path):
    few = LanguageOptions(model="scripted", concurrency=1, max_requests=6)
    written = ask(world, tmp_path, ScriptedProgrammer(), few)
    assert written.open.reasons["budget"] > 0
    assert all(row.accepted for row in written.rows)
    whole = ask(world, tmp_path, ScriptedProgrammer())
    assert all(row.accepted for row in whole.rows)


def test_a_server_that_gives_no_answer(world, tmp_path):
    class Silent(ScriptedProgrammer):
        def ask(self, messages, schema, *, temperature, seed):
            raise NoReply("nothing came")

    language = LanguageOptions(model="scripted", concurrency=1)
    with pytest.raises(InstructionError, match="3 of 3 questions had no answer"):
        ask(world, tmp_path, Silent(), language)
    assert all(row.accepted for row in ask(world, tmp_path, ScriptedProgrammer()).rows)
