"""A disk that fills up is no tour's fault."""

from __future__ import annotations

import errno
import shutil

import pytest

from roomtour.batch.driver import Job, JobOptions
from roomtour.batch.ledger import latest_rows, read_rows
from roomtour.batch.records import TourTask
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.sources import Tour
from tests.support.doubles.stub_jobs import StubEngine, run_stubs


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
        "import roomtour.store, shutil, sys",
        "real, calls = roomtour.store.require_room, []",
        "def require_room(*words):",
        "    calls.append(0)",
        "    if len(calls) > 1: shutil.disk_usage = lambda path: type('U', (), {'free': 1000})",
        "    real(*words)",
        "roomtour.store.require_room = require_room",
        "import roomtour.pipeline; roomtour.pipeline.require_room = require_room",
        "from roomtour.batch.phase import main; sys.exit(main(sys.argv[1]))",
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


def test_a_status_that_cannot_be_written_hides_no_error(tmp_path, monkeypatch):
    def fail(*words: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "status.json")

    monkeypatch.setattr(Job, "_write_status", fail)
    assert run_stubs(tmp_path / "one", ["a"], StubEngine({})) == {"a": "done"}
    monkeypatch.setattr(Job, "_loop", fail)
    with pytest.raises(RoomtourError, match=r"status\.json: the disk is full"):
        run_stubs(tmp_path / "two", ["a"], StubEngine({}))
