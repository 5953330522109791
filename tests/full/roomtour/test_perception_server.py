"""`--perception server` through the whole pipeline: a server that names, one that fails, and going on afterwards."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import roomtour
from instructions.perception.things.certainty import estimate_certainty
from roomtour.cli import main
from tests.support.doubles.fault_server import Handler, answers, fails, fault_server
from tests.support.one_line import one_line

WORD = "radiator"


def name_all(handler: Handler, body: dict[str, Any]) -> None:
    """Calls everything a radiator, in a kitchen."""
    text, *_ = body["messages"][1]["content"]
    pictures = []
    for line in text["text"].splitlines():
        place, _, numbers = line.removeprefix("Picture ").partition(": ")
        things = [{"number": int(one), "category": WORD, "color": "red", "sure": True} for one in numbers.split(", ")]
        pictures.append({"picture": int(place), "room": "kitchen", "things": things})
    answers(json.dumps({"pictures": pictures}))(handler, body)


@pytest.fixture
def run(finished_run: Path, tmp_path: Path) -> Path:
    return shutil.copytree(finished_run, tmp_path / "run")


def command(video: Path, run: Path, address: str, *more: str) -> list[str]:
    told = (f"language.base_url={address}", "language.model=seer", "language.retries=0", "language.concurrency=1")
    sets = [word for one in told for word in ("--set", one)]
    return ["process", str(video), "--out", str(run), "--perception", "server", "--workers", "1", *sets, *more]


def test_names_of_a_server_are_asked_once_and_go_through_the_certainty(run: Path, short_walk: Path, capsys):
    before = roomtour.Run(run).objects
    with fault_server(name_all) as server:
        assert main(command(short_walk, run, server.base_url, "--dry-run")) == 0
        assert server.seen == []
        told = capsys.readouterr().out
        assert main(command(short_walk, run, server.base_url)) == 0
        asked = len(server.seen)
        shown = sum(len(one.body["messages"][1]["content"]) - 1 for one in server.seen)
        assert f"{asked} questions to seer, 0 of them" in told
        assert f"{shown} pictures" in told
        assert main(command(short_walk, run, server.base_url, "--force", "perception")) == 0
        assert len(server.seen) == asked, "replies are kept"
    done = roomtour.Run(run)
    assert done.perception == "server"
    assert [thing.id for thing in done.objects] == [thing.id for thing in before]
    seen = [thing for thing in done.objects if thing.categories]
    assert done.stages["perception"].counts["marked frames"] == shown
    assert seen
    nothing = estimate_certainty(WORD, dict.fromkeys(("share", "views", "close", "tag", "fine", "both"), 0.0))
    for thing in seen:
        ((word, probability),) = thing.categories
        assert (word, thing.source) == (WORD, "embedded, fake-1")
        assert 10 * nothing < probability < 0.95, "all by one witness"
        assert thing.category is None, "who alone makes nothing sure"


def test_a_run_goes_on_without_its_server_and_asks_when_it_is_back(run: Path, short_walk: Path, capsys):
    before = {thing.id: thing.category for thing in roomtour.Run(run).objects}
    with fault_server(fails(429)) as server:
        assert main(command(short_walk, run, server.base_url)) == 0
    away = roomtour.Run(run)
    assert {thing.id: thing.category for thing in away.objects} == before
    assert [one.code for one in away.stages["perception"].findings if one.severity == "warning"] == ["language.open"]
    assert away.rows("spatial")
    with fault_server(name_all) as server:
        assert main(command(short_walk, run, server.base_url)) == 0
        assert server.seen
    assert any(thing.categories for thing in roomtour.Run(run).objects)


def test_a_server_that_nobody_named_is_told_at_once(short_walk: Path, tmp_path: Path, capsys, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    words = ["process", str(short_walk), "--out", str(tmp_path / "new"), "--perception", "server"]
    assert "no server to ask" in one_line(capsys, *words)
    assert not (tmp_path / "new" / "frames").exists()
