"""The format verl: read by verl's own dataset, its truths rewarded by the function that verl would call."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import instructions.asking.reward
from roomtour.export import export_runs, validate_export
from tests.support.export.made_datasets import MadeDatasets


@pytest.fixture(scope="module")
def dataset(made: MadeDatasets, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("verl") / "out"
    export_runs(made.program_tours[:1], "verl", out)
    return out


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return pq.read_table(folder / "train.parquet").to_pylist()


def load_reward(name: str) -> Callable[..., Any]:
    """By its path, as verl and EasyR1 load a custom reward function."""
    spec = importlib.util.spec_from_file_location("custom", str(instructions.asking.reward.__file__))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def test_every_row_that_code_can_verify_is_there(dataset: Path, made: MadeDatasets):
    assert validate_export(dataset) == []
    rows = rows_of(dataset)
    source_of = {row.id: (tour, row) for tour in made.program_tours for row in tour.rows["programs"]}
    wanted = {row.id for row in made.program_tours[0].rows["programs"] if row.form != "text"}
    assert {row["extra_info"]["id"] for row in rows} == wanted
    for row in rows:
        tour, source = source_of[row["extra_info"]["id"]]
        assert len(row["images"]) == len(source.views) == row["prompt"][-1]["content"].count("<image>")
        drawn = {one.frame for one in source.references if one.mark is not None}
        for image, frame in zip(row["images"], source.views, strict=True):
            plain = (tour.frames_dir / tour.scene.frame_by_index[frame].image).read_bytes()
            assert (image["bytes"] == plain) == (frame not in drawn)


def test_the_truth_earns_all_and_a_wrong_letter_the_form(dataset: Path, made: MadeDatasets):
    score, scores = load_reward("compute_score"), load_reward("compute_scores")
    source_of = {row.id: row for tour in made.program_tours for row in tour.rows["programs"]}
    letters, replies = 0, []
    for row in rows_of(dataset):
        truth = row["reward_model"]["ground_truth"]
        source = source_of[row["extra_info"]["id"]]
        told = json.loads(truth)["truth"]
        right = ", ".join(told) if isinstance(told, list) else f"{told:.4f}" if isinstance(told, float) else told
        said = f"<think>so</think><answer>{right}</answer>"
        assert score("roomtour/programs", said, truth, row["extra_info"]) == pytest.approx(1.0), row
        replies.append({"response": said, "response_length": 9, "ground_truth": row["answer"]})
        if source.correct is not None:
            letters += 1
            wrong = "ABCD"[(source.correct + 1) % len(source.choices)]
            assert score("x", f"<think>so</think><answer>{wrong}</answer>", truth) == pytest.approx(0.1)
    assert letters > 20
    assert all(one == pytest.approx({"overall": 1.0, "format": 1.0, "accuracy": 1.0}) for one in scores(replies))
    silent = scores([{**one, "response": "<think></think><answer>?</answer>"} for one in replies])
    assert all(one == pytest.approx({"overall": 0.1, "format": 1.0, "accuracy": 0.0}) for one in silent)
    assert scores([{"response": "B", "ground_truth": "{"}, {}])[1] == {"overall": 0.0, "format": 0.0, "accuracy": 0.0}
