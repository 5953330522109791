"""Attempts whose machine went silent: their writers may still be at work, and nothing of theirs is published."""

import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from roomtour.batch.driver import Job
from roomtour.batch.engines.local import LocalEngine
from roomtour.batch.job_options import JobOptions
from roomtour.batch.ledger import read_rows
from roomtour.batch.records import Attempt, Ended, TourTask
from roomtour.batch.results.storage import FolderLease
from roomtour.config import Config
from roomtour.sources import Tour

pytestmark = pytest.mark.posix
CHILD = """
import json, pathlib, sys, time
from roomtour.store import RunStore, StageEntry
spec = json.load(open(sys.argv[1]))
name = "frozen" if spec["attempt"] <= LOST else "good"
with RunStore(pathlib.Path(spec["run"])).opened() as store:
    for stage, output in (("sample", "frames"), ("clips", "clips.json")):
        if store.is_done(stage, "k"):
            continue
        while stage == "clips" and name == "frozen" and not pathlib.Path(spec["run"]).parent.with_name("thaw").exists():
            time.sleep(0.05)
        part = store.begin()
        outputs = ("frames", "source.json", "mask.png") if stage == "sample" else ("frames.parquet", "clips.json")
        for one in outputs:
            (part / one).write_text(f"{name} {spec['attempt']}")
        store.commit(stage, StageEntry("k", 0.0, 0.0, ""), outputs, ())
json.dump({"state": "done", "tour_s": 10.0}, open(spec["outcome"], "w"))
"""


class SilentEngine(LocalEngine):
    """Reports the first attempts as lost once they have finished a stage, while their processes go on."""

    def __init__(self, lost: int):
        super().__init__(1, 2000.0, 600.0)
        self._lost = lost
        self._silent: list[Attempt] = []
        self.frozen: list[subprocess.Popen[bytes]] = []

    @property
    def sees_death(self) -> bool:
        return False

    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        words = ["-c", CHILD.replace("LOST", str(self._lost)), command[-1]]
        if attempt.number <= self._lost:
            self.frozen.append(subprocess.Popen([sys.executable, *words]))
            self._silent.append(attempt)
        else:
            (attempt.folder.parent.with_name("thaw")).touch()  # now the frozen wake up
            for process in self.frozen:
                assert process.wait() == 0
            super().submit(attempt, words)

    def wait(self, timeout_s: float) -> list[Ended]:
        for attempt in self._silent:
            if has_sample(attempt.folder):
                self._silent.remove(attempt)
                return [Ended(attempt, "lost", last_words="its machine gave no sign")]
        if self._silent:
            time.sleep(0.05)
            return []
        return super().wait(timeout_s)


def has_sample(folder: Path) -> bool:
    path = folder / "manifest.json"
    return path.is_file() and "sample" in path.read_text()


def run_one(job: Path, engine: SilentEngine):
    (job / "a.mp4").write_bytes(b"x")
    task = TourTask(Tour("a", job / "a.mp4", job / "runs" / "a"), "key", 10.0)
    status = Job(job, [task], Config(workers=1), JobOptions(memory_mb=500.0), engine).run()
    return status.tours[0], read_rows(job)


def test_a_writer_that_was_given_up_and_wakes_up_is_never_published(tmp_path):
    row, rows = run_one(tmp_path, SilentEngine(2))
    assert row.state == "done"
    run = tmp_path / "runs" / "a"
    assert (run / "frames").read_text() == "frozen 1"  # finished before it froze, so it was taken over
    assert (run / "clips.json").read_text() == "good 3"
    assert [one.attempt for one in rows if one.event == "superseded"] == [1, 2]
    assert not list((tmp_path / "attempts").iterdir())
    ended = [(one.attempt, one.state) for one in rows if one.event == "ended"]
    assert ended == [(1, "waiting"), (2, "waiting"), (3, "done")]


def test_a_tour_that_is_lost_six_times_is_given_up_and_nothing_is_published(tmp_path):
    row, rows = run_one(tmp_path, SilentEngine(6))
    assert row.state == "lost"
    assert "gave no sign" in row.reason
    assert len([one for one in rows if one.event == "ended"]) == 6
    assert not (tmp_path / "runs" / "a").exists()
    (tmp_path / "thaw").touch()


def test_a_lost_attempt_that_left_its_outcome_is_believed(tmp_path):
    class Late(SilentEngine):
        def wait(self, timeout_s: float) -> list[Ended]:
            ended = super().wait(timeout_s)
            if ended and ended[0].death == "lost":
                ended[0].attempt.folder.parent.with_name("thaw").touch()
                assert self.frozen[0].wait() == 0
            return [replace(one) for one in ended]

    row, _ = run_one(tmp_path, Late(1))
    assert (row.state, row.attempt) == ("done", 1)
    assert (tmp_path / "runs" / "a" / "clips.json").read_text() == "frozen 1"


def test_a_driver_that_was_killed_here_is_replaced_at_once(tmp_path):
    code = "import os, sys, pathlib; from roomtour.batch.results.storage import FolderLease as Lease"
    code += "; held = Lease(pathlib.Path(sys.argv[1]), 'driver'); held.take(); os._exit(9)"
    subprocess.run([sys.executable, "-c", code, tmp_path], check=False)
    assert [path.name for path in tmp_path.iterdir()] == [".driver.lease"]
    lease = FolderLease(tmp_path, "driver")
    assert not lease.is_held()
    assert lease.take() is False
    lease.release()
