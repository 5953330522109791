"""A job of tours of which some crash, eat memory or hang: each costs itself alone, and is named rightly.

Stub tours run a line of Python instead of `roomtour.batch.phase`, as children of the real engine and the real driver.
"""

from __future__ import annotations

import errno
import importlib.metadata
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from roomtour.batch import local
from roomtour.batch.again import ask_again, forget_tour
from roomtour.batch.driver import Job, JobOptions
from roomtour.batch.ledger import LEDGER, add_row, count_status, latest_rows, read_rows
from roomtour.batch.local import LocalEngine
from roomtour.batch.plan import plan_tasks
from roomtour.batch.records import Attempt, Ended, LedgerRow, Need, TourTask
from roomtour.cli import main
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.sources import Tour
from roomtour.tour_facts import Consent, TourFacts

GOOD = """
import json, pathlib, sys
spec = json.load(open(sys.argv[1]))
run = pathlib.Path(spec["run"]); run.mkdir(parents=True, exist_ok=True)
with open(run / "attempts.txt", "a") as file: print("here", file=file)
json.dump({"state": "done", "tour_s": 10.0}, open(spec["outcome"], "w"))
"""
SEGFAULT = "import os, signal; print('about to fall', flush=True); os.kill(os.getpid(), signal.SIGSEGV)"
HANG = "import time; time.sleep(600)"
EATER = "import time; held = bytearray(400_000_000); held[::4096] = b'x' * len(held[::4096]); time.sleep(600)"
SILENT = "import sys; sys.exit(3)"


class StubEngine(LocalEngine):
    """The local engine, with lines of Python in place of the tours' real children."""

    def __init__(self, programs: dict[str, str], slots: int = 4, memory_mb: float = 2000.0, idle_s: float = 60.0):
        super().__init__(slots, memory_mb, idle_s)
        self.programs = programs
        self.started: list[str] = []

    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        name = attempt.task.tour.name
        self.started.append(name)
        super().submit(attempt, ["-c", self.programs.get(name, GOOD), command[-1]])


def make_tasks(job: Path, names: Sequence[str]) -> list[TourTask]:
    return [TourTask(Tour(name, job / f"{name}.mp4", job / "runs" / name), f"key-{name}", 10.0) for name in names]


def run_stubs(job: Path, names: Sequence[str], engine: StubEngine, **options) -> dict[str, str]:
    given = JobOptions(**{"memory_mb": 200.0, **options})
    status = Job(job, make_tasks(job, names), Config(), given, engine).run()
    return {row.tour: row.state for row in status.tours}


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


def test_two_tours_of_one_file_name_in_a_bucket_come_to_lie_apart(tmp_path):
    tours = [
        Tour(name, Path("video.mp4"), tmp_path / "runs" / name, address=f"s3://b/{name}/video.mp4") for name in "xy"
    ]
    tasks = [TourTask(tour, f"key-{tour.name}", 10.0) for tour in tours]
    status = Job(tmp_path, tasks, Config(), JobOptions(memory_mb=200.0), StubEngine({})).run()
    assert status.states == {"done": 2}
    specs = [json.loads((tmp_path / "logs" / name / "1.spec.json").read_text()) for name in "xy"]
    assert [Path(spec["source"]) for spec in specs] == [tmp_path / ".fetched" / name / "video.mp4" for name in "xy"]


def test_ten_poisonous_tours_among_fifty_cost_themselves_alone(tmp_path):
    eater = EATER.replace("400_000_000", "1_200_000_000")
    kinds = {"falls": (5, SEGFAULT, "crashed"), "eats": (3, eater, "out-of-memory"), "hangs": (2, HANG, "timed-out")}
    programs = {f"{kind}{n}": program for kind, (count, program, _) in kinds.items() for n in range(count)}
    sound = [f"t{number}" for number in range(40)]
    engine = StubEngine(programs, slots=4, memory_mb=800.0, idle_s=20.0)
    states = run_stubs(tmp_path, [*sound, *programs], engine)
    expected = {f"{kind}{n}": state for kind, (count, _, state) in kinds.items() for n in range(count)}
    assert states == {**dict.fromkeys(sound, "done"), **expected}
    assert all(engine.started.count(name) == 1 for name in sound)
    assert {engine.started.count(name) for name in programs if name.startswith("eats")} == {3}  # 200, 400, 800 MB
    assert {engine.started.count(name) for name in programs if not name.startswith("eats")} == {2}


