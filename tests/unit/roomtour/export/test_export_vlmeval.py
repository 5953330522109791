"""The format vlmeval: tables read as VLMEvalKit reads them, letters that mean the right option, every rule held."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from instructions.questions.quality.grades import Solution
from roomtour.export import RunData
from roomtour.export.formats.talks.vlmeval import LETTERS, TOO_CLOSE_OPTION
from roomtour.scoring.dataset import read_rows
from tests.support.export.breaking import read_content
from tests.support.export.made_datasets import MadeDatasets


@pytest.fixture
def tours(made: MadeDatasets) -> list[RunData]:
    return made.spatial


@pytest.fixture
def dataset(made: MadeDatasets) -> Path:
    return made["vlmeval"]


def test_the_letter_is_the_truth(dataset: Path, tours: list[RunData]):
    by_id = {row.id: row for tour in tours for row in tour.rows["spatial"]}
    for row in read_content(dataset / "mcq_train.tsv"):
        source = by_id[row["id"]]
        told = row[row["answer"]]
        if source.truth == "too close":
            assert told == TOO_CLOSE_OPTION
        elif source.correct is not None:
            assert told == source.choices[source.correct]
        assert row["question"] == source.question
        assert row["category"] == source.type


def test_numbers_go_into_the_other_table(dataset: Path, tours: list[RunData]):
    by_id = {row.id: row for tour in tours for row in tour.rows["spatial"]}
    rows = read_content(dataset / "vqa_train.tsv")
    assert {by_id[row["id"]].family for row in rows} == {"estimate", "ratio"}
    for row in rows:
        assert "A" not in row
        truth = Solution.of(by_id[row["id"]])
        assert (float(row["answer"]), row["unit"]) == (truth.truth, truth.unit)


def test_the_scorer_reads_it(dataset: Path):
    rows = read_rows(dataset)
    assert {row.kind for row in rows} == {"spatial"}
    assert all(row.solution in row.choices for row in rows if row.choices)
    assert any(row.twin for row in rows)


def test_choices_and_yes_or_no_become_option_rows(made: MadeDatasets):
    """Options stand below questions that list none."""
    dataset = made["vlmeval of dialogues"]
    rows = {row.id: row for row in made.dialogues[0].rows["dialogues"]}
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
