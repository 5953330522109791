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