STOPPED = "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"
BUSY = """
import json, sys, time
end = time.monotonic() + 6
while time.monotonic() < end: pass
json.dump({"state": "done"}, open(json.load(open(sys.argv[1]))["outcome"], "w"))
"""
GETS_ON = """
import json, pathlib, sys, time
spec = json.load(open(sys.argv[1]))
for step in range(12):
    pathlib.Path(spec["progress"]).write_text(json.dumps({"stage": "s", "fraction": step / 12}))
    time.sleep(0.5)
json.dump({"state": "done"}, open(spec["outcome"], "w"))
"""


def test_what_neither_works_nor_gets_on_is_stopped_long_before_the_limit(tmp_path, monkeypatch):
    """Those that work without a word, wait with a word, or were stopped by somebody, are left to their limit."""
    monkeypatch.setattr(local, "_STANDS_S", 2.0)
    monkeypatch.setattr(local, "_STANDS_CPU_S", 0.2)
    engine = StubEngine({"hangs": HANG, "busy": BUSY, "gets-on": GETS_ON, "stopped": STOPPED}, idle_s=10.0)
    states = run_stubs(tmp_path, ["hangs", "busy", "gets-on", "stopped"], engine)
    assert states == {"hangs": "timed-out", "busy": "done", "gets-on": "done", "stopped": "timed-out"}
    rows = [row for row in read_rows(tmp_path) if row.event == "ended"]
    took_s = {name: [row.seconds for row in rows if row.tour == name] for name in ("hangs", "stopped")}
    assert min(took_s["stopped"]) >= 10.0  # its limit
    assert max(took_s["hangs"]) < min(took_s["stopped"])


@pytest.mark.parametrize(("may_wait", "death"), [(False, "idle"), (True, None)])
def test_what_waits_for_others_may_stand_still(may_wait, death, tmp_path, monkeypatch):
    monkeypatch.setattr(local, "_STANDS_S", 1.0)
    engine = StubEngine({"a": HANG}, idle_s=600.0)
    (task,) = make_tasks(tmp_path, ["a"])
    log = tmp_path / "logs" / "1.log"
    attempt = Attempt(task, 1, tmp_path / "attempt", log, Need(10.0, 500.0), may_wait=may_wait)
    engine.submit(attempt, ["", str(log)])
    ended = engine.wait(4.0)
    engine.cancel()
    assert [one.death for one in ended] == ([death] if death else [])


def test_a_job_with_scratch_lets_its_children_wait_and_one_without_does_not(tmp_path, monkeypatch):
    given: list[bool] = []
    submit = StubEngine.submit

    def note(self: StubEngine, attempt: Attempt, command: Sequence[str]) -> None:
        given.append(attempt.may_wait)
        submit(self, attempt, command)

    monkeypatch.setattr(StubEngine, "submit", note)
    run_stubs(tmp_path / "one", ["a"], StubEngine({}))
    run_stubs(tmp_path / "two", ["a"], StubEngine({}), scratch=str(tmp_path / "scratch"))
    assert given == [False, True]


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


def test_the_last_words_of_a_crash_are_what_happened_and_no_stack_frame(tmp_path):
    says = "print('*** SIGSEGV (@0x0) ***\\n    @     0x7fa71935861d _PyObject_MakeTpCall', flush=True); "
    engine = StubEngine({"falls": says + SEGFAULT.replace("print('about to fall', flush=True); ", "")})
    run_stubs(tmp_path, ["falls"], engine)
    assert latest_rows(read_rows(tmp_path))["falls"].reason.endswith("last words: *** SIGSEGV (@0x0) ***")


def test_a_job_that_is_done_starts_nothing(tmp_path):
    programs = {"falls": SEGFAULT}
    run_stubs(tmp_path, ["a", "b", "falls"], StubEngine(programs))
    again = StubEngine(programs)
    assert run_stubs(tmp_path, ["a", "b", "falls"], again) == {"a": "done", "b": "done", "falls": "crashed"}
    assert again.started == []


