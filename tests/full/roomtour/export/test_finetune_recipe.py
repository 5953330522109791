"""The recipe's way of data: an export through ms-swift's loader and template into a model, and its answers scored."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from roomtour.scoring import score_answers
from tests.support.export.breaking import read_content
from tests.support.export.client_stubs import client
from tests.support.export.made_datasets import MadeDatasets
from tests.support.paths import EXAMPLES

RECIPE = EXAMPLES / "finetune"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for name in ("torch", "transformers", "swift"):
        client(name)
    folder = tmp_path_factory.mktemp("tiny")
    runpy.run_path(str(RECIPE / "tiny_model.py"))["make_model"](folder)
    return folder


def test_every_row_becomes_a_loss_on_its_answer_alone(made: MadeDatasets, tiny: Path, monkeypatch: pytest.MonkeyPatch):
    import torch
    from swift import get_model_processor, get_template
    from swift.dataset import load_dataset

    dataset = made["messages"]
    monkeypatch.setenv("ROOT_IMAGE_DIR", str(dataset))
    model, processor = get_model_processor(str(tiny), model_type="llava1_5_hf", torch_dtype=torch.float32)
    template = get_template(processor)
    template.set_mode("train")
    rows = read_content(dataset / "train.jsonl")[:20]
    loaded, _ = load_dataset([f"{dataset / 'train.jsonl'}#20"], shuffle=False)
    items = [template.encode(dict(row)) for row in loaded]
    assert len(items) == len(rows)
    told = [processor.tokenizer.decode([t for t in item["labels"] if t >= 0]) for item in items]
    assert sorted(told) == sorted(row["messages"][-1]["content"] + "</s>" for row in rows)
    batch = template.data_collator(items[:2])
    assert model is not None
    loss = model(**{name: value for name, value in batch.items() if name != "num_samples"}).loss
    assert torch.isfinite(loss)


def test_answers_get_the_ids_of_their_rows_back_and_are_scored(made: MadeDatasets, tmp_path: Path):
    rows = read_content(made["messages"] / "train.jsonl")
    answers = tmp_path / "answers.jsonl"
    lines = [{"response": row["messages"][-1]["content"], "labels": row["messages"][-1]["content"]} for row in rows]
    name = [sys.executable, RECIPE / "name_answers.py", made["messages"] / "train.jsonl", answers, tmp_path / "n.jsonl"]
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    subprocess.run(name, check=True)
    (report,) = score_answers(tmp_path / "n.jsonl", made["messages"])
    assert report.figures["words"]["success"]["mean"] == 1.0
    for broken in (lines[1:], [lines[-1], *lines[:-1]]):
        answers.write_text("".join(json.dumps(line) + "\n" for line in broken), encoding="utf-8")
        assert subprocess.run(name, check=False, capture_output=True).returncode == 1


def test_scripts_are_valid_and_name_files_that_are_there():
    for script in RECIPE.glob("*.sh"):
        assert subprocess.run(["bash", "-n", script], check=False).returncode == 0
        text = script.read_text(encoding="utf-8")
        named = {word.split("/")[1].strip('"') for word in text.split() if word.startswith('"$here/')}
        assert all((RECIPE / name).is_file() for name in named)
