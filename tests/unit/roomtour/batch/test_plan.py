import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from roomtour.batch.children.child_spec import list_phases
from roomtour.batch.cost import learn_factor, plan_job
from roomtour.batch.ledger import add_row, count_status
from roomtour.batch.metrics import describe_metrics, list_metrics
from roomtour.batch.plan import choose_shares, estimate_cpu_s, need_of, plan_tasks
from roomtour.batch.records import LedgerRow, State, TourTask
from roomtour.batch.results.storage import FolderLease
from roomtour.batch.status import read_status
from roomtour.cli import main
from roomtour.cli.running.batch import EndTeller
from roomtour.config import Config, InputOptions
from roomtour.errors import RoomtourError
from roomtour.sources import Tour
from roomtour.tour_facts import TourFacts
from roomtour.workers.machine import count_cores, free_memory_mb


def make_tasks(lengths):
    return [TourTask(Tour(f"t{i}", Path(f"t{i}.mp4"), Path(f"t{i}")), f"k{i}", s) for i, s in enumerate(lengths)]


def make_row(name: str, cpu_s: float, state: State = "done", reason: str = "") -> LedgerRow:
    return LedgerRow("2026-01-01", name, 1, "n", "ended", state, cpu_s=cpu_s, reason=reason)


def test_work_is_packed_longest_first_and_what_is_done_is_not_counted_again():
    tasks = make_tasks([300.0, 200.0, 100.0])
    alone = plan_job(tasks, [], {}, 1)
    assert alone.wall_s == pytest.approx(alone.cpu_s) == pytest.approx(sum(estimate_cpu_s(s) for s in (300, 200, 100)))
    two = plan_job(tasks, [], {}, 2)
    assert two.wall_s == pytest.approx(estimate_cpu_s(100.0) + estimate_cpu_s(200.0))
    assert plan_job(tasks, [], {}, 8).wall_s == pytest.approx(estimate_cpu_s(300.0))
    assert alone.longest == "t0"
    tasks = make_tasks([300.0, 200.0])
    plan = plan_job(tasks, [], {"t0": "k0", "t1": "another"}, 1)
    assert (plan.tours, plan.done, plan.tour_s) == (2, 1, 200.0)
    assert plan_job(tasks, [], {"t0": "k0", "t1": "k1"}, 4).wall_s == 0.0


def test_the_plan_learns_from_twenty_tours_and_not_before():
    tasks = make_tasks([100.0] * 30)
    took = [make_row(f"t{i}", 3 * estimate_cpu_s(100.0)) for i in range(19)]
    assert learn_factor(tasks, took) == 1.0
    assert learn_factor(tasks, [*took, make_row("t19", 3 * estimate_cpu_s(100.0))]) == pytest.approx(3.0)
    assert learn_factor(tasks, [*took, make_row("t19", 1.0, "crashed")]) == 1.0  # says nothing of a whole tour
    states: tuple[State, ...] = ("waiting", "done")
    halves = [make_row(f"t{i}", estimate_cpu_s(100.0), state) for i in range(20) for state in states]
    assert learn_factor(tasks, halves) == pytest.approx(2.0)  # two phases of each


def test_phases_follow_who_takes_part(subtests):
    shape, look, write = ("shape", "merge"), ("look", "vision"), ("write", None)
    models, llm = {"perception": "models"}, {"writer": "llm"}
    for options, until, names in (
        ({}, None, [("all", None)]),
        ({"perception": "light"}, "merge", [("all", "merge")]),
        (models, None, [shape, look, ("finish", None)]),
        (models, "merge", [shape]),
        (models, "sfm", [("shape", "sfm")]),
        (models, "plan", [shape, look, ("finish", "plan")]),
        (llm, None, [("finish", "plan"), write]),
        (models | llm, None, [shape, look, ("finish", "plan"), write]),
    ):
        with subtests.test(options=options, until=until):
            assert [(phase.name, phase.until) for phase in list_phases(replace(Config(), **options), until)] == names


