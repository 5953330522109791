"""What a run was processed to hide is pixelated in its report; without networks nothing is shown at all."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from instructions.errors import InstructionError
from recon.tasks import map_here
from roomtour.config import Config
from roomtour.run import Run
from roomtour.stages import report
from roomtour.stages.context import StageContext
from roomtour.store import RunStore
from roomtour.view import hidden
from tests.support.runs.hidden_run import WHOLE, measure_detail, read_pictures, write_hidden_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_hidden_run(tmp_path / "run")


def write_report(run: Path, out: Path, hide: str) -> list[bytes]:
    workers = cast(Any, SimpleNamespace(map=map_here))
    context = StageContext(
        cast(Any, None), Config(hide=hide), RunStore(run), out, lambda share: None, workers, cast(Any, None)
    )
    report.run(context)
    return read_pictures(out / "report.html")


def test_the_report_hides_what_the_tour_was_processed_with(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(report, "make_task", lambda words, folder=None: lambda path: [WHOLE])
    for part in ("sub_models", "merge_attempts"):  # nothing was reconstructed in a made run
        monkeypatch.setattr(Run, part, ())
    plain = measure_detail(write_report(run, tmp_path / "plain", ""))
    coarse = measure_detail(write_report(run, tmp_path / "coarse", "person"))
    assert len(plain) == len(coarse) > 0
    assert max(coarse) < 0.5 * float(np.mean(plain))


def test_without_networks_no_picture_is_shown(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROOMTOUR_MODELS", str(tmp_path / "empty"))
    assert hidden.find_asked_to_hide(Run(run)) == "person"
    with pytest.raises(InstructionError, match="--hide person"):
        hidden.hide_in_tour(cast(Any, SimpleNamespace(name="t", frames={})), "person", tmp_path / "out", print)


def test_a_run_that_hides_nothing_is_shown_as_it_is(tmp_path: Path):
    tour = cast(Any, object())
    assert hidden.hide_in_tour(tour, "", tmp_path / "none", print) is tour
    assert not (tmp_path / "none").exists()
