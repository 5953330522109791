"""Dialogues in the hands of ms-swift: every mark stands for the box of its thing; false twins are false."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from instructions.dialogues.records import Dialogue
from roomtour.export import RunData, export_runs
from roomtour.export.formats.regions.swift import SwiftOptions
from roomtour.export.validate import validate_export
from tests.support.export.made_datasets import MadeDatasets


@pytest.fixture
def run(made: MadeDatasets) -> RunData:
    return made.dialogues[0]


@pytest.fixture
def dataset(made: MadeDatasets) -> Path:
    return made["swift of dialogues"]


def lines_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "swift_train.jsonl").read_text(encoding="utf-8").splitlines()]


def test_marks_stand_for_the_boxes_and_names_of_their_turns(run: RunData, dataset: Path):
    rows = {row.id: row for row in run.rows["dialogues"]}
    marked = named = 0
    for item in lines_of(dataset):
        row = rows[item["id"]]
        assert isinstance(row, Dialogue)
        told = [turn for turn in item["messages"]]
        said = [text for turn in row.turns for text in (turn.question, turn.answer)]
        spots = [spot for turn in row.turns for spot in turn.spots]
        refs = iter(item["objects"]["ref"])
        assert item["objects"]["bbox"] == [[pytest.approx(value, abs=0.01) for value in spot] for spot in spots]
        for message, text in zip(told, said, strict=True):
            content = message["content"].removeprefix("<image>" * len(row.views))
            filled = content
            while "<ref-object>" in filled:
                filled = filled.replace("<ref-object>", next(refs), 1)
            assert filled.lower() == " ".join(re.sub(r"\[[\d., ]+\]", "<bbox>", text).lower().split())
        marked += len(spots)
        named += len(item["objects"]["ref"])
        if row.task == "detect":
            assert row.truth is not None
            assert [one.lower() for one in item["objects"]["ref"]] == [one.name for one in row.truth.objects]
    assert marked > 30
    assert named > 5


def test_pairs_have_another_answer_with_boxes_of_its_own(run: RunData, tmp_path: Path):
    """Whether it is false is judged by the world in the tests of twins."""
    export_runs([run], "swift", tmp_path / "out", SwiftOptions(pairs=True), kinds=("dialogues",))
    assert validate_export(tmp_path / "out") == []
    items = lines_of(tmp_path / "out")
    assert len(items) > 10
    for item in items:
        right, wrong = item["messages"][-1]["content"], item["rejected_response"]
        asked = sum(message["content"].count("<bbox>") for message in item["messages"][:-1])
        assert len(item["objects"]["bbox"]) == asked + right.count("<bbox>") + wrong.count("<bbox>")
        assert wrong != right or wrong.count("<bbox>") > 0
