"""Tours that are not started: those whose owners refused, that fit no machine, or for which a disk has no room."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from roomtour.batch.driver import Job
from roomtour.batch.job_options import JobOptions
from roomtour.batch.ledger import latest_rows, read_rows
from roomtour.batch.records import LedgerRow, TourTask
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.sources import Tour
from roomtour.tour_facts import Consent, TourFacts
from tests.support.doubles.stub_jobs import StubEngine, make_tasks


def test_a_tour_whose_owners_refused_is_not_tried_until_they_agree(tmp_path):
    def run(consent: Consent) -> LedgerRow:
        tour = Tour("a", tmp_path / "a.mp4", tmp_path / "runs" / "a", TourFacts(consent=consent))
        status = Job(
            tmp_path, [TourTask(tour, f"key-{consent}", 10.0)], Config(), JobOptions(memory_mb=200.0), engine
        ).run()
        return status.tours[0]

    engine = StubEngine({})
    assert [run("refused").state for _ in range(2)] == ["skipped", "skipped"]
    assert engine.started == []
    assert "consent" in run("refused").reason
    assert sum(row.event == "ended" for row in read_rows(tmp_path)) == 1
    assert run("given").state == "done"


def run_lengths(
    job: Path, seconds: dict[str, float], engine: StubEngine, observer=lambda row: None, **options
) -> dict[str, LedgerRow]:
    tasks = [replace(task, seconds=seconds[task.tour.name]) for task in make_tasks(job, list(seconds))]
    status = Job(job, tasks, Config(), JobOptions(**options), engine).run(observer)
    return {row.tour: row for row in status.tours}


def test_what_needs_more_than_any_machine_has_is_told_before_anything_starts(tmp_path):
    """An hour needs 0.7 GB and 2 MB a second: 7.9 GB."""
    engine = StubEngine({}, memory_mb=7899.0)
    told: list[tuple[str, int]] = []
    seconds = {"short": 60.0, "hour": 3600.0, "unknown": 0.0}
    rows = run_lengths(tmp_path, seconds, engine, observer=lambda row: told.append((row.tour, len(engine.started))))
    assert told[0] == ("hour", 0)
    assert {name: row.state for name, row in rows.items()} == {"hour": "refused", "short": "done", "unknown": "done"}
    assert "7900 MB" in rows["hour"].reason
    assert "7899" in rows["hour"].reason
    assert "hour" not in engine.started
    hour = {"hour": 3600.0}
    assert run_lengths(tmp_path, hour, engine)["hour"].state == "refused"
    assert sum(row.event == "ended" and row.tour == "hour" for row in read_rows(tmp_path)) == 1
    assert run_lengths(tmp_path, hour, StubEngine({}, memory_mb=7901.0))["hour"].state == "done"
    assert run_lengths(tmp_path / "other", hour, engine, memory_mb=4000.0)["hour"].state == "done"  # somebody says so


def test_a_disk_that_fills_up_costs_no_tour_its_state(tmp_path, short_walk, monkeypatch):
    """The child finds no room; so does whoever would start it again: the job stops, and goes on once there is room."""
    tours = [Tour("a", short_walk, tmp_path / "job" / "runs" / "a")]
    tasks = [TourTask(tour, "key", 15.0) for tour in tours]
    free = shutil.disk_usage(tmp_path)
    fill = tmp_path / "job" / "attempts" / "a.1" / "manifest.json"

    def usage(path: object) -> object:
        return free._replace(free=1000) if fill.exists() and not (tmp_path / "room").exists() else free

    monkeypatch.setattr(shutil, "disk_usage", usage)
    full = [
        "import roomtour.files.disk, shutil, sys",
        "real, calls = roomtour.files.disk.require_room, []",
        "def require_room(*words):",
        "    calls.append(0)",
        "    if len(calls) > 1: shutil.disk_usage = lambda path: type('U', (), {'free': 1000})",
        "    real(*words)",
        "roomtour.files.disk.require_room = require_room",
        "import roomtour.work; roomtour.work.require_room = require_room",
        "from roomtour.batch.children.phase import main; sys.exit(main(sys.argv[1]))",
    ]
    engine = StubEngine({"a": "\n".join(full)})
    config, options = Config(perception="landmarks", workers=1), JobOptions(until="clips", memory_mb=2000.0)
    with pytest.raises(RoomtourError, match="the disk is full, so no tour is started"):
        Job(tmp_path / "job", tasks, config, options, engine).run()
    row = latest_rows(read_rows(tmp_path / "job"))["a"]
    assert (row.state, "disk is full" in row.reason) == ("waiting", True)
    (tmp_path / "room").touch()
    engine.programs["a"] = full[-1].replace("from", "import sys; from", 1)
    status = Job(tmp_path / "job", tasks, config, options, engine).run()
    assert status.states == {"done": 1}
