"""Messages that call a tool: every number is a measure of the talk, every rule broken once is found."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from roomtour.export.dataset import export_runs
from roomtour.export.validate import validate_export
from roomtour.run import Run
from tests.support.export.made_datasets import MadeDatasets


@pytest.fixture
def run(made: MadeDatasets) -> Run:
    return made.thinking_run


@pytest.fixture
def dataset(made: MadeDatasets) -> Path:
    return made["tool_calls"]


def read(dataset: Path) -> list[dict[str, Any]]:
    lines = (dataset / "tool_calls_train.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_calls_and_results_are_those_of_the_talks(run: Run, dataset: Path) -> None:
    talks = {talk.id: talk for talk in run.thinking}
    rows = read(dataset)
    assert {row["id"] for row in rows} == set(talks)
    assert rows
    for row in rows:
        talk = talks[row["id"]]
        calls = [message for message in row["messages"] if message.get("tool_calls")]
        results = [message for message in row["messages"] if message["role"] == "tool"]
        assert len(calls) == len(results) == len(talk.turns)
        for turn, call, result in zip(talk.turns, calls, results, strict=True):
            assert call["tool_calls"][0]["function"]["arguments"]["measure"] == turn.measured[0].name
            numbers = [float(one) for one in re.findall(r"[\d.]+", result["content"])]
            assert numbers == [round(one.value, 2) for one in turn.measured]
        assert row["messages"][-1]["content"].endswith(talk.answer)
        assert (dataset / row["images"][0]).is_file()
    assert not validate_export(dataset)


def test_thinking_is_an_answer_in_messages(run: Run, tmp_path: Path) -> None:
    export_runs([run.data], "messages", tmp_path / "dataset", kinds=["spatial"])
    lines = (tmp_path / "dataset" / "train.jsonl").read_text(encoding="utf-8").splitlines()
    told = {row["id"]: row for row in map(json.loads, lines) if row["type"].startswith("thinking_")}
    assert set(told) == {talk.id for talk in run.thinking}
    for talk in run.thinking:
        said = told[talk.id]["messages"][-1]["content"]
        assert said.endswith(talk.answer)
        assert all(turn.reply in said for turn in talk.turns)
