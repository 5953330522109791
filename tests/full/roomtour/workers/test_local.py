"""Processes that work for stages. Tasks lie in a module of their own, as workers import them by name."""

import multiprocessing
import os
import subprocess
import sys

import pytest

from roomtour.errors import RoomtourError
from roomtour.workers.local import LocalWorkers
from roomtour.workers.ray_workers import Workers
from tests.support.doubles.worker_tasks import (
    Add,
    FailOrTouch,
    Touch,
    count_threads,
    die,
    fail_at,
    process_id,
    sleep_and_tell,
)
from tests.support.paths import ROOT


@pytest.fixture(scope="module")
def two():
    with LocalWorkers(2) as workers:
        yield workers


def test_results_come_in_the_order_of_the_items_drawn_a_few_ahead(two):
    pauses_s = [0.3, 0.0, 0.1, 0.0, 0.2]

    assert list(two.map(sleep_and_tell, pauses_s)) == pauses_s
    assert list(two.map(Add(3), range(20))) == list(range(3, 23))
    assert list(two.map(Add(3), [])) == []
    drawn = []
    results = two.map(Add(0), (drawn.append(k) or k for k in range(100)))

    assert next(results) == 0
    assert len(drawn) < 10
    results = two.map(fail_at, [0, 1, 2, 3])

    assert next(results) == 0
    with pytest.raises(ValueError, match=r"^item 1 of no use$"):
        next(results)
    assert list(two.map(Add(1), [1, 2])) == [2, 3]


def test_tasks_run_in_other_processes_with_a_fixed_number_of_threads(two):
    assert os.getpid() not in set(two.map(process_id, range(6)))
    assert list(two.map(process_id, [0])) == [os.getpid()]
    with LocalWorkers(1) as alone:
        assert set(alone.map(process_id, range(3))) == {os.getpid()}
    assert set(two.map(count_threads, range(4))) == {(1, 1)}


LARGE = bytes(1 << 24)
"""More than a pipe takes while nobody reads it: Python 3.11.2 waits forever for somebody to read it."""


@pytest.mark.parametrize("items", [range(4), [LARGE] * 8], ids=["small", "large"])
def test_a_worker_that_dies_is_told_in_one_line_and_others_take_its_place(items):
    with LocalWorkers(2) as workers:
        with pytest.raises(RoomtourError, match="a worker process ended before its task did"):
            list(workers.map(die, items))
        assert list(workers.map(Add(1), [1, 2])) == [2, 3]


def test_closing_stops_what_runs(tmp_path):
    others = set(multiprocessing.active_children())
    workers: Workers = LocalWorkers(2)
    results = workers.map(Touch(tmp_path), [0.0, 60.0, 60.0])
    next(results)
    workers.close()

    assert [path.name for path in tmp_path.iterdir()] == ["0.0"]
    assert set(multiprocessing.active_children()) == others
    with pytest.raises(RoomtourError, match="no worker is left"):
        list(workers.map(Add(1), [1, 2]))


def test_what_ran_beside_a_failed_item_has_ended_when_its_error_is_raised(tmp_path):
    with LocalWorkers(2) as workers:
        with pytest.raises(ValueError, match="item 1 of no use"):
            list(workers.map(FailOrTouch(tmp_path), [1, 2]))
        assert [path.name for path in tmp_path.iterdir()] == ["2"]


SCRIPT = """
import os, sys
sys.path.insert(0, {folder!r})
from tests.support.doubles.worker_tasks import Add, sleep_and_tell
from roomtour.workers.local import LocalWorkers
workers = LocalWorkers(2)
list(workers.map(sleep_and_tell, [2.0, 2.0]))  # both have started
print(list(workers.map(Add(1), [1, 2])), flush=True)
os.kill(os.getpid(), 9)
"""


def test_a_script_that_does_not_ask_whether_it_is_main_is_not_run_again(tmp_path):
    """And its workers end with it, even where it is killed."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(folder=str(ROOT)))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)

    assert done.returncode == -9
    assert done.stdout == "[2, 3]\n"  # read to the end: no worker is left that holds it open