def test_metrics_are_in_the_text_format():
    rows = [make_row("a", 5.0), make_row("b", 7.5, "crashed"), make_row("c", 1.0, "waiting"), make_row("c", 2.0)]
    text = describe_metrics(list_metrics(count_status(rows), rows))
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r'roomtour_[a-z_]+(\{[a-z]+="[a-z-]+"\})? [0-9.e+]+', line) for line in lines), lines
    assert 'roomtour_tours{state="done"} 2' in lines
    assert 'roomtour_attempts_total{outcome="again"} 1' in lines
    assert 'roomtour_phase_cpu_seconds_total{phase="all"} 15.5' in lines


def test_cores_and_memory_are_those_that_a_container_may_use(tmp_path):
    for told, cores in (("150000 100000", 1), ("100000000 100000", None), ("max 100000", None)):
        (tmp_path / "cpu.max").write_text(told)
        assert count_cores(tmp_path) == (cores or count_cores(tmp_path / "none")), told
    (tmp_path / "memory.max").write_text("200000000")
    (tmp_path / "memory.current").write_text("50000000")
    assert free_memory_mb(tmp_path) == pytest.approx(150.0)
    (tmp_path / "memory.max").write_text("max")
    assert free_memory_mb(tmp_path) > 150.0


def test_a_file_that_cannot_be_read_is_named_and_costs_nothing(short_walk, tmp_path):
    (tmp_path / "empty.mp4").touch()
    (tmp_path / "notes.mp4").write_text("buy milk")
    (tmp_path / "walk.mp4").write_bytes(short_walk.read_bytes())
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "1.jpg").write_bytes(b"\xff\xd8\xff\xd9")
    inputs = [tmp_path / name for name in ("empty.mp4", "notes.mp4", "walk.mp4", "pictures", "gone.mp4")]
    plan = plan_job(plan_tasks(inputs, tmp_path / "job", Config(), None), [], {}, 2)
    assert (plan.tours, plan.done, plan.unknown_lengths) == (5, 0, 0)
    assert {Path(fault.partition(":")[0]).name for fault in plan.unreadable} == {
        path.name for path in inputs if path.name != "walk.mp4"
    }
    assert plan.cpu_s == pytest.approx(estimate_cpu_s(15.0), rel=0.01)
    tens = plan_tasks(inputs[3:4], tmp_path / "job", Config(input=InputOptions(fps=10.0)), None)
    assert (tens[0].seconds, tens[0].fault) == (0.1, "")


def test_what_ran_when_its_driver_was_killed_waits(tmp_path, capfd):
    """The ledger's last word on it is `started`; who drives the job is asked of the lease."""
    tours = {"a": {"source": "a.mp4", "key": "k", "seconds": 30.0}}
    (tmp_path / "job.json").write_text(json.dumps({"options": {}, "job": {}, "tours": tours}))
    add_row(tmp_path, replace(make_row("a", 0.0, "running"), event="started"))
    driver = FolderLease(tmp_path, "driver")
    driver.take()
    assert (read_status(tmp_path).states, read_status(tmp_path).is_driven) == ({"running": 1}, True)
    driver.release()
    assert (read_status(tmp_path).states, read_status(tmp_path).is_driven) == ({"waiting": 1}, False)
    assert main(["batch", "status", str(tmp_path), "--watch"]) == 0  # and waits for nobody
    assert "go on with" in capfd.readouterr().out


