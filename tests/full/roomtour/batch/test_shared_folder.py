"""`--storage FOLDER`: results in a folder that machines share, which need not see the folder of the job."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from roomtour.batch.again import forget_tour, rebuild_ledger
from roomtour.batch.driver import Job
from roomtour.batch.job_options import JobOptions
from roomtour.batch.records import JobStatus
from roomtour.batch.status import find_runs
from roomtour.cli import main
from roomtour.config import Config
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
    assert sorted(path.name for path in storage.iterdir()) == ["attempts", "runs"]
    assert not list((tmp_path / "scratch").iterdir())
    engine = make_engine(programs, ["a", "b", "falls"])
    run_job(job, ["a", "b", "falls"], engine, storage, has_scratch=True)
    assert engine.started == []


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
