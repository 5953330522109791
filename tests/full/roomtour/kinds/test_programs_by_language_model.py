"""Programs by a server that takes pictures, or none: steps and questions in one run."""

import json
from pathlib import Path
from typing import Any

import pytest

from roomtour.cli import main
from tests.support.doubles.fault_server import answers, fault_server
from tests.support.imports.made_sprite import write_sprite


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_sprite(tmp_path / "sprite")
    assert main(["import", str(tmp_path / "sprite"), "--format", "sprite", "--out", str(tmp_path / "run")]) == 0
    return tmp_path / "run"


def make(folder: Path, address: str) -> int:
    told = ("programs.sight=server", f"language.base_url={address}", "language.model=seer", "language.retries=0")
    words = [word for one in told for word in ("--set", one)]
    return main(["make", str(folder), "--data", "programs", "--writer", "llm", *words])


def count_pictures(body: dict[str, Any]) -> int:
    said = body["messages"][-1]["content"]
    return 0 if isinstance(said, str) else sum(part["type"] == "image_url" for part in said)


def schema_of(body: dict[str, Any]) -> str:
    return body["response_format"]["json_schema"]["name"]


def answer_well(handler: Any, body: dict[str, Any]) -> None:
    """Nothing of use."""
    replies = {
        "AskedQuestions": {
            "questions": [{"instruction": "What is this?", "objects": [], "objects_category": [], "category": "x"}]
        },
    }
    answers(json.dumps(replies.get(schema_of(body), {})))(handler, body)


def test_a_server_that_sees_is_shown_the_views(folder: Path):
    with fault_server(answer_well) as server:
        assert make(folder, server.base_url) == 0
        bodies = [one.body for one in server.seen]
    shown = {
        name: [count_pictures(body) for body in bodies if schema_of(body) == name] for name in map(schema_of, bodies)
    }
    assert min(shown["AskedQuestions"]) >= 1
    assert not any(sum(counts) for name, counts in shown.items() if name == "PolishedSteps")
    counts = json.loads((folder / "programs" / "counts.json").read_text(encoding="utf-8"))
    assert counts["asked freely and dropped"]["unknown_type"] >= 1
