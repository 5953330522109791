"""An outage of the language server under every kind of data that asks one: what was there stays, only what was not
answered is asked again.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from roomtour.cli import main
from roomtour.imports.write import import_run
from roomtour.run import Run
from tests.support.doubles.fault_server import Behaviour, fails, fault_server, hangs_up, says, sends_raw, sleeps
from tests.support.imports.made_images import write_images

KINDS = ("spatial", "programs", "regions", "dialogues")
TEXT = says("The chair stands by the wall.")
OUTAGES = {
    "429": fails(429),
    "500": fails(500),
    "cut": hangs_up,
    "slow": sleeps(1.0),
    "html": sends_raw(b"<html>proxy</html>"),
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    monkeypatch.setattr("openai._base_client.MAX_RETRY_DELAY", 0.02)


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Single images with rows of templates and measures."""
    folder = tmp_path_factory.mktemp("kinds")
    write_images(folder / "pictures", rolls=(0.0, 4.0, -4.0))
    run = import_run(folder / "pictures", "images", folder / "run").path
    assert main(["make", str(run), "--data", "spatial", "regions", "dialogues"]) == 0
    return run


@pytest.fixture(scope="module")
def walk(finished_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The short walk: programs ask about several views."""
    run = shutil.copytree(finished_run, tmp_path_factory.mktemp("kinds") / "run")
    assert main(["make", str(run), "--data", "programs"]) == 0
    return run


@pytest.fixture
def run(request: pytest.FixtureRequest, kind: str, tmp_path: Path) -> Path:
    return shutil.copytree(request.getfixturevalue("walk" if kind == "programs" else "images"), tmp_path / "run")


def ask(run: Path, kind: str, *behaviours: Behaviour) -> tuple[int, int]:
    """Exit code of `make` with a server that behaves so, and how many requests it saw."""
    with fault_server(*behaviours) as server:
        code = main(
            [
                *("make", str(run), "--data", kind, "--writer", "llm"),
                *("--set", f"language.base_url={server.base_url}", "--set", "language.model=fake-1"),
                *(
                    "--set",
                    "language.concurrency=1",
                    "--set",
                    "dialogues.skip_pilot=true",
                    "--set",
                    "dialogues.gates.min_views=1",
                ),
                *("--set", "language.retries=0", "--set", "language.timeout_s=0.5"),
            ]
        )
        return code, len(server.seen)


@pytest.mark.parametrize("outage", OUTAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_an_outage_keeps_what_was_there_and_a_later_run_goes_on(run: Path, kind: str, outage: str):
    before = (run / kind / "rows.jsonl").read_bytes()
    code, _ = ask(run, kind, OUTAGES[outage])
    assert code == 4
    assert (run / kind / "rows.jsonl").read_bytes() == before
    (finding,) = Run(run).unfinished.values()
    assert finding.code == "language.unanswered"
    assert main(["show", str(run)]) == 0
    code, asked = ask(run, kind, TEXT)
    assert code == 0
    assert asked > 0
    assert not Run(run).unfinished
    assert ask(run, kind, TEXT) == (0, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_after_some_answers_only_the_others_are_asked(run: Path, kind: str, tmp_path: Path):
    quiet = shutil.copytree(run, tmp_path / "quiet")
    code, questions = ask(quiet, kind, TEXT)
    assert code == 0
    assert questions >= 3
    code, seen = ask(run, kind, TEXT, TEXT, fails(500))
    assert code == 4
    assert seen > 2
    code, asked = ask(run, kind, TEXT)
    assert code == 0
    assert asked == questions - 2
    for name in ("rows.jsonl", "rejected.jsonl"):
        assert (run / kind / name).read_bytes() == (quiet / kind / name).read_bytes()
