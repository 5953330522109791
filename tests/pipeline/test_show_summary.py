"""`show` reads the small files of a run only; its figures are those of all the records."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from docs.generate.pages import list_documented_codes
from recon.errors import ReconError
from recon.upright.outline import read_outline
from roomtour.cli import main
from roomtour.run import Run
from roomtour.store import RunStore
from roomtour.summary import RunSummary, summarize
from tests.support.paths import ROOT


def rounded(summary: RunSummary) -> RunSummary:
    """Poses go through quaternions on their way to COLMAP's files: the same to 1e-12."""
    assert summary.path_length is not None
    return replace(summary, path_length=round(summary.path_length, 9))


def test_the_summary_of_the_files_is_that_of_the_records(finished_run: Path):
    run = Run(finished_run)
    assert rounded(run.summary()) == rounded(summarize(run.data))
    assert run.scene_outline.registered == run.scene.registered > 0


def test_an_outline_that_does_not_fit_names_the_field(finished_run: Path, tmp_path: Path):
    content = json.loads((finished_run / "scene" / "scene.json").read_text())
    assert Run(finished_run).scene.id == content["id"]
    (tmp_path / "scene.json").write_text(json.dumps({**content, "id": 3}))
    with pytest.raises(ReconError, match="field id"):
        read_outline(tmp_path)


def test_findings_of_the_run_are_explained(finished_run: Path):
    codes = list_documented_codes((ROOT / "docs" / "findings.md").read_text(encoding="utf-8"))
    told = {finding.code for finding in Run(finished_run).findings}
    assert told
    assert told <= set(codes)


def test_a_question_to_a_run_that_is_stopped_names_the_command(finished_run: Path, tmp_path: Path, capsys):
    copy = tmp_path / "run"
    shutil.copytree(finished_run, copy)
    store = RunStore(copy)
    store.stages = {name: entry for name, entry in store.stages.items() if name not in ("perception", "plan")}
    store.write()
    assert main(["ask", str(copy), "How many chairs are there?"]) == 1
    told = capsys.readouterr().err
    assert "stage plan is not done" in told
    assert "--until plan" in told
