"""`--storage FOLDER`: results in a folder that machines share, which need not see the folder of the job."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from roomtour.batch.again import forget_tour
from roomtour.batch.driver import Job, JobOptions
from roomtour.batch.lease import FolderLease
from roomtour.batch.ledger import latest_rows, read_rows
from roomtour.batch.rebuild import rebuild_ledger
from roomtour.batch.records import Attempt, Ended, JobStatus
from roomtour.batch.signs import OUTCOME, FolderSigns
from roomtour.batch.status import find_runs
from roomtour.cli import main
from roomtour.config import Config
from roomtour.errors import RoomtourError
from tests.support.doubles.stub_jobs import StubEngine, make_tasks
from tests.support.doubles.stub_tours import FALL, make_stub

pytestmark = pytest.mark.posix


def run_job(job: Path, names: Sequence[str], engine: StubEngine, storage: Path, *, has_scratch: bool) -> JobStatus:
    scratch = str(job.with_name("scratch")) if has_scratch else None
    options = JobOptions(memory_mb=900.0, storage=str(storage), scratch=scratch)
    return Job(job, make_tasks(job, names), Config(), options, engine).run()


def make_engine(programs: dict[str, str], names: Sequence[str]) -> StubEngine:
    return StubEngine({name: programs.get(name, make_stub()) for name in names}, slots=3, memory_mb=6000.0)


def test_results_lie_there_and_the_job_keeps_only_its_logs(tmp_path):
    job, storage = tmp_path / "job", tmp_path / "shared"
    programs = {"falls": make_stub(after=FALL)}
    status = run_job(job, ["a", "b", "falls"], make_engine(programs, ["a", "b", "falls"]), storage, has_scratch=True)
    assert status.states == {"crashed": 1, "done": 2}
    assert not (job / "runs").exists()
    assert find_runs(job) == storage / "runs"
    assert (storage / "runs" / "a" / "clips.json").read_text() == "a clips clips.json 1"
    assert sorted(path.name for path in (storage / "runs").iterdir()) == ["a", "b", "falls"]
    assert not list((storage / "attempts").iterdir())
    assert not [path for path in (storage / "signs").rglob("*") if path.is_file()]
    assert not list((tmp_path / "scratch").iterdir())
    engine = make_engine(programs, ["a", "b", "falls"])
    run_job(job, ["a", "b", "falls"], engine, storage, has_scratch=True)
    assert engine.started == []


def test_what_an_attempt_of_an_earlier_job_told_is_not_believed_of_a_new_one(tmp_path):
    """Its driver was killed after it published and before it removed what was told."""
    job, storage = tmp_path / "job", tmp_path / "shared"
    FolderSigns(storage).tell("a", 1, OUTCOME, b'{"state": "done", "tour_s": 10.0}')
    engine = make_engine({"a": "raise SystemExit(9)"}, ["a"])  # leaves no outcome of its own
    assert run_job(job, ["a"], engine, storage, has_scratch=True).states == {"crashed": 1}


def test_two_jobs_do_not_share_a_storage(tmp_path):
    storage = tmp_path / "shared"

    class Nested(StubEngine):
        def wait(self, timeout_s: float) -> list[Ended]:
            with pytest.raises(RoomtourError, match="shared: another process runs this job now"):
                run_job(tmp_path / "other", ["b"], make_engine({}, ["b"]), storage, has_scratch=False)
            return super().wait(timeout_s)

    engine = Nested({"a": make_stub()}, slots=1, memory_mb=2000.0)
    assert run_job(tmp_path / "job", ["a"], engine, storage, has_scratch=True).states == {"done": 1}
    assert run_job(tmp_path / "other", ["b"], make_engine({}, ["b"]), storage, has_scratch=True).states == {"done": 1}


def test_what_a_driver_that_froze_left_is_copied_and_not_moved(tmp_path):
    """Its children may be at work: the attempt begins in a folder of its own, from a snapshot."""
    job, storage = tmp_path / "job", tmp_path / "shared"
    engine = make_engine({"a": make_stub(after=FALL)}, ["a"])
    run_job(job, ["a"], engine, storage, has_scratch=True)
    left = storage / "attempts" / "a.9"
    (storage / "runs" / "a").rename(left)
    frozen = FolderLease(job, "driver", machine="there")
    frozen.take()
    frozen._stop.set()
    frozen._lock.release()
    for path in job.glob(".driver.*.json"):
        os.utime(path, (0, 0))
    taken: list[bool] = []

    class Watching(StubEngine):
        def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
            taken.append(left.is_dir() and attempt.folder != left)
            super().submit(attempt, command)

    changed = make_tasks(job, ["a"])
    for row in latest_rows(read_rows(job)).values():
        assert row.state == "crashed"
    main(["batch", "retry", str(job)])
    options = JobOptions(memory_mb=900.0, storage=str(storage), scratch=str(tmp_path / "scratch"))
    status = Job(job, changed, Config(), options, Watching({"a": make_stub()}, 1, 2000.0)).run()
    assert status.states == {"done": 1}
    assert taken == [True]
    assert (storage / "runs" / "a" / "mask.png").read_text() == "a sample mask.png 1"
    frozen._beat()
    with pytest.raises(RoomtourError, match="another driver took this job over"):
        frozen.require()


def test_what_is_told_is_read_whole_or_not_at_all(tmp_path):
    signs = FolderSigns(tmp_path)
    assert signs.read("a", 1, OUTCOME) is None
    signs.tell("a", 1, OUTCOME, b"one")
    signs.tell("a", 1, OUTCOME, b"two")
    assert signs.read("a", 1, OUTCOME) == b"two"
    assert signs.list_told("a", OUTCOME) == {1}
    signs.remove("a")
    assert signs.read("a", 1, OUTCOME) is None


def test_a_takedown_and_a_rebuilt_ledger_find_the_runs_there(tmp_path, short_walk, capfd):
    job, storage = tmp_path / "job", tmp_path / "shared"
    words = ["batch", "run", str(short_walk), "--out", str(job), "--until", "sample", "--storage"]
    (tmp_path / "file").write_text("")
    assert main([*words, str(tmp_path / "file")]) == 1
    assert f"--storage {tmp_path / 'file'}: " in capfd.readouterr().err
    assert main([*words, str(storage)]) == 0
    name = short_walk.stem
    manifest = json.loads((storage / "runs" / name / "manifest.json").read_text())
    assert list(manifest["stages"]) == ["sample"]
    (job / "ledger.jsonl").unlink()
    assert rebuild_ledger(job) == [name]
    assert main(["report", str(job)]) == 0
    assert "1 run" in capfd.readouterr().out
    assert main(["fetch", str(job), name]) == 1
    assert str(storage / "runs") in capfd.readouterr().err
    assert str(storage / "runs" / name) in forget_tour(job, name, str(storage))
    assert not (storage / "runs" / name).exists()
