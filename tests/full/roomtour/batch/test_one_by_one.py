"""`roomtour process A B`: what ends the process of one tour costs that tour alone."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from roomtour.batch.engines.local import LocalEngine
from roomtour.batch.records import Attempt
from roomtour.cli import main

pytestmark = pytest.mark.posix
FALLS = """
import ctypes, sys
from roomtour.batch.children import phase
tell = phase.EventFile.stage_started
def tell_and_fall(self, title):
    tell(self, title)
    if title == "Shots and clips":
        ctypes.string_at(0)
phase.EventFile.stage_started = tell_and_fall
sys.exit(phase.main(sys.argv[1]))
"""


@pytest.fixture
def videos(short_walk, tmp_path) -> list[str]:
    paths = [tmp_path / f"{name}.mp4" for name in ("one", "falls", "two")]
    for path in paths:
        shutil.copyfile(short_walk, path)
    return list(map(str, paths))


def stages_of(run: Path) -> list[str]:
    return list(json.loads((run / "manifest.json").read_text())["stages"])


def test_native_code_that_crashes_ends_no_other_tour(videos, tmp_path, monkeypatch, capfd):
    submit = LocalEngine.submit

    def fall(self: LocalEngine, attempt: Attempt, command: Sequence[str]) -> None:
        submit(self, attempt, ["-c", FALLS, command[-1]] if attempt.task.tour.name == "falls" else command)

    monkeypatch.setattr(LocalEngine, "submit", fall)
    assert main(["process", *videos, "--out", str(tmp_path / "runs"), "--until", "clips"]) == 1
    told = capfd.readouterr()
    assert "2 of 3 tours done" in told.out
    assert "failed: falls: crashed: ended by signal 11 in Shots and clips" in told.out
    assert [stages_of(tmp_path / "runs" / name) for name in ("one", "two")] == [["sample", "clips"]] * 2
    assert stages_of(tmp_path / "runs" / "falls") == ["sample"]