def test_other_options_and_a_missing_run_are_done_again(tmp_path):
    run_stubs(tmp_path, ["a", "b", "c"], StubEngine({}))
    (tmp_path / "runs" / "a").rename(tmp_path / "gone")
    changed = [task if task.tour.name != "b" else replace(task, key="other") for task in make_tasks(tmp_path, "abc")]
    engine = StubEngine({})
    Job(tmp_path, changed, Config(), JobOptions(memory_mb=200.0), engine).run()
    assert sorted(engine.started) == ["a", "b"]
    assert (tmp_path / "runs" / "b" / "attempts.txt").read_text() == "here\nhere\n"  # it went on with what was there


def test_retry_and_forget(tmp_path):
    run_stubs(tmp_path, ["a", "falls"], StubEngine({"falls": SEGFAULT}))
    assert ask_again(tmp_path, ["crashed"], []) == ["falls"]
    assert run_stubs(tmp_path, ["a", "falls"], StubEngine({})) == {"a": "done", "falls": "done"}
    removed = forget_tour(tmp_path, "a")
    assert {Path(one).parent.name for one in removed} == {"runs", "logs"}
    assert "a" not in {row.tour for row in count_status(read_rows(tmp_path)).tours}


def test_a_machine_that_breaks_every_tour_stops_the_job(tmp_path):
    names = [f"t{number}" for number in range(60)]
    engine = StubEngine(dict.fromkeys(names, "import sys; sys.exit(1)"), slots=8, memory_mb=8000.0)
    with pytest.raises(RoomtourError, match="of the last 50 tours crashed or failed"):
        run_stubs(tmp_path, names, engine)


def test_two_drivers_do_not_share_a_job(tmp_path):
    class Nested(StubEngine):
        def wait(self, timeout_s: float) -> list[Ended]:
            with pytest.raises(RoomtourError, match="another process runs this job"):
                Job(tmp_path, [], Config(), JobOptions(), StubEngine({})).run()
            return super().wait(timeout_s)

    assert run_stubs(tmp_path, ["a"], Nested({})) == {"a": "done"}


def test_a_torn_last_line_is_left_out(tmp_path):
    run_stubs(tmp_path, ["a"], StubEngine({}))
    with (tmp_path / LEDGER).open("a") as file:
        file.write('{"time": "2026')
    assert latest_rows(read_rows(tmp_path))["a"].state == "done"
    assert run_stubs(tmp_path, ["a", "b"], StubEngine({})) == {"a": "done", "b": "done"}


def test_children_die_with_a_killed_driver(tmp_path):
    (tmp_path / "a.mp4").write_bytes(b"x")
    script = f"""
import os, sys
from pathlib import Path
sys.path.insert(0, {str(Path.cwd())!r})
from roomtour.batch.driver import Job, JobOptions
from tests.roomtour.batch.test_job import StubEngine, make_tasks
from roomtour.config import Config
child = "import sys, os; from roomtour.batch.phase import die_with_parent as die; die();" + \\
    "open({str(tmp_path / "pid")!r}, 'w').write(str(os.getpid())); import time; time.sleep(600)"
job = Path({str(tmp_path / "job")!r})
Job(job, make_tasks(job, ["a"]), Config(), JobOptions(memory_mb=500.0), StubEngine({{"a": child}})).run()
"""
    driver = subprocess.Popen([sys.executable, "-c", script])
    told = tmp_path / "pid"
    while driver.poll() is None and not (told.is_file() and told.read_text()):
        time.sleep(0.1)
    child = int(told.read_text())
    driver.kill()
    driver.wait()
    while _lives(child):
        time.sleep(0.1)
    assert run_stubs(tmp_path / "job", ["a"], StubEngine({})) == {"a": "done"}
    assert latest_rows(read_rows(tmp_path / "job"))["a"].attempt == 2


