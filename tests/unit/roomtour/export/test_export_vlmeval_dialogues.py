"""Dialogues in VLMEvalKit's hands: its own classes read the tables, and put options below questions that list none."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from instructions.dialogues.records import Dialogue
from roomtour.export import RunData
from roomtour.export.formats.talks.vlmeval import LETTERS
from tests.support.export.breaking import read_content
from tests.support.export.made_datasets import MadeDatasets


@pytest.fixture
def run(made: MadeDatasets) -> RunData:
    return made.dialogues[0]


@pytest.fixture
def dataset(made: MadeDatasets) -> Path:
    return made["vlmeval of dialogues"]


def rows_of(run: RunData) -> dict[str, Dialogue]:
    return {row.id: row for row in run.rows["dialogues"] if isinstance(row, Dialogue)}


def test_choices_and_yes_or_no_become_option_rows(dataset: Path, run: RunData):
    rows = rows_of(run)
    told = read_content(dataset / "mcq_train.tsv")
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
    without = {row["category"] for row in read_content(dataset / "vqa_train.tsv")}
    assert "count" in without
    assert not without & {"choice", "presence"}
