"""Tours that are not started at all: those whose home it shows refused, and those that fit no machine."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from roomtour.batch.driver import Job, JobOptions
from roomtour.batch.ledger import read_rows
from roomtour.batch.records import LedgerRow, TourTask
from roomtour.config import Config
from roomtour.sources import Tour
from roomtour.tour_facts import Consent, TourFacts
from tests.support.doubles.stub_jobs import StubEngine, make_tasks, run_stubs


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


def run_lengths(job: Path, seconds: dict[str, float], engine: StubEngine, **options) -> dict[str, LedgerRow]:
    tasks = [replace(task, seconds=seconds[task.tour.name]) for task in make_tasks(job, list(seconds))]
    status = Job(job, tasks, Config(), JobOptions(**options), engine).run()
    return {row.tour: row for row in status.tours}


def test_what_needs_more_than_any_machine_has_is_told_before_anything_starts(tmp_path):
    """An hour needs 0.7 GB and 2 MB a second: 7.9 GB."""
    engine = StubEngine({}, memory_mb=5000.0)
    told: list[tuple[str, int]] = []
    tasks = [
        replace(task, seconds={"hour": 3600.0, "short": 60.0, "unknown": 0.0}[task.tour.name])
        for task in make_tasks(tmp_path, ["short", "hour", "unknown"])
    ]
    status = Job(tmp_path, tasks, Config(), JobOptions(), engine).run(
        lambda row: told.append((row.tour, len(engine.started)))
    )
    assert told[0] == ("hour", 0)
    rows = {row.tour: row for row in status.tours}
    assert {name: row.state for name, row in rows.items()} == {"hour": "refused", "short": "done", "unknown": "done"}
    assert "7900 MB" in rows["hour"].reason
    assert "5000" in rows["hour"].reason
    assert "hour" not in engine.started


@pytest.mark.parametrize(("has_mb", "state"), [(7899.0, "refused"), (7901.0, "done")])
def test_the_need_has_two_sides(has_mb, state, tmp_path):
    rows = run_lengths(tmp_path, {"hour": 3600.0}, StubEngine({}, memory_mb=has_mb))
    assert rows["hour"].state == state


def test_what_did_not_fit_starts_where_it_fits_or_when_somebody_says_that_it_needs_less(tmp_path):
    small = StubEngine({}, memory_mb=5000.0)
    for _ in range(2):
        assert run_lengths(tmp_path, {"hour": 3600.0}, small)["hour"].state == "refused"
    assert sum(row.event == "ended" for row in read_rows(tmp_path)) == 1
    assert run_lengths(tmp_path, {"hour": 3600.0}, StubEngine({}, memory_mb=9000.0))["hour"].state == "done"
    other = tmp_path / "other"
    assert run_lengths(other, {"hour": 3600.0}, small, memory_mb=4000.0)["hour"].state == "done"