def _lives(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False


def test_shards_part_the_tours(tmp_path):
    for number in range(12):
        (tmp_path / f"t{number}.mp4").write_bytes(bytes([number]))
    inputs = sorted(tmp_path.glob("*.mp4"))
    parts = [plan_tasks(inputs, tmp_path / "job", Config(), None, f"{k}/3") for k in (1, 2, 3)]
    names = [task.tour.name for part in parts for task in part]
    assert sorted(names) == sorted(path.stem for path in inputs)
    assert sum(1 for part in parts if part) > 1
    with pytest.raises(RoomtourError, match="--shard 4/3: need K/N"):
        plan_tasks(inputs, tmp_path / "job", Config(), None, "4/3")


def test_a_key_knows_source_options_and_facts_but_no_workers(tmp_path):
    (tmp_path / "a.mp4").write_bytes(b"one")
    keys = {
        plan_tasks([tmp_path / "a.mp4"], tmp_path / "job", config, until)[0].key
        for config, until in [(Config(), None), (Config(seed=1), None), (Config(), "sample")]
    }
    assert len(keys) == 3
    assert plan_tasks([tmp_path / "a.mp4"], tmp_path / "job", Config(workers=7), None)[0].key in keys
    (tmp_path / "a.mp4").write_bytes(b"two")
    assert plan_tasks([tmp_path / "a.mp4"], tmp_path / "job", Config(), None)[0].key not in keys


def test_the_command_on_real_tours(short_walk, tmp_path, capfd):
    (tmp_path / "broken.mp4").write_bytes(b"no video")
    rows = [{"source": str(short_walk), "name": "walk", "licence": "CC0-1.0"}, {"source": "broken.mp4"}]
    (tmp_path / "tours.jsonl").write_text("\n".join(map(json.dumps, rows)))
    command = ["batch", "run", str(tmp_path / "tours.jsonl"), "--out", str(tmp_path / "job"), "--until", "sample"]
    assert main(command) == 1
    said = capfd.readouterr().out
    assert "walk: done" in said
    assert "refused: broken" in said
    assert (tmp_path / "job" / "runs" / "walk" / "frames").is_dir()
    manifest = json.loads((tmp_path / "job" / "runs" / "walk" / "manifest.json").read_text())
    assert manifest["options"]["tour"]["licence"] == "CC0-1.0"
    assert main(["batch", "status", str(tmp_path / "job"), "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert told["states"] == {"done": 1, "refused": 1}
    assert main(["batch", "retry", str(tmp_path / "job")]) == 0
    assert "broken" in capfd.readouterr().out
    assert main(["batch", "forget", str(tmp_path / "job"), "--tour", "walk"]) == 0
    assert not (tmp_path / "job" / "runs" / "walk").exists()
    assert os.path.isdir(tmp_path / "job")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["walk"], "no action walk"),
        (["run", "--out", "x"], "no video given"),
        (["run", "a.mp4", "--out", "x", "--slots", "0"], "need at least 1"),
        (["run", "a.mp4", "--out", "x", "--stop-share", "2"], "need 0 to 1"),
        (["run", "a.mp4", "--out", "x", "--shard", "x"], "--shard x: need K/N"),
        (["run", "a.mp4", "--out", "x", "--data", "nothing"], "nothing"),
        (["status", "nowhere"], "no folder of a job"),
        (["forget", "nowhere", "--tour", "a"], "no folder of a job"),
    ],
)
def test_a_wrong_command_line_is_one_line(words, told, capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.mp4").write_bytes(b"")
    assert main(["batch", *words]) in (1, 2)
    assert told in capfd.readouterr().err


def test_a_job_is_watched_until_nothing_is_left(tmp_path, capfd, monkeypatch):
    tours = {name: {"source": f"{name}.mp4", "key": "k", "seconds": 30.0} for name in ("a", "b", "c")}
    (tmp_path / "job.json").write_text(json.dumps({"options": {}, "job": {}, "tours": tours}))
    done = LedgerRow("2026-01-01T00:00:00+00:00", "a", 1, "n", "ended", "done", cpu_s=60.0, tour_s=30.0)
    add_row(tmp_path, done)
    add_row(tmp_path, replace(done, tour="b", event="started", state="running", cpu_s=0.0, tour_s=0.0, phase="shape"))
    told = tmp_path / "logs" / "b" / "1.progress.json"
    told.parent.mkdir(parents=True)
    told.write_text('{"stage": "Features and matches", "fraction": 0.42, "time": 0}')

    def finish(seconds: float) -> None:
        for name in "bc":
            add_row(tmp_path, replace(done, tour=name, time=f"2026-01-01T00:01:0{'bc'.index(name)}+00:00"))

    monkeypatch.setattr("roomtour.cli.batch.time.sleep", finish)
    assert main(["batch", "status", str(tmp_path), "--watch"]) == 0
    said = capfd.readouterr().out
    assert "left: 2 tours, 1 min 00 s of tour; about 2 min 00 s with 1 at once" in said
    assert "running: b (shape, Features and matches 42 %), attempt 1" in said
    assert "slowest, CPU-s per second of tour: a 2.0" in said
    assert "GB free" in said
    assert said.rstrip().splitlines()[-2].startswith("3 done")
    assert main(["batch", "status", str(tmp_path), "--watch", "--json"]) == 2


def test_a_long_tour_is_parted_among_machines_that_have_nothing_else_to_do(tmp_path):
    class Lending(StubEngine):
        def find_helpers(self, free: int) -> dict[str, Any] | None:
            return {"address": "here", "count": free}

    def read_helpers(folder: Path, seconds: dict[str, float], **options) -> dict[str, object]:
        tasks = [replace(task, seconds=seconds[task.tour.name]) for task in make_tasks(folder, list(seconds))]
        Job(folder, tasks, Config(), JobOptions(memory_mb=200.0, **options), Lending({}, slots=6)).run()
        specs = {name: json.loads((folder / "logs" / name / "1.spec.json").read_text()) for name in seconds}
        return {name: spec["helpers"] for name, spec in specs.items()}

    helpers = {"address": "here", "count": 5}
    assert read_helpers(tmp_path / "a", {"long": 3600.0, "short": 60.0}, workers=1) == {"long": helpers, "short": None}
    many = {"long": 3600.0, **{f"t{number}": 60.0 for number in range(6)}}
    assert read_helpers(tmp_path / "b", many, workers=1)["long"] is None  # they have a tour each
    one = {"long": 3600.0}
    assert (
        read_helpers(tmp_path / "c", one, workers=1, scratch=str(tmp_path / "s"))["long"] is None
    )  # its folder is its own


@pytest.mark.parametrize(
    ("expected_s", "asked_s", "limit_s"),
    [(30, 1800, 300), (100, 1800, 300), (200, 1800, 600), (5000, 1800, 1800), (30, 20, 20)],
)
def test_a_short_tour_may_be_silent_for_less_long(expected_s, asked_s, limit_s):
    assert local.idle_limit_s(Need(expected_s, 1000.0), asked_s) == limit_s


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


def test_a_file_beside_a_tour_may_refuse_and_may_change_its_mind(tmp_path):
    engine = StubEngine({})
    (tmp_path / "a.mp4").write_bytes(b"x")
    beside = tmp_path / "a.tour.json"
    beside.write_text(json.dumps({"consent": "refused"}))
    assert run_stubs(tmp_path, ["a", "b"], engine) == {"a": "skipped", "b": "done"}
    beside.write_text(json.dumps({"consent": "given"}))
    assert run_stubs(tmp_path, ["a", "b"], engine) == {"a": "done", "b": "done"}
    assert engine.started == ["b", "a"]


def test_the_file_of_a_job_names_what_made_its_results(tmp_path):
    run_stubs(tmp_path, ["a"], StubEngine({}))
    versions = json.loads((tmp_path / "job.json").read_text())["versions"]
    assert versions["roomtour"] == importlib.metadata.version("roomtour")
    assert versions["stages"]["sfm"] >= 1
    assert {"pycolmap", "opencv-python-headless"} <= set(versions)


def test_equal_reasons_are_counted(tmp_path, capfd):
    run_stubs(tmp_path, ["x", "y", "a"], StubEngine({"x": SEGFAULT, "y": SEGFAULT}))
    assert main(["batch", "status", str(tmp_path)]) == 0
    assert "2 crashed: ended by signal N; last words: about to fall" in capfd.readouterr().out


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
