"""While a language server is away no tour asks it but one each step; everything else goes on."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from roomtour.batch import retries
from roomtour.batch.driver import Job
from roomtour.batch.job_options import JobOptions
from roomtour.batch.ledger import read_rows
from roomtour.batch.records import Attempt, Phase, TourTask
from roomtour.config import Config
from roomtour.sources import Tour
from tests.support.doubles.stub_jobs import StubEngine

CHILD = """
import json, pathlib, sys, time
spec = json.load(open(sys.argv[1]))
run, home = pathlib.Path(spec["run"]), pathlib.Path(HOME)
run.mkdir(parents=True, exist_ok=True)
state = "done"
if PHASE == "write":
    with open(home / "asked", "a") as file:
        print(time.time(), file=file)
    state = "done" if (home / "up").exists() else "unfinished"
said = {"state": state, "tour_s": 10.0, "is_server_away": AWAY and state == "unfinished"}
json.dump(said, open(spec["outcome"], "w"))
"""


class PhaseEngine(StubEngine):
    """Children that know their phase; the server comes up when tours ask again for the n-th time."""

    def __init__(self, home: Path, up_after: int, is_away: bool):
        super().__init__({}, slots=4)
        self._home, self._up_after, self._is_away = home, up_after, is_away
        self._writing: list[str] = []

    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        if attempt.phase.name == "write":
            self._writing.append(attempt.task.tour.name)
        if len(self._writing) - len(set(self._writing)) >= self._up_after:
            (self._home / "up").touch()
        text = CHILD.replace("HOME", repr(str(self._home))).replace("PHASE", repr(attempt.phase.name))
        text = text.replace("AWAY", repr(self._is_away))
        self.programs[attempt.task.tour.name] = text
        super().submit(attempt, command)


@pytest.fixture
def two_phases(monkeypatch):
    monkeypatch.setattr(
        "roomtour.batch.driver.list_phases", lambda config, until: (Phase("finish", "plan"), Phase("write", None))
    )
    monkeypatch.setattr(retries, "STEP_S", 3.0)


def run_job(home: Path, names: Sequence[str], up_after: int, *, is_away: bool = True) -> dict[str, str]:
    job = home / "job"
    tasks = [TourTask(Tour(name, job / f"{name}.mp4", job / "runs" / name), f"key-{name}", 10.0) for name in names]
    engine = PhaseEngine(home, up_after, is_away)
    status = Job(job, tasks, Config(), JobOptions(memory_mb=200.0), engine).run()
    return {row.tour: row.state for row in status.tours}


def test_all_tours_are_written_once_the_server_is_back(tmp_path, two_phases):
    names = [f"t{number}" for number in range(8)]
    assert set(run_job(tmp_path, names, up_after=2).values()) == {"done"}
    asked = [float(line) for line in (tmp_path / "asked").read_text().splitlines()]
    assert len(asked) <= 8 + 5
    rows = [row for row in read_rows(tmp_path / "job") if row.phase == "write"]
    failed = next(number for number, row in enumerate(rows) if row.event == "ended")
    assert sum(row.event == "started" for row in rows[:failed]) <= 4  # those in the slots
    tries = rows[failed + 1 :]
    alone = next(number for number, row in enumerate(tries) if row.event == "started")
    assert tries[alone + 1].event == "ended"  # one asks, and nobody beside it
    rows = [row for row in read_rows(tmp_path / "job") if row.event == "ended" and row.phase == "finish"]
    assert len(rows) == 8


def test_a_server_that_answers_in_vain_is_not_asked_the_same_again(tmp_path, two_phases):
    """Each try costs as much as the first, and the model would say no better."""
    assert run_job(tmp_path, ["a", "b"], up_after=1, is_away=False) == {"a": "unfinished", "b": "unfinished"}
    assert len((tmp_path / "asked").read_text().splitlines()) == 2
