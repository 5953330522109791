"""A language server that fails leaves the rows of before, says so, and is asked later only what it did not answer."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from roomtour.cli import main
from roomtour.run import Run
from tests.support.doubles.fault_server import (
    Behaviour,
    fails,
    fault_server,
    hangs_up,
    says,
    sends_raw,
    sleeps,
)

TEXT = says("Walk forward and then stop.")
KIND = "navigation"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    monkeypatch.setattr("openai._base_client.MAX_RETRY_DELAY", 0.02)


@pytest.fixture
def run(finished_run: Path, tmp_path: Path) -> Path:
    shutil.copytree(finished_run, tmp_path / "run")
    return tmp_path / "run"


def ask(run: Path, *behaviours: Behaviour) -> tuple[int, int]:
    """Exit code of `make` with a server that behaves so, and how many requests it saw."""
    with fault_server(*behaviours) as server:
        code = main(
            [
                *("make", str(run), "--data", KIND, "--writer", "llm"),
                *("--set", f"language.base_url={server.base_url}", "--set", "language.model=fake-1"),
                *("--set", "language.concurrency=1", "--set", "language.retries=0", "--set", "language.timeout_s=0.5"),
            ]
        )
        return code, len(server.seen)


@pytest.mark.parametrize(
    ("behaviour", "cause"),
    [
        (fails(429), "answers 429"),
        (fails(500), "answers 500"),
        (fails(503, message="overloaded"), "overloaded"),
        (hangs_up, "broke off"),
        (sleeps(1.0), "no reply within 0.5 s"),
        (sends_raw(b"<html>proxy</html>"), "not a chat completion"),
        (fails(401, message="who are you?"), "who are you"),
    ],
    ids=["429", "500", "503", "cut", "slow", "html", "key"],
)
def test_an_outage_keeps_what_was_there_and_a_later_run_goes_on(
    run: Path, behaviour: Behaviour, cause: str, capsys: pytest.CaptureFixture[str]
):
    before = (run / KIND / "rows.jsonl").read_bytes()
    code, _ = ask(run, behaviour)
    assert code == 4
    assert (run / KIND / "rows.jsonl").read_bytes() == before
    (finding,) = Run(run).unfinished.values()
    assert finding.code == "language.unanswered"
    assert cause in finding.message
    assert finding in Run(run).findings
    assert cause in capsys.readouterr().err.replace("\n", " ")
    assert main(["show", str(run)]) == 0  # and the folder can be read as before
    code, asked = ask(run, TEXT)
    assert code == 0
    assert asked > 0
    assert not Run(run).unfinished
    assert (run / KIND / "rows.jsonl").read_bytes() != before
    assert ask(run, TEXT) == (0, 0)


def test_after_some_answers_only_the_others_are_asked(run: Path, tmp_path: Path):
    quiet = tmp_path / "quiet"
    shutil.copytree(run, quiet)
    code, questions = ask(quiet, TEXT)
    assert code == 0
    assert questions >= 2
    code, _ = ask(run, TEXT, fails(500), TEXT)
    assert code == 4
    code, asked = ask(run, TEXT)
    assert (code, asked) == (0, 1)
    for name in ("rows.jsonl", "rejected.jsonl"):
        assert (run / KIND / name).read_bytes() == (quiet / KIND / name).read_bytes()


def test_a_question_that_the_server_does_not_take_is_a_rejected_row(run: Path):
    code, _ = ask(run, fails(400, message="too long"), TEXT)
    assert code == 0
    assert "no_reply" in {row.rejected_because for row in Run(run).rejected_rows(KIND)}


def test_a_run_without_the_kind_gets_all_else(run: Path, capsys: pytest.CaptureFixture[str]):
    manifest = json.loads((run / "manifest.json").read_text())
    for stage in (KIND, "report"):
        del manifest["stages"][stage]
    (run / "manifest.json").write_text(json.dumps(manifest))
    shutil.rmtree(run / KIND)
    (run / "report.html").unlink()
    code, _ = ask(run, fails(500))
    assert code == 4
    assert (run / "report.html").is_file()
    assert KIND not in Run(run).stages
    capsys.readouterr()
    assert main(["show", str(run)]) == 0
    assert "unfinished" in capsys.readouterr().out
    assert main(["export", str(run), "--format", "llava", "--out", str(run.parent / "out")]) == 1
    code, asked = ask(run, TEXT)
    assert code == 0
    assert asked > 0
