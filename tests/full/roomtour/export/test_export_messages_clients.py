"""Chat messages about questions that programs answer, in the hands of TRL and ms-swift, rewards with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from instructions.asking.reward import reward
from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.formats.messages.write import MessagesOptions
from tests.support.export.client_stubs import client
from tests.support.export.program_runs import make_program_run


@pytest.fixture(scope="module")
def tour(tmp_path_factory: pytest.TempPathFactory) -> RunData:
    return make_program_run(4, tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def dataset(tour: RunData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("messages") / "out"
    export_runs([tour], "messages", out)
    return out


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "train.jsonl").read_text(encoding="utf-8").splitlines()]


def answer_of(row: dict[str, Any]) -> str:
    told = json.loads(row["reward"])["truth"]
    return ", ".join(told) if isinstance(told, list) else f"{told:.4f}" if isinstance(told, float) else told


def test_rewards_take_the_columns_as_they_are(dataset: Path):
    rows = [row for row in rows_of(dataset) if row["reward"]]
    assert len(rows) > 50
    completions = [f"<think>so</think><answer>{answer_of(row)}</answer>" for row in rows]
    columns = {name: [row[name] for row in rows] for name in ("solution", "reward", "unit", "images")}
    assert reward(completions, **columns) == pytest.approx([1.0] * len(rows))
    assert reward(["I cannot say"] * len(rows), **columns) == [0.0] * len(rows)


def test_what_no_code_can_verify_earns_nothing(dataset: Path):
    row = next(row for row in rows_of(dataset) if not row["reward"])
    said = f"<think>so</think><answer>{row['solution']}</answer>"
    assert reward([said], [row["solution"]], reward=[row["reward"]]) == [0.0]


def test_ms_swift_reads_every_row(dataset: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(dataset)
    swift = client("swift.dataset")
    loaded, _ = swift.load_dataset(
        [str(dataset / "train.jsonl")], num_proc=1, load_from_cache_file=False, remove_unused_columns=False, strict=True
    )
    rows = rows_of(dataset)
    assert len(loaded) == len(rows)
    for item, row in zip(loaded, rows, strict=True):
        assert item["messages"] == row["messages"]
        assert [image["path"] for image in item["images"]] == row["images"]
        assert item["solution"] == row["solution"]
        assert item["reward"] == row["reward"]


def test_trl_fills_in_every_picture_and_finds_no_mark(tour: RunData, tmp_path: Path):
    trl = client("trl.data_utils")
    datasets = client("datasets")
    export_runs([tour], "messages", tmp_path / "out", MessagesOptions(image_marks=False))
    assert validate_export(tmp_path / "out") == []
    loaded = datasets.load_dataset(
        "json", data_files=str(tmp_path / "out" / "train.jsonl"), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert loaded.num_rows == len(rows_of(tmp_path / "out"))
    for row in loaded:
        assert trl.is_conversational(row)
        told = trl.prepare_multimodal_messages(row["messages"], images=row["images"])
        parts = told[0]["content"]
        assert [part["image"] for part in parts if part["type"] == "image"] == row["images"]
        assert all("<image>" not in part.get("text", "") for message in told for part in message["content"])
