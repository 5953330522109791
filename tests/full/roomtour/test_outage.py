"""A language server that fails, under every kind of data that asks one: the rows of before stay, it is said, and later
only what was not answered is asked again.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from roomtour.cli import main
from roomtour.imports.write import import_run
from roomtour.run import Run
from tests.support.doubles.fault_server import Behaviour, fails, fault_server, hangs_up, says, sends_raw, sleeps
from tests.support.imports.made_images import write_images

OF_IMAGES, OF_THE_WALK = ("spatial", "regions", "dialogues"), ("navigation", "programs")
SOUND = {"navigation": says("Walk forward and then stop.")} | dict.fromkeys(
    (*OF_IMAGES, "programs"), says("The chair stands by the wall.")
)
OUTAGES: dict[str, tuple[str, Behaviour, str]] = {
    "429": ("navigation", fails(429), "answers 429"),
    "500": ("spatial", fails(500), "answers 500"),
    "503": ("navigation", fails(503, message="overloaded"), "overloaded"),
    "cut": ("programs", hangs_up, "broke off"),
    "slow": ("regions", sleeps(1.0), "no reply within 0.5 s"),
    "html": ("dialogues", sends_raw(b"<html>proxy</html>"), "not a chat completion"),
    "key": ("navigation", fails(401, message="who are you?"), "who are you"),
}
"""A kind that meets it, what the server does, and what is told of it; kinds share the code that asks."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    monkeypatch.setattr("openai._base_client.MAX_RETRY_DELAY", 0.02)


@pytest.fixture(scope="module")
def homes(finished_run: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A run for each kind, with rows of templates and measures: single images, or the short walk."""
    folder = tmp_path_factory.mktemp("kinds")
    write_images(folder / "pictures", rolls=(0.0, 4.0, -4.0))
    images = import_run(folder / "pictures", "images", folder / "images").path
    assert main(["make", str(images), "--data", *OF_IMAGES]) == 0
    walk = shutil.copytree(finished_run, folder / "walk")
    assert main(["make", str(walk), "--data", "programs"]) == 0
    return dict.fromkeys(OF_IMAGES, images) | dict.fromkeys(OF_THE_WALK, walk)


def ask(run: Path, kind: str, *behaviours: Behaviour) -> tuple[int, int]:
    """Exit code of `make` with a server that behaves so, and how many requests it saw."""
    with fault_server(*behaviours) as server:
        told = (f"base_url={server.base_url}", "model=fake-1", "concurrency=1", "retries=0", "timeout_s=0.5")
        told = (*(f"language.{one}" for one in told), "dialogues.skip_pilot=true", "dialogues.gates.min_views=1")
        words = [word for one in told for word in ("--set", one)]
        return main(["make", str(run), "--data", kind, "--writer", "llm", *words]), len(server.seen)


@pytest.mark.parametrize("outage", OUTAGES)
def test_an_outage_keeps_what_was_there_and_a_later_run_goes_on(outage: str, homes, tmp_path: Path, capsys):
    kind, behaviour, cause = OUTAGES[outage]
    run = shutil.copytree(homes[kind], tmp_path / "run")
    before = (run / kind / "rows.jsonl").read_bytes()
    assert ask(run, kind, behaviour)[0] == 4
    assert (run / kind / "rows.jsonl").read_bytes() == before
    (finding,) = Run(run).unfinished.values()
    assert finding.code == "language.unanswered"
    assert finding in Run(run).findings
    assert cause in finding.message
    assert cause in capsys.readouterr().err.replace("\n", " ")
    assert main(["show", str(run)]) == 0  # and the folder can be read as before
    code, asked = ask(run, kind, SOUND[kind])
    assert (code, asked > 0) == (0, True)
    assert not Run(run).unfinished
    assert ask(run, kind, SOUND[kind]) == (0, 0)


@pytest.mark.parametrize("kind", SOUND)
def test_after_some_answers_only_the_others_are_asked(kind: str, homes, tmp_path: Path):
    run, quiet = (shutil.copytree(homes[kind], tmp_path / name) for name in ("run", "quiet"))
    sound = SOUND[kind]
    code, questions = ask(quiet, kind, sound)
    assert (code, questions >= 2) == (0, True)
    answered = min(2, questions - 1)
    assert ask(run, kind, *[sound] * answered, fails(500))[0] == 4
    assert ask(run, kind, sound) == (0, questions - answered)
    for name in ("rows.jsonl", "rejected.jsonl"):
        assert (run / kind / name).read_bytes() == (quiet / kind / name).read_bytes()


def test_a_question_that_the_server_does_not_take_is_a_rejected_row(homes, tmp_path: Path):
    run = shutil.copytree(homes["navigation"], tmp_path / "run")
    assert ask(run, "navigation", fails(400, message="too long"), SOUND["navigation"])[0] == 0
    assert "no_reply" in {row.rejected_because for row in Run(run).rejected_rows("navigation")}


def test_a_run_without_the_kind_gets_all_else(finished_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    run, kind = shutil.copytree(finished_run, tmp_path / "run"), "navigation"
    manifest = json.loads((run / "manifest.json").read_text())
    for stage in (kind, "report"):
        del manifest["stages"][stage]
    (run / "manifest.json").write_text(json.dumps(manifest))
    shutil.rmtree(run / kind)
    (run / "report.html").unlink()
    assert ask(run, kind, fails(500))[0] == 4
    assert (run / "report.html").is_file()
    assert kind not in Run(run).stages
    capsys.readouterr()
    assert main(["show", str(run)]) == 0
    assert "unfinished" in capsys.readouterr().out
    assert main(["export", str(run), "--format", "llava", "--out", str(run.parent / "out")]) == 1
    code, asked = ask(run, kind, SOUND[kind])
    assert (code, asked > 0) == (0, True)
