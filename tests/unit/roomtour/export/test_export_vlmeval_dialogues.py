"""Dialogues in VLMEvalKit's hands: its own classes read the tables, and put options below questions that list none."""

from __future__ import annotations

import csv
import importlib
import shutil
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.dialogues import know_tour
from instructions.dialogues.options import DialogueOptions
from instructions.dialogues.records import Dialogue
from instructions.dialogues.writer import write_dialogues
from roomtour.export import RunData, export_runs
from roomtour.export.formats.vlmeval.write import LETTERS, cut_options
from roomtour.export.validate import validate_export
from tests.support.export.breaking import frames_on_disk
from tests.support.export.client_stubs import client, vlmeval_alone
from tests.support.worlds.apartment_surfaces import Surfaces


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunData:
    tour = know_tour(Surfaces(), np.arange(0.0, 74.7, 6.0).tolist())[0]
    options = replace(DialogueOptions(medium="view"), tasks_per_view=0, rows_per_thing=100)
    rows = write_dialogues(tour, options).rows
    frames = frames_on_disk(tmp_path_factory.mktemp("tour"))
    return RunData(tour.scene, (), tuple(tour.objects), tuple(tour.observations), (), {"dialogues": rows}, frames, {})


@pytest.fixture(scope="module")
def dataset(run: RunData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tables") / "out"
    export_runs([run], "vlmeval", out, kinds=("dialogues",))
    assert validate_export(out) == []
    return out


def table_of(folder: Path, name: str) -> list[dict[str, str]]:
    csv.field_size_limit(sys.maxsize)
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def rows_of(run: RunData) -> dict[str, Dialogue]:
    return {row.id: row for row in run.rows["dialogues"] if isinstance(row, Dialogue)}


def test_choices_and_yes_or_no_become_option_rows(dataset: Path, run: RunData):
    rows = rows_of(run)
    told = table_of(dataset, "mcq_train.tsv")
    assert set(Counter(row["category"] for row in told)) >= {"choice", "presence"}
    for line in told:
        truth = rows[line["id"]].truth
        assert truth is not None
        right = truth.choices[truth.correct] if truth.correct is not None else truth.label
        assert line[line["answer"]] == right
        filled = [line[letter] for letter in LETTERS if line[letter]]
        assert filled == (list(truth.choices) or ["yes", "no"])
        assert not any(f"({letter})" in line["question"] for letter in LETTERS)
        assert len(line["question"].split()) >= 3
    without = {row["category"] for row in table_of(dataset, "vqa_train.tsv")}
    assert "count" in without
    assert not without & {"choice", "presence"}


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("Which is here? Choose one: (A) a bed (B) a sofa", "Which is here?"),
        ("Pick one letter. Which is here? (A) a bed (B) a sofa", "Pick one letter. Which is here?"),
        ("Name it. (A) a bed (B) a sofa", "Name it."),
        ("Which is here? (A) a bed (B) a chair", "Which is here? (A) a bed (B) a chair"),  # other options
    ],
)
def test_options_are_cut_out_of_questions(question: str, plain: str):
    assert cut_options(question, ("a bed", "a sofa")) == plain


def load(name: str, folder: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The table `name` as VLMEvalKit's class for tables of one's own loads it."""
    monkeypatch.setenv("LMUData", str(root))
    client("pandas")
    shutil.copy(folder / f"{name}.tsv", root / f"{name}.tsv")
    with vlmeval_alone():
        module = importlib.import_module("vlmeval.dataset.image_mcq")
        return module.CustomMCQDataset(name)


def test_vlmevalkit_reads_options_and_pictures(dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with vlmeval_alone():
        client("vlmeval.dataset.image_mcq")
    loaded = load("mcq_train", dataset, tmp_path, monkeypatch)
    told = table_of(dataset, "mcq_train.tsv")
    assert len(loaded) == len(told) > 10
    for place, line in enumerate(told):
        *pictures, text = loaded.build_prompt(place)
        assert len(pictures) == 1
        assert Path(pictures[0]["value"]).read_bytes().startswith((b"\xff\xd8", b"\x89PNG"))
        assert text["value"].startswith(f"Question: {line['question']}\nOptions:\nA. {line['A']}\nB. {line['B']}\n")
        assert loaded[place]["answer"] == line["answer"]
