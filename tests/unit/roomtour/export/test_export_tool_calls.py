"""Messages that call a tool: every number is a measure of the talk, every rule broken once is found."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from roomtour.export.dataset import export_runs
from roomtour.export.validate import validate_export
from roomtour.imports.write import import_run
from roomtour.pipeline import make_data
from roomtour.run import Run
from tests.support.imports.made_images import write_images


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("talks")
    write_images(folder / "pictures", rolls=(0.0, 4.0, -4.0, 8.0, -8.0, 12.0))
    import_run(folder / "pictures", "images", folder / "run")
    make_data(folder / "run", ["spatial"])
    return Run(folder / "run")


@pytest.fixture
def dataset(run: Run, tmp_path: Path) -> Path:
    export_runs([run.data], "tool_calls", tmp_path / "dataset")
    return tmp_path / "dataset"


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


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda row: row["messages"].pop(), "messages"),
        (lambda row: row["messages"].pop(1), "messages"),
        (lambda row: row["messages"].insert(0, {"role": "system", "content": "x"}), "messages.0.role"),
        (lambda row: row["messages"][0].update(content="no picture"), "messages"),
        (lambda row: row["messages"][1]["tool_calls"][0]["function"].update(name="other"), "messages"),
        (lambda row: row["messages"][1]["tool_calls"][0]["function"]["arguments"].update(things=[]), "messages"),
        (lambda row: row.update(images=["images/none.png"]), "images"),
        (lambda row: row.update(images=["/etc/passwd"]), "images"),
        (lambda row: row.update(solution=" "), "solution"),
        (lambda row: row.update(scale_status="relative"), "scale_status"),
    ],
)
def test_each_broken_rule_is_found(dataset: Path, change: Any, field: str) -> None:
    rows = read(dataset)
    change(rows[0])
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (dataset / "tool_calls_train.jsonl").write_text(text, encoding="utf-8")
    assert any(problem.field.startswith(field.split(".")[0]) for problem in validate_export(dataset))
