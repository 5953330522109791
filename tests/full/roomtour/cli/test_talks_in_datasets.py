"""Every kind of data of a finished run, loaded as Hugging Face's client loads it."""

from __future__ import annotations

import shutil
from pathlib import Path

from roomtour.cli import main
from roomtour.export import export_runs
from roomtour.export.core.talks.sources import SOURCES, TALK_KINDS
from roomtour.run import Run
from tests.support.export.client_stubs import client


def test_datasets_loads_every_config(finished_run: Path, tmp_path: Path):
    datasets = client("datasets")
    run = shutil.copytree(finished_run, tmp_path / "run")
    assert main(["make", str(run), "--data", *TALK_KINDS]) == 0
    report = export_runs([Run(run).data], "hf", tmp_path / "hf", kinds=TALK_KINDS)
    counted = [source for source in SOURCES if report.counts[source.kind]]
    assert len(counted) >= 3
    for source in counted:
        cache = str(tmp_path / "cache")
        loaded = datasets.load_dataset(str(tmp_path / "hf"), source.file, split="train", cache_dir=cache)
        assert loaded.num_rows == report.counts[source.kind]
        turns = ("questions", "answers") if source.has_many_turns else ("question", "answer")
        assert {*turns, "images", "type", "ground_truth", *source.columns} <= set(loaded.column_names)
