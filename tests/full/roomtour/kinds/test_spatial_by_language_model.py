"""The kind `spatial` with `--writer llm`: rows, talks, rejected pairs and counts of a whole run."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from instructions.language.options import LanguageOptions
from roomtour.imports.write import import_run
from roomtour.pipeline import make_data, run_config
from roomtour.run import Run
from roomtour.stages import spatial
from roomtour.store import RunStore
from tests.support.doubles.scripted_model import ScriptedModel, told
from tests.support.imports.made_images import write_images


def answer(messages: tuple) -> object:
    """Words distances well and everything else badly; guesses at puzzles."""
    if "The question:" in messages[1].content:
        return {"answer": "Yes."}
    if "The pair" not in messages[1].content:
        return {"same": "along the floor" not in messages[1].content}
    given = told(messages)
    if given["asks"].startswith("The distance between the centres") and given["number"]:
        a, b = given["phrases"]
        return {"pairs": [{"question": f"What distance lies between {a} and {b}?", "answer": f"{given['number']}."}]}
    return {"pairs": [{"question": "What is it?", "answer": "A thing."}]}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    write_images(tmp_path / "pictures", rolls=(0.0, 4.0, -4.0, 8.0))
    return import_run(tmp_path / "pictures", "images", tmp_path / "run")


def test_rows_talks_and_counts_and_nothing_is_paid_for_twice(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = make_data(run.path, ["spatial"]).rows("spatial")
    model = ScriptedModel(answer)
    monkeypatch.setattr(spatial, "connect_server", lambda options: model)
    language = LanguageOptions(base_url="http://127.0.0.1:9/v1", model="scripted", concurrency=1)
    config = replace(run_config(run), writer="llm", language=language)
    wanted = spatial.find_requests(run.path, config)
    made = make_data(run.path, ["spatial"], config)
    assert len(model.asked) <= len(wanted)  # whether words mean the same is asked of those that hold
    rows, rejected = made.rows("spatial"), made.rejected_rows("spatial")
    assert len(rows) == len(plain)
    assert sorted(str(row.truth) for row in rows) == sorted(str(row.truth) for row in plain)
    worded = [row for row in rows if row.template == "llm"]
    assert worded
    assert {row.type for row in worded} <= {"distance", "horizontal_distance"}
    assert all(row.writer == "llm scripted" for row in worded)
    assert {row.rejected_because for row in rejected} == {"no_phrase"}
    counts = json.loads((run.path / "spatial" / "counts.json").read_text(encoding="utf-8"))
    assert counts["written"] == counts["kept"] + counts["rejected"] == len(rows) + len(rejected)
    talks = Run(run.path).thinking
    assert not any(talk.accepted for talk in talks)  # guessed, or wrong
    assert counts["besides"]["thinking"]["rejected"] == len(talks)
    assert re.search(r"rows were reworded", " ".join(finding.message for finding in made.findings))
    asked, first = len(model.asked), (run.path / "spatial" / "rows.jsonl").read_bytes()
    store = RunStore(run.path)
    with store.opened():
        store.forget(["spatial"])
    make_data(run.path, ["spatial"], config)  # the same replies cost nothing again
    assert len(model.asked) == asked
    assert (run.path / "spatial" / "rows.jsonl").read_bytes() == first