def test_the_time_left_goes_by_the_work_done_so_far(monkeypatch, capfd):
    clock_s = 0.0
    monkeypatch.setattr("time.monotonic", lambda: clock_s)
    first, *rest = make_tasks([100.0, 100.0, 200.0])
    job = SimpleNamespace(left=rest)
    teller = EndTeller(job)  # type: ignore[arg-type]
    clock_s = 600.0
    for row in (make_row("t0", 1.0, "crashed"), replace(make_row("t0", 1.0), tour_s=first.seconds)):
        teller(row)
    unknown, told = capfd.readouterr().out.splitlines()
    assert unknown.endswith("(2 tours left)")  # nothing is done yet
    left_s = 600.0 * sum(estimate_cpu_s(task.seconds) for task in rest) / estimate_cpu_s(100.0)
    assert told.endswith(f"(2 tours left, about {round(left_s / 60)} min)")
    job.left = []
    teller(make_row("t2", 1.0))
    assert "left" not in capfd.readouterr().out


def test_only_what_another_attempt_may_change_is_tried_again(tmp_path, capfd):
    states: tuple[State, ...] = ("refused", "crashed", "timed-out")
    tours = {state: {"source": f"{state}.mp4", "key": "k", "seconds": 30.0} for state in states}
    (tmp_path / "job.json").write_text(json.dumps({"options": {}, "job": {}, "tours": tours}))
    for state in states:
        add_row(tmp_path, make_row(state, 1.0, state, "why"))
    assert main(["batch", "retry", str(tmp_path), "--later"]) == 0
    assert "1 refused tour left out" in capfd.readouterr().out
    assert read_status(tmp_path).states == {"refused": 1, "waiting": 2}
    assert main(["batch", "retry", str(tmp_path), "--later", "--state", "refused"]) == 0
    assert read_status(tmp_path).states == {"waiting": 3}


def test_a_tour_that_would_outlast_all_others_takes_more_slots(tmp_path):
    def task(name: str, seconds: float) -> TourTask:
        return TourTask(Tour(name, tmp_path / name, tmp_path / "runs" / name), "k", seconds)

    short = [task(f"t{number}", 100.0) for number in range(200)]
    assert set(choose_shares(short, 64, 16).values()) == {1}
    long = [task("long", 3600.0), *short[:20]]  # 4,690 and 20 times 140 CPU-s on 64 cores: 117 s is fair
    shares = choose_shares(long, 64, 64)
    assert shares["long"] == 16
    assert {shares[one.tour.name] for one in short[:20]} == {2}
    assert choose_shares(long, 64, 4)["long"] == 4  # no machine has more
    assert set(choose_shares(long, 1, 1).values()) == {1}
    three = choose_shares([task(f"t{number}", 100.0) for number in range(3)], 4, 4)
    assert sorted(three.values()) == [1, 1, 2]  # all at once, and the fourth slot to one of them
    need = need_of(long[0], share=16)
    assert (need.workers, need.slots) == (16, 16)
    assert need.memory_mb > need_of(long[0]).memory_mb


def test_shards_part_the_tours(tmp_path):
    for number in range(12):
        (tmp_path / f"t{number}.mp4").write_bytes(bytes([number]))
    inputs = sorted(tmp_path.glob("*.mp4"))
    parts = [plan_tasks(inputs, tmp_path / "job", Config(), None, f"{k}/3") for k in (1, 2, 3)]
    assert sorted(task.tour.name for part in parts for task in part) == sorted(path.stem for path in inputs)
    assert sum(1 for part in parts if part) > 1
    with pytest.raises(RoomtourError, match="--shard 4/3: need K/N"):
        plan_tasks(inputs, tmp_path / "job", Config(), None, "4/3")


def test_a_key_knows_source_options_and_facts_but_no_workers(tmp_path):
    video = tmp_path / "a.mp4"

    def key(config: Config = Config(), until: str | None = None) -> str:
        return plan_tasks([video], tmp_path / "job", config, until)[0].key

    video.write_bytes(b"one")
    keys = {key(), key(Config(seed=1)), key(Config(tour=TourFacts(home="h"))), key(until="sample")}
    assert len(keys) == 4
    assert key(Config(workers=7)) == key()
    video.write_bytes(b"two")
    assert key() not in keys
