"""The format verl: read by verl's own dataset, its truths rewarded by the function that verl would call."""

from __future__ import annotations

import importlib.util
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import instructions.asking.reward
from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.formats.verl.write import VerlOptions
from tests.support.export.client_stubs import client
from tests.support.export.program_runs import make_program_run


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return pq.read_table(folder / "train.parquet").to_pylist()


def load_reward(name: str = "compute_score") -> Callable[..., Any]:
    """By its path, as verl and EasyR1 load a custom reward function."""
    spec = importlib.util.spec_from_file_location("custom", str(instructions.asking.reward.__file__))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def test_every_row_that_code_can_verify_is_there(dataset: Path, tour: RunData):
    assert validate_export(dataset) == []
    rows = rows_of(dataset)
    wanted = {row.id for row in tour.rows["programs"] if row.form != "text"}
    assert {row["extra_info"]["id"] for row in rows} == wanted
    by_id = {row.id: row for row in tour.rows["programs"]}
    for row in rows:
        source = by_id[row["extra_info"]["id"]]
        assert len(row["images"]) == len(source.views) == row["prompt"][-1]["content"].count("<image>")
        for image, frame in zip(row["images"], source.views, strict=True):
            assert image["bytes"] == (tour.frames_dir / tour.scene.frame_by_index[frame].image).read_bytes()


def test_the_truth_earns_all_and_a_wrong_letter_the_form(dataset: Path, tour: RunData):
    score = load_reward()
    by_id = {row.id: row for row in tour.rows["programs"]}
    letters = 0
    for row in rows_of(dataset):
        truth = row["reward_model"]["ground_truth"]
        source = by_id[row["extra_info"]["id"]]
        told = json.loads(truth)["truth"]
        right = ", ".join(told) if isinstance(told, list) else f"{told:.4f}" if isinstance(told, float) else told
        earned = score("roomtour/programs", f"<think>so</think><answer>{right}</answer>", truth, row["extra_info"])
        assert earned == pytest.approx(1.0), row
        if source.correct is not None:
            letters += 1
            wrong = "ABCD"[(source.correct + 1) % len(source.choices)]
            assert score("x", f"<think>so</think><answer>{wrong}</answer>", truth) == pytest.approx(0.1)
    assert letters > 20


def test_rows_with_many_pictures_can_be_left_out_and_are_counted(tour: RunData, tmp_path: Path):
    report = export_runs([tour], "verl", tmp_path / "out", FEW)
    assert report.counts["programs"] == len(rows_of(tmp_path / "out"))
    assert report.dropped["more than 5 pictures"] > 0
    assert all(len(row["images"]) <= 5 for row in rows_of(tmp_path / "out"))
