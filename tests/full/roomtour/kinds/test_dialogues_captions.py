"""A model that looks captions the views of dialogues, behind a server that answers as well or badly as a test wants."""

import json
import shutil
from pathlib import Path

import pytest

from roomtour.artifacts import ANNOTATIONS, DIALOGUE_CONTEXTS
from roomtour.cli import main
from roomtour.run import Run
from tests.support.doubles.fault_server import answers, fails, fault_server

SAID = "A worn carpet lies before a window."


@pytest.fixture
def folder(finished_run: Path, tmp_path: Path) -> Path:
    shutil.copytree(finished_run, tmp_path / "run")
    return tmp_path / "run"


def make(folder: Path, address: str, *more: str) -> int:
    told = ("dialogues.captions=server", f"language.base_url={address}", "language.model=seer", "language.retries=0")
    return main(
        ["make", str(folder), "--data", "dialogues", *(word for one in (*told, *more) for word in ("--set", one))]
    )


def test_captions_stand_in_the_contexts_with_who_said_them(folder: Path):
    with fault_server(fails(500)) as server:
        assert make(folder, server.base_url) != 0
    with fault_server(answers(json.dumps({"narratives": [SAID]}))) as server:
        assert make(folder, server.base_url) == 0
        asked = len(server.seen)
    views = [one for one in DIALOGUE_CONTEXTS.read(folder) if one.view is not None]
    assert asked == len(views) > 0
    for one in views:
        assert (one.captions[0].text, one.captions[0].source) == (SAID, "fake-1")
    rows = [row for row in Run(folder).rows("dialogues") if SAID in str(row)]
    assert rows == []  # nobody measured it, so no embedded row says it


def test_annotations_of_a_run_are_read_as_an_option(folder: Path, tmp_path: Path):
    notes = tmp_path / "notes.jsonl"
    line = {"frame": 1, "words": [{"text": "Mind the step", "box": [5, 5, 100, 40]}], "source": "by hand"}
    notes.write_text(json.dumps(line), encoding="utf-8")
    assert main(["make", str(folder), "--data", "dialogues", "--set", f"dialogues.annotations={notes}"]) == 0
    (row,) = [row for row in Run(folder).rows("dialogues") if row.task == "words"]
    assert row.views == (1,)
    assert "Mind the step" in row.turns[0].answer
    assert ANNOTATIONS.read(folder) == ()  # a tour has none of its own
