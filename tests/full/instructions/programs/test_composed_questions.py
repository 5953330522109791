"""Questions that a language model composes of two: kept if programs give the answer and both parts are needed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from instructions.asking.draws import Draw
from instructions.language.model import Message, Reply
from instructions.language.options import LanguageOptions
from instructions.programs.asked.believing import Answerable, World
from instructions.programs.asked.composer import find_weakness
from instructions.programs.asked.composing import NAME
from instructions.programs.asked.programming import AskedRows
from instructions.programs.asked.writer import ask_questions
from instructions.questions.core.options import ProgramChoiceOptions, ProgramOptions, ViewSetOptions
from instructions.questions.core.types import Form
from instructions.questions.core.world import Value
from tests.support.cases import each_case
from tests.support.doubles.scripted_programmer import START, ScriptedProgrammer
from tests.support.worlds.apartment_surfaces import KnownWorld, Surfaces, know_apartment

FEW = ProgramOptions(
    views=ViewSetOptions(video_views=8, images=0, image_sets=0), choice=ProgramChoiceOptions(compound=60)
)
LANGUAGE = LanguageOptions(model="scripted", concurrency=2)
WAY = "How far is it in a straight line from {0} to {1} and on to {2}, from center to center, in meters?"
SUM = "    return math.dist(c[0], c[1]) + math.dist(c[1], c[2])"


@dataclass
class Composer(ScriptedProgrammer):
    """Joins two distances into a way; what it says of others is a mere joining."""

    say: Callable[[dict[str, Any]], dict[str, Any]] = lambda told: told
    follows: bool = True
    lines: str = SUM
    second_opinions: list[dict[str, Any]] = field(default_factory=list)

    def ask(self, messages: tuple[Message, ...], schema: Any, *, temperature: float | None, seed: int) -> Reply:
        told = json.loads(messages[1].content)
        if "uses" in schema.model_fields:
            return self._reply(self.say(compose(told["questions"])))
        if "follows" in schema.model_fields:
            self.second_opinions.append(told)
            return self._reply({"follows": self.follows, "why": "the lengths add up"})
        if "program" in schema.model_fields and str(told["question"]).startswith("How far is it in a straight line"):
            program = START.replace("NAMES", repr(told["objects"])).strip() + "\n" + self.lines
            return self._reply({"program": program})
        return super().ask(messages, schema, temperature=temperature, seed=seed)

    def _reply(self, content: dict[str, Any]) -> Reply:
        return Reply(json.dumps(content), None, "stop", 100, 50, "scripted")


def compose(parts: list[dict[str, Any]]) -> dict[str, Any]:
    first, second = (set(part["objects"]) for part in parts)
    if not all("distance" in part["question"] for part in parts) or len(first & second) != 1:
        return {"question": f"{parts[0]['question']} And so on?", "answer": "yes", "uses": [1, 2]}
    (middle,), (start,), (end,) = first & second, first - second, second - first
    whole = sum(float(part["answer"].split()[0]) for part in parts)
    return {"question": WAY.format(start, middle, end), "answer": f"{whole:.2f} meters", "uses": [1, 2]}


@pytest.fixture(scope="module")
def world() -> KnownWorld:
    return know_apartment(Surfaces(), tuple(float(at) for at in range(2, 50, 6)))


def ask(world: KnownWorld, folder: Path, model: ScriptedProgrammer) -> AskedRows:
    return ask_questions(
        world.tour, options=FEW, replies=folder, language=LANGUAGE,
        connect=lambda: model,
    )  # fmt: skip


def composed(written: AskedRows) -> list[Any]:
    return [row for row in written.rows if row.type == NAME]


def test_a_true_composition_is_kept_with_its_programs_and_parts(world, tmp_path):
    model = Composer()
    written = ask(world, tmp_path, model)
    rows = composed(written)
    assert len(rows) >= 2
    centers = {one.id: one.obb.center for one in world.objects}
    for row in rows:
        assert row.accepted, row.rejection
        a, b, c = (centers[one.object] for one in row.references)
        way = sum(sum((p - q) ** 2 for p, q in zip(*pair, strict=True)) ** 0.5 for pair in ((a, b), (b, c)))
        assert row.truth == pytest.approx(way, abs=0.011)
        assert row.truth_source == "programs"
        assert len(row.parts) == 2
        assert all(part.startswith("absolute_distance(") for part in row.parts)
        assert len(row.programs) == 3
        assert {law.law for law in row.laws if law.holds} >= {"turned", "mirrored", "scaled", "shuffled"}
        assert (row.prompt or "").startswith("compose")
    assert len(model.second_opinions) == len(rows)
    assert written.dropped[NAME, "not_composed"] > 0


FAULTS = {
    "not a question of both": (lambda told: {**told, "uses": [1]}, "not_composed"),
    "names a thing of one only": (
        lambda told: {**told, "question": "How far is it in a straight line from here to there, in meters?"},
        "not_named",
    ),
    "an answer that is none": (lambda told: {**told, "answer": "I am unable to tell from this"}, "bad_answer"),
    "a negation": (lambda told: {**told, "question": told["question"].replace("is it", "is it not")}, "bad_wording"),
}


def test_what_cannot_be_read_is_dropped_and_counted(subtests, world, tmp_path):
    for name, (spoil, code) in FAULTS.items():

        def say(told: dict[str, Any], spoil=spoil) -> dict[str, Any]:
            return spoil(told) if told["question"].startswith("How far is it") else told

        with subtests.test(name):
            written = ask(world, tmp_path / name, Composer(say=say))
            assert not composed(written)
            assert written.dropped[NAME, code] >= 2
    written = ask(world, tmp_path / "no JSON of the form", Composer(say=lambda told: {"text": "hello"}))
    assert not composed(written)
    assert written.open.reasons["schema"] >= 2


def test_a_second_opinion_that_it_does_not_follow_drops_it(world, tmp_path):
    written = ask(world, tmp_path, Composer(follows=False))
    assert not composed(written)
    assert written.dropped[NAME, "does_not_follow"] >= 2


def test_an_answer_that_programs_do_not_give_is_rejected_with_both_values(world, tmp_path):
    written = ask(world, tmp_path, Composer(say=lambda told: {**told, "answer": told["answer"].replace(".", "9.")}))
    rows = composed(written)
    assert rows
    assert {row.rejected_because for row in rows} == {"reference_disagrees"}


def test_who_lies_in_every_program_of_a_composition_gets_no_row(world, tmp_path):
    for number, lines in enumerate(
        ("    return 2.0 + 0 * len(metadata)", "    return math.dist(c[0], c[1])", "    return 'unable to say'")
    ):
        rows = composed(ask(world, tmp_path / str(number), Composer(lines=lines)))
        assert rows
        assert not [row for row in rows if row.accepted]


UPRIGHT = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def make_thing(name: str, at: int) -> dict[str, Any]:
    sizes = [1.0, 1.0, 0.4 + at]
    box = {"center": [float(at), 0.3 * at, 0.5], "sizes": sizes, "half_extents": [side / 2 for side in sizes]}
    return {"id": name, "category": name, "appear": [at], "room": None,
            "obb": {**box, "rotation": UPRIGHT, "volume": 0.4 + at}}  # fmt: skip


THINGS = [make_thing(name, at) for at, name in enumerate(("sofa", "lamp", "desk", "bed", "chair"))]
HEAD = "import math\ndef func(metadata, camera):\n    T = {one['id']: one['obb'] for one in metadata}\n"
WEAK = {
    "needs both": (
        HEAD + "    tall = max(['sofa', 'lamp'], key=lambda n: T[n]['sizes'][2])\n"
        "    return min(['desk', 'bed'], key=lambda n: math.dist(T[n]['center'], T[tall]['center']))",
        "thing", "desk", None,
    ),
    "names alone": (HEAD + "    return 'desk' if T['lamp'] else 'bed'", "thing", "desk", "told_by_names"),
    "one part": (
        HEAD + "    return min(['desk', 'bed'], key=lambda n: T[n]['center'][0])", "thing", "desk", "part_unneeded",
    ),
    "a hair's breadth": (
        HEAD + "    x = {name: box['center'][0] for name, box in T.items()}\n"
        "    return abs(x['sofa'] - x['lamp']) < 1.001 and x['desk'] < x['bed']",
        "yes_no", True, "unsteady",
    ),
}  # fmt: skip


@each_case("name", WEAK)
def test_weak_compositions_are_found_by_running_them_in_changed_worlds(name: str):
    source, form, value, code = WEAK[name]
    kind: Form = form  # type: ignore[assignment]  # one of them
    truth: Value = value  # type: ignore[assignment]
    answerable = Answerable(kind, "", ("yes", "no"), {one["id"]: one["id"] for one in THINGS}, False)
    parts = [("sofa", "lamp"), ("desk", "bed")]
    found = find_weakness(source, World(THINGS, None, answerable), truth, parts, {}, Draw("weak", name))
    assert found == code
