"""A job of tours of which some crash, eat memory or hang: each costs itself alone, and is named rightly."""

import importlib.metadata
import json
import signal
from dataclasses import replace

import pytest

from roomtour.batch.driver import Job
from roomtour.batch.job_options import JobOptions
from roomtour.batch.ledger import LEDGER, latest_rows, read_rows
from roomtour.batch.plan import plan_tasks
from roomtour.batch.status import read_status, read_tours, write_job
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.stages.table import STAGES
from tests.support.doubles.stub_jobs import EATER, HANG, SEGFAULT, SILENT, StubEngine, make_tasks, run_stubs


def test_every_tour_comes_to_its_own_end(tmp_path):
    programs = {"falls": SEGFAULT, "eats": EATER, "hangs": HANG, "silent": SILENT}
    engine = StubEngine(programs, memory_mb=350.0, idle_s=3.0)
    names = ["a", "b", "c", *programs]
    states = run_stubs(tmp_path, names, engine)
    assert states == {
        **dict.fromkeys("abc", "done"),
        "falls": "crashed",
        "eats": "out-of-memory",
        "hangs": "timed-out",
        "silent": "crashed",
    }
    rows = latest_rows(read_rows(tmp_path))
    assert rows["falls"].signal == signal.SIGSEGV
    assert "about to fall" in rows["falls"].reason
    assert rows["eats"].peak_mb > 350 and "more than 350" in rows["eats"].reason  # noqa: PT018
    tried = {name: engine.started.count(name) for name in names}
    assert tried == {"a": 1, "b": 1, "c": 1, "falls": 2, "silent": 2, "hangs": 2, "eats": 2}
    assert not list((tmp_path / "attempts").glob("[abc].*"))
    assert (tmp_path / "runs" / "a" / "attempts.txt").read_text() == "here\n"


def test_a_second_try_comes_before_tours_that_had_none(tmp_path):
    """Else what hangs is told of after all others; one that wants more memory may have to wait, and comes last."""
    sound = [f"t{number}" for number in range(4)]
    eater = EATER.replace("400_000_000", "1_200_000_000")
    engine = StubEngine({"falls": SEGFAULT, "eats": eater}, slots=1, memory_mb=800.0)
    status = Job(
        tmp_path, make_tasks(tmp_path, ["eats", "falls", *sound]), Config(), JobOptions(memory_mb=200.0), engine
    )
    assert status.run().states == {"done": 4, "crashed": 1, "out-of-memory": 1}
    assert engine.started == ["eats", "falls", "falls", *sound, "eats", "eats"]


def test_what_is_done_is_not_done_again_unless_it_is_gone_or_was_asked_for_otherwise(tmp_path):
    programs = {"falls": SEGFAULT}
    states = {"a": "done", "b": "done", "falls": "crashed"}
    assert run_stubs(tmp_path, list(states), StubEngine(programs)) == states
    versions = json.loads((tmp_path / "job.json").read_text())["versions"]
    assert versions["roomtour"] == importlib.metadata.version("roomtour")
    assert versions["stages"]["sfm"] == next(stage.code for stage in STAGES if stage.name == "sfm")
    assert {"pycolmap", "opencv-python-headless"} <= set(versions)
    with (tmp_path / LEDGER).open("a") as file:
        file.write('{"time": "2026')  # a torn last line is left out
    assert latest_rows(read_rows(tmp_path))["a"].state == "done"
    again = StubEngine(programs)
    assert run_stubs(tmp_path, list(states), again) == states
    assert again.started == []
    (tmp_path / "runs" / "a").rename(tmp_path / "gone")
    tasks = [replace(task, key="other") if task.tour.name == "b" else task for task in make_tasks(tmp_path, "ab")]
    Job(tmp_path, tasks, Config(), JobOptions(memory_mb=200.0), again).run()
    assert sorted(again.started) == ["a", "b"]
    assert (tmp_path / "runs" / "b" / "attempts.txt").read_text() == "here\nhere\n"  # it went on with what was there


def test_a_machine_that_breaks_every_tour_stops_the_job(tmp_path):
    names = [f"t{number}" for number in range(60)]
    engine = StubEngine(dict.fromkeys(names, "import sys; sys.exit(1)"), slots=8, memory_mb=8000.0)
    with pytest.raises(RoomtourError, match="of the last 50 tours crashed or failed"):
        run_stubs(tmp_path, names, engine)


def test_the_parts_of_a_job_are_known_together(tmp_path):
    """Each part (`--shard`) writes a file of its own: whoever asks sees the tours of all of them."""
    for number in range(8):
        (tmp_path / f"t{number}.mp4").write_bytes(bytes([number]))
    inputs, job, unseen = sorted(tmp_path.glob("*.mp4")), tmp_path / "job", set[str]()
    for which in ("1/3", "2/3", "3/3"):
        tasks = plan_tasks(inputs, job, Config(), None, which)
        if which == "3/3":  # it was only just started
            write_job(job, tasks, Config(), JobOptions(shard=which))
            unseen = {task.tour.name for task in tasks}
        else:
            Job(job, tasks, Config(), JobOptions(memory_mb=200.0, shard=which), StubEngine({})).run()
    told = json.loads((job / "status.json").read_text())
    assert sum(told["states"].values()) > len(inputs) / 2, "the second part knows of the first"
    status = read_status(job)
    assert {row.tour for row in status.tours} == {path.stem for path in inputs}
    assert {row.tour for row in status.tours if row.state == "waiting"} == unseen
    write_job(job, plan_tasks(inputs[:2], job, Config(), None), Config(), JobOptions())
    assert set(read_tours(job)) == {"t0", "t1"}  # a job in one piece knows nothing of earlier parts
