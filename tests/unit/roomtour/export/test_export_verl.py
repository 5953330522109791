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

FEW = VerlOptions(max_images=5)


@pytest.fixture(scope="module")
def tour(tmp_path_factory: pytest.TempPathFactory) -> RunData:
    return make_program_run(2, tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def dataset(tour: RunData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("verl") / "out"
    export_runs([tour], "verl", out)
    return out


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


def test_verls_dataset_reads_it(dataset: Path, tmp_path: Path):
    verl = client("verl.utils.dataset.rl_dataset")
    config = client("omegaconf").OmegaConf.create({"cache_dir": str(tmp_path), "filter_overlong_prompts": False})
    # Any processor will do: the dataset asks whether there is one before it opens pictures.
    loaded = verl.RLHFDataset([str(dataset / "train.parquet")], tokenizer=None, config=config, processor=object())
    rows = rows_of(dataset)
    assert len(loaded) == len(rows)
    for place in range(0, len(rows), max(len(rows) // 10, 1)):
        item, row = loaded[place], rows[place]
        parts = item["raw_prompt"][-1]["content"]
        pictures = [part["image"] for part in parts if part["type"] == "image"]
        assert [picture.size for picture in pictures] == [(66, 48)] * len(row["images"])
        assert parts[-1]["text"] == row["prompt"][-1]["content"].replace("<image>", "")
        assert item["reward_model"]["ground_truth"] == row["reward_model"]["ground_truth"]
        assert item["index"] == row["extra_info"]["index"]
    batch = verl.collate_fn([loaded[0], loaded[1]])
    assert len(batch["raw_prompt"]) == 2


def test_it_reads_as_easyr1_documents_and_its_reward_pays_the_truth(dataset: Path, tmp_path: Path):
    """EasyR1 is on no package index: its dataset splits `problem` at the marks inside the template of its
    `format_prompt`, opens `images` by their bytes, and gives `answer` to the reward function with the batch."""
    datasets, jinja, pillow = client("datasets"), client("jinja2"), client("PIL.Image")
    loaded = datasets.load_dataset(
        "parquet", data_files=str(dataset / "train.parquet"), split="train", cache_dir=str(tmp_path)
    )
    around = jinja.Template((dataset / "format_prompt.jinja").read_text(encoding="utf-8").strip())
    rows = rows_of(dataset)
    inputs: list[dict[str, Any]] = []
    for item, row in zip(loaded, rows, strict=True):
        told = around.render(content=item["problem"])
        assert "<answer>" in told
        assert told.split("<image>")[-1].startswith(row["prompt"][-1]["content"].replace("<image>", ""))
        pictures = [pillow.open(io.BytesIO(image["bytes"])) for image in item["images"]]
        assert told.count("<image>") == len(pictures) > 0
        assert {picture.size for picture in pictures} == {(66, 48)}
        truth = json.loads(item["answer"])["truth"]
        right = ", ".join(truth) if isinstance(truth, list) else f"{truth:.4f}" if isinstance(truth, float) else truth
        said = f"<think>so</think><answer>{right}</answer>"
        inputs.append({"response": said, "response_length": 9, "ground_truth": item["answer"]})
    score = load_reward("compute_scores")
    assert all(one == pytest.approx({"overall": 1.0, "format": 1.0, "accuracy": 1.0}) for one in score(inputs))
    silent = score([{**one, "response": "<think></think><answer>?</answer>"} for one in inputs])
    assert all(one == pytest.approx({"overall": 0.1, "format": 1.0, "accuracy": 0.0}) for one in silent)
    assert score([{"response": "B", "ground_truth": "{"}, {}])[1] == {"overall": 0.0, "format": 0.0, "accuracy": 0.0}


def test_the_template_of_easyr1_is_checked(tour: RunData, tmp_path: Path):
    export_runs([tour], "verl", tmp_path / "out", FEW)
    file = tmp_path / "out" / "format_prompt.jinja"
    file.write_text("Think.", encoding="utf-8")
    assert {problem.field for problem in validate_export(tmp_path / "out")} == {"format_prompt"}
    file.unlink()
    assert {problem.field for problem in validate_export(tmp_path / "out")} == {"file", "files"}


def test_datasets_reads_it(dataset: Path, tmp_path: Path):
    datasets = client("datasets")
    loaded = datasets.load_dataset(
        "parquet", data_files=str(dataset / "train.parquet"), split="train", cache_dir=str(tmp_path)
    )
    assert {"data_source", "prompt", "images", "ability", "reward_model", "extra_info", "problem", "answer"} == set(
        loaded.column_names
    )
    assert loaded.num_rows == len(rows_of(dataset))


def test_rows_with_many_pictures_can_be_left_out_and_are_counted(tour: RunData, tmp_path: Path):
    report = export_runs([tour], "verl", tmp_path / "out", FEW)
    assert report.counts["programs"] == len(rows_of(tmp_path / "out"))
    assert report.dropped["more than 5 pictures"] > 0
    assert all(len(row["images"]) <= 5 for row in rows_of(tmp_path / "out"))


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("extra_info.id", lambda rows: rows[1]["extra_info"].update(id=rows[0]["extra_info"]["id"])),
        ("extra_info.split", lambda rows: rows[0]["extra_info"].update(split="val")),
        ("prompt", lambda rows: rows[0]["prompt"][-1].update(content="no mark")),
        ("prompt.role", lambda rows: rows[0]["prompt"][-1].update(role="assistant")),
        ("images.bytes", lambda rows: rows[0]["images"][0].update(bytes=b"x")),
        ("images", lambda rows: rows[0].update(images=[])),
        ("reward_model.ground_truth", lambda rows: rows[0]["reward_model"].update(ground_truth="2.5")),
        (
            "reward_model.ground_truth",
            lambda rows: rows[0]["reward_model"].update(ground_truth='{"form": "label", "truth": "?"}'),
        ),
        ("data_source", lambda rows: rows[0].update(data_source="")),
    ],
)
def test_every_rule_is_held(
    tour: RunData, tmp_path: Path, field: str, change: Callable[[list[dict[str, Any]]], object]
):
    export_runs([tour], "verl", tmp_path / "out", FEW)
    table = pq.read_table(tmp_path / "out" / "train.parquet")
    rows = table.to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), tmp_path / "out" / "train.parquet")
    assert field in {problem.field for problem in validate_export(tmp_path / "out")}
