"""A language server that fails or talks in vain, under every kind of data that asks one: the rows of before stay, it is
said, and later only what was not answered is asked again.
"""

import json
import re
import shutil
from pathlib import Path

import pytest

from roomtour.cli import main
from roomtour.imports.write import import_run
from roomtour.run import Run
from tests.support.doubles.fault_server import (
    Behaviour,
    answers,
    answers_in_form,
    fails,
    fault_server,
    hangs_up,
    refuses,
    sends_raw,
    sleeps,
)
from tests.support.imports.made_images import write_images
from tests.support.imports.made_sprite import write_sprite

OF_IMAGES = ("spatial", "regions", "dialogues")
KINDS = (*OF_IMAGES, "navigation", "programs")
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
SORRY = answers("I'm sorry, I cannot\nhelp with that.")
LONGER = "--set language.max_reply_tokens=4000"
USELESS: dict[str, tuple[Behaviour, tuple[str, ...]]] = {
    "null": (answers(None), ("empty repl", LONGER)),
    "sorry": (SORRY, ("not of the asked form", "json_schema", '"I\'m sorry, I cannot help with that."')),
    "cut": (answers('{"texts": ["Walk', finish="length"), ("cut off at 600 tokens", LONGER, """'{"texts": ["Walk'""")),
    "thinks": (answers("<think>Well, a way.", finish="length"), ("cut off at 600 tokens", LONGER, "<think>Well")),
    "refused": (refuses("I will not."), ("refused by the model", "another model", "'I will not.'")),
    "withheld": (answers("", finish="content_filter"), ("content filter", "another model")),
    "400": (fails(400, message="too long"), ("does not take", "the server answers 400: too long")),
}
"""Replies that the server sends and that no row can be made of, and what is told of them."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    monkeypatch.setattr("openai._base_client.MAX_RETRY_DELAY", 0.02)


@pytest.fixture(scope="module")
def homes(finished_run: Path, short_walk: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A run for each kind, with rows of templates and measures: single images, the short walk, a simulator's scene."""
    folder = tmp_path_factory.mktemp("kinds")
    write_images(folder / "pictures", rolls=(0.0, 4.0, -4.0))
    images = import_run(folder / "pictures", "images", folder / "images").path
    assert main(["make", str(images), "--data", *OF_IMAGES]) == 0
    walk = shutil.copytree(finished_run, folder / "walk")
    assert main(["process", str(short_walk), "--out", str(walk), "--data", "navigation"]) == 0
    known = import_run(write_sprite(folder / "sprite"), "sprite", folder / "known").path
    assert main(["make", str(known), "--data", "programs"]) == 0
    return {**dict.fromkeys(OF_IMAGES, images), "navigation": walk, "programs": known}


def ask(run: Path, kind: str, *behaviours: Behaviour) -> tuple[int, int]:
    """Exit code of `make` with a server that behaves so, and how many requests it saw."""
    with fault_server(*behaviours) as server:
        told = (f"base_url={server.base_url}", "model=fake-1", "concurrency=1", "retries=0", "timeout_s=0.5")
        told = (*(f"language.{one}" for one in told), "dialogues.skip_pilot=true", "dialogues.gates.min_views=1")
        words = [word for one in told for word in ("--set", one)]
        return main(["make", str(run), "--data", kind, "--writer", "llm", *words]), len(server.seen)


def read_rows(run: Path, kind: str) -> list[bytes]:
    """Every row of a kind, kept and rejected, byte for byte."""
    return [(run / kind / name).read_bytes() for name in ("rows.jsonl", "rejected.jsonl")]


@pytest.mark.parametrize("outage", OUTAGES)
def test_an_outage_keeps_what_was_there_and_a_later_run_goes_on(outage: str, homes, tmp_path: Path, capsys):
    kind, behaviour, cause = OUTAGES[outage]
    run = shutil.copytree(homes[kind], tmp_path / "run")
    before = read_rows(run, kind)
    assert ask(run, kind, behaviour)[0] == 4
    assert read_rows(run, kind) == before
    (finding,) = Run(run).unfinished.values()
    assert finding.code == "language.unanswered"
    assert finding in Run(run).findings
    assert cause in finding.message
    assert cause in capsys.readouterr().err.replace("\n", " ")
    assert main(["show", str(run)]) == 0  # and the folder can be read as before
    code, asked = ask(run, kind, answers_in_form)
    assert (code, asked > 0) == (0, True)
    assert not Run(run).unfinished
    assert ask(run, kind, answers_in_form) == (0, 0)


@pytest.mark.parametrize("useless", USELESS)
def test_useless_replies_keep_what_was_there_and_a_later_run_goes_on(useless: str, homes, tmp_path: Path, capsys):
    behaviour, told = USELESS[useless]
    run = shutil.copytree(homes["navigation"], tmp_path / "run")
    before = read_rows(run, "navigation")
    code, asked = ask(run, "navigation", behaviour)
    assert code == 4
    assert read_rows(run, "navigation") == before
    (finding,) = Run(run).unfinished.values()
    assert finding.code == "language.unanswered"
    count = asked if useless in ("refused", "withheld", "400") else asked // 2  # one repair each
    said = " ".join(capsys.readouterr().err.split())
    for words in (f"{count} of {count} questions to fake-1", *told):
        assert words in finding.message
        assert words in said
    assert ask(run, "navigation", answers_in_form) == (0, count)
    assert read_rows(run, "navigation") != before
    assert not Run(run).unfinished
    assert ask(run, "navigation", SORRY) == (0, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_few_useless_replies_are_told_and_asked_for_again(kind: str, homes, tmp_path: Path):
    run, quiet = (shutil.copytree(homes[kind], tmp_path / name) for name in ("run", "quiet"))
    _, questions = ask(quiet, kind, answers_in_form)
    code, _ = ask(run, kind, *[answers_in_form] * (questions - 1), SORRY)
    assert code == 0
    (finding,) = (one for one in Run(run).findings if one.code == "language.open")
    assert re.match(r"1 of \d+ questions to fake-1 got no usable answer: 1 reply not of the asked", finding.message)
    assert Run(run).stages[kind].counts["open questions"] == 1
    assert ask(run, kind, answers_in_form) == (0, 1)
    assert read_rows(run, kind) == read_rows(quiet, kind)
    assert not [one for one in Run(run).findings if one.code == "language.open"]


@pytest.mark.parametrize("kind", KINDS)
def test_after_some_answers_only_the_others_are_asked(kind: str, homes, tmp_path: Path):
    run, quiet = (shutil.copytree(homes[kind], tmp_path / name) for name in ("run", "quiet"))
    code, questions = ask(quiet, kind, answers_in_form)
    assert (code, questions >= 2) == (0, True)
    answered = min(2, questions - 1)
    assert ask(run, kind, *[answers_in_form] * answered, fails(500))[0] == 4
    assert ask(run, kind, answers_in_form) == (0, questions - answered)
    assert read_rows(run, kind) == read_rows(quiet, kind)


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
    assert main(["export", str(run), "--format", "r2r", "--out", str(run.parent / "out")]) == 1
    assert main(["export", str(run), "--format", "llava", "--out", str(run.parent / "out")]) == 0
    assert f"left out: {kind}" in capsys.readouterr().out
    code, asked = ask(run, kind, answers_in_form)
    assert (code, asked > 0) == (0, True)
