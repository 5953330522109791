"""The recipe's way of data: an export through ms-swift's loader and template into a model, and its answers scored."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from roomtour.scoring import score_answers
from tests.support.export.breaking import read_content
from tests.support.export.made_datasets import MadeDatasets
from tests.support.paths import EXAMPLES

RECIPE = EXAMPLES / "finetune"


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
