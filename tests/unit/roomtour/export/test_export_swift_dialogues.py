"""Dialogues in the hands of ms-swift: every mark stands for the box of its thing; false twins are false."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from instructions.dialogues.benchmark.reading import (
    names_label,
    read_choice,
    read_count,
    read_groups,
    read_metres,
    read_where,
    read_yes_no,
)
from instructions.dialogues.benchmark.words import OwnWords
from instructions.dialogues.records import Dialogue
from instructions.dialogues.twins import make_twin
from instructions.facts.overlap import box_iou
from roomtour.export import RunData, export_runs
from roomtour.export.formats.swift.write import SwiftOptions
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


def test_pairs_are_false_by_the_truth_of_their_rows(run: RunData, tmp_path: Path):
    export_runs([run], "swift", tmp_path / "out", SwiftOptions(pairs=True), kinds=("dialogues",))
    assert validate_export(tmp_path / "out") == []
    rows = {row.id: row for row in run.rows["dialogues"]}
    items = lines_of(tmp_path / "out")
    assert {rows[item["id"]].task for item in items} >= {"presence", "choice", "classify_thing", "ground", "locate"}
    kinds = sorted({one.category for one in run.objects if one.category})
    for item in items:
        row = rows[item["id"]]
        twin = make_twin(row, kinds)
        assert twin is not None
        if row.kind == "daily":  # whether it is false is judged by the world in the tests of talk twins
            assert item["rejected_response"] == twin.answer != item["messages"][-1]["content"]
            assert len(item["messages"]) == 2 * (twin.turn + 1)
            continue
        assert is_false(row, twin.answer, run), (row.turns[0], twin)
        assert not is_false(row, row.turns[0].answer, run)
        assert item["rejected_response"].count("<bbox>") == item["messages"][-1]["content"].count("<bbox>")
        asked = item["messages"][0]["content"].count("<bbox>")
        assert len(item["objects"]["bbox"]) == asked + 2 * item["messages"][-1]["content"].count("<bbox>")


def is_false(row: Dialogue, answer: str, run: RunData) -> bool:
    """By the readers of the benchmark, which share no code with what changes an answer."""
    truth = row.truth
    assert truth is not None
    assert row.size_px is not None
    if row.task == "presence":
        return read_yes_no(answer) != truth.label
    if row.task == "count":
        return read_count(answer) != truth.number
    if row.task == "choice":
        assert read_choice(answer, truth.choices) is not None
        return read_choice(answer, truth.choices) != truth.correct
    if row.task in ("classify_thing", "classify_view"):
        return not names_label(truth.label or "", answer, OwnWords())
    if row.task == "unseen":
        return read_where(answer) != truth.label
    if row.task == "length":
        told = read_metres(answer)
        assert told is not None
        assert truth.interval_m is not None
        return not truth.interval_m[0] <= told <= truth.interval_m[1]
    size = row.size_px * 2
    (spot,) = read_groups(answer, 4 if row.task == "ground" else 2)
    x0, y0, x1, y1 = (value / side for value, side in zip(truth.objects[0].box_xyxy, size, strict=True))
    if len(spot) == 4:
        a, b, c, d = spot
        return box_iou((x0, y0, x1, y1), (a, b, c, d)) < 0.25
    return not (x0 <= spot[0] <= x1 and y0 <= spot[1] <= y1)
