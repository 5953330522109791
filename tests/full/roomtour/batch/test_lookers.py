"""Children that stay with their models loaded: one tour after the other, replaced when worn or dead."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from roomtour.batch.driver import Job
from roomtour.batch.engines import local
from roomtour.batch.engines.local import LocalEngine
from roomtour.batch.job_options import JobOptions
from roomtour.batch.ledger import read_rows
from roomtour.batch.records import Attempt, Need, Phase, TourTask
from roomtour.config import Config
from roomtour.sources import Tour

pytestmark = pytest.mark.posix
LOOKER = """
import json, os, pathlib, signal, sys, time
held = []
for number, line in enumerate(sys.stdin, 1):
    spec = json.load(open(json.loads(line)["spec"]))
    name, run = spec["tour"], pathlib.Path(spec["run"])
    if name.startswith("falls"):
        os.kill(os.getpid(), signal.SIGSEGV)
    if name.startswith("grows"):
        held.append(b"x" * 200_000_000)
    run.mkdir(parents=True, exist_ok=True)
    (run / "by.txt").write_text(f"{os.getpid()} {number}")
    (run / "gpu.txt").write_text(os.environ.get("CUDA_VISIBLE_DEVICES", ""))
    until = time.process_time() + 0.2
    while time.process_time() < until:
        pass
    part = spec["outcome"] + ".part"
    json.dump({"state": "done", "tour_s": 10.0}, open(part, "w"))
    os.replace(part, spec["outcome"])
"""


class LookEngine(LocalEngine):
    """The local engine, whose children that stay are the lines above."""

    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        assert attempt.phase.name == "look"
        super().submit(attempt, ["-c", LOOKER, command[-1]])


@pytest.fixture
def look_alone(monkeypatch):
    """Jobs whose only phase is the look of large models, without such models."""
    monkeypatch.setattr("roomtour.batch.driver.list_phases", lambda config, until: (Phase("look", "vision"),))


def run_job(job: Path, names: Sequence[str], slots: int = 1, share: float = 1.0) -> dict[str, str]:
    tasks = [TourTask(Tour(name, job / f"{name}.mp4", job / "runs" / name), f"key-{name}", 10.0) for name in names]
    engine = LookEngine(slots, 4000.0, 600.0)
    status = Job(job, tasks, Config(workers=1), JobOptions(memory_mb=600.0, gpu_share=share), engine).run()
    return {row.tour: row.state for row in status.tours}


def read_makers(job: Path) -> dict[str, tuple[int, int]]:
    texts = {path.parent.name: path.read_text().split() for path in (job / "runs").glob("*/by.txt")}
    return {name: (int(pid), int(number)) for name, (pid, number) in texts.items()}


def test_one_process_looks_at_all_tours_and_each_is_charged_its_own(tmp_path, look_alone):
    assert set(run_job(tmp_path, "abcd").values()) == {"done"}
    makers = read_makers(tmp_path)
    assert len({pid for pid, _ in makers.values()}) == 1
    assert sorted(number for _, number in makers.values()) == [1, 2, 3, 4]
    spent = [row.cpu_s for row in read_rows(tmp_path) if row.event == "ended"]
    assert all(0.15 <= one <= 2.0 for one in spent)
    assert not _is_alive(next(iter(makers.values()))[0])


def test_a_crash_costs_its_tour_alone_and_the_next_gets_a_new_process(tmp_path, look_alone):
    states = run_job(tmp_path, ["a", "falls", "z"])
    assert states == {"a": "done", "falls": "crashed", "z": "done"}
    makers = read_makers(tmp_path)
    assert makers["a"][0] != makers["z"][0]
    assert [row.signal for row in read_rows(tmp_path) if row.tour == "falls" and row.event == "ended"] == [11, 11]


def test_a_process_that_grew_or_looked_at_many_is_replaced(tmp_path, look_alone, monkeypatch):
    states = run_job(tmp_path / "memory", ["a", "grows", "z"])
    assert set(states.values()) == {"done"}
    makers = read_makers(tmp_path / "memory")
    assert makers["a"][0] == makers["grows"][0] != makers["z"][0]
    monkeypatch.setattr(local, "_MOST_TOURS", 2)
    run_job(tmp_path / "number", "abcd")
    assert sorted(number for _, number in read_makers(tmp_path / "number").values()) == [1, 1, 2, 2]


def test_processes_are_spread_over_gpus_and_no_more_than_their_shares(tmp_path, look_alone, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,3")
    run_job(tmp_path, [f"t{number}" for number in range(10)], slots=6, share=0.5)
    makers = {pid for pid, _ in read_makers(tmp_path).values()}
    assert 2 <= len(makers) <= 4
    gpus = {path.read_text() for path in (tmp_path / "runs").glob("*/gpu.txt")}
    assert gpus == {"0", "3"}
    engine = LookEngine(6, 9000.0, 600.0)
    half = Need(10.0, 100.0, gpu=0.5)
    assert [engine.has_room([half] * number, half) for number in (0, 3, 4)] == [True, True, False]
    assert engine.has_room([half] * 4, Need(10.0, 100.0))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_large_models_are_loaded_once_for_several_tours(short_walk, tmp_path, capfd):
    """The real phases with tiny random checkpoints: of two equal tours one process sees the same, twice."""
    pytest.importorskip("torch", reason="needs the extra models")
    from roomtour.cli import main
    from tests.support.doubles.made_checkpoints import write_checkpoint

    flags = ["--sample.until-s", "3", "--until", "vision", "--perception", "models"]
    flags += ["--vision.device", "cpu", "--vision.box-threshold", "0.02"]
    for ability, kind in (("tags", "siglip"), ("boxes", "mm-grounding-dino"), ("depth", "depth-anything-metric")):
        flags += [f"--vision.{ability}.model", str(write_checkpoint(kind, tmp_path / kind))]
    for name in ("one", "two"):
        shutil.copyfile(short_walk, tmp_path / f"{name}.mp4")
    tours, job = [str(tmp_path / f"{name}.mp4") for name in ("one", "two")], tmp_path / "job"
    assert main(["batch", "run", *tours, "--out", str(job), "--slots", "1", *flags]) == 0
    rows = [row for row in read_rows(job) if row.event == "ended"]
    assert [(row.phase, row.state) for row in rows if row.tour == "one"] == [("shape", "waiting"), ("look", "done")]
    said = [(job / "logs" / row.tour / f"{row.attempt}.log").read_text() for row in rows if row.phase == "look"]
    processes = {line.split()[-1] for text in said for line in text.splitlines() if line.startswith("tour ")}
    assert len(processes) == 1
    seen = [sorted((job / "runs" / name / "vision").rglob("0*.*")) for name in ("one", "two")]
    assert len(seen[0]) >= 3 * 5
    assert [path.name for path in seen[0]] == [path.name for path in seen[1]]
    for one, other in zip(*seen, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name
