"""Dialogues in VLMEvalKit's hands: its own classes read the tables, and put options below questions that list none."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from instructions.dialogues.records import Dialogue
from roomtour.export import RunData
from roomtour.export.formats.vlmeval.write import LETTERS, cut_options
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


def test_options_are_cut_out_of_questions(subtests: pytest.Subtests):
    for question, plain in (
        ("Which is here? Choose one: (A) a bed (B) a sofa", "Which is here?"),
        ("Pick one letter. Which is here? (A) a bed (B) a sofa", "Pick one letter. Which is here?"),
        ("Name it. (A) a bed (B) a sofa", "Name it."),
        ("Which is here? (A) a bed (B) a chair", "Which is here? (A) a bed (B) a chair"),  # other options
    ):
        with subtests.test(str(question)):
            assert cut_options(question, ("a bed", "a sofa")) == plain
