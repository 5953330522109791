import multiprocessing
import os
import signal

import pytest

from roomtour.errors import RoomtourError
from roomtour.files.ratings import Rating, append_rating, load_ratings
from roomtour.store import RunStore


def _hold(root, ready):
    with RunStore(root).opened():
        ready.set()
        signal.pause()


@pytest.mark.posix
def test_two_processes_cannot_write_one_run_and_a_killed_one_frees_it(tmp_path):
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    other = context.Process(target=_hold, args=(tmp_path / "run", ready), daemon=True)
    other.start()
    assert ready.wait(60)
    assert other.pid is not None
    with (
        pytest.raises(RoomtourError, match=rf"another process \({other.pid} on .+\) is working"),
        RunStore(tmp_path / "run").opened(),
    ):
        pass
    os.kill(other.pid, signal.SIGKILL)
    other.join()
    with RunStore(tmp_path / "run").opened():
        pass
    assert not (tmp_path / "run" / ".holder").exists()


def write_many(folder, rater):
    for number in range(40):
        append_rating(folder, Rating(f"i{number}", "0" * 16, rater, 3, (), "x" * 500, "2026-01-01T10:00:00+00:00", 1))


def test_two_raters_may_write_at_once(tmp_path):
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=write_many, args=(tmp_path, rater)) for rater in ("anna", "ben")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(load_ratings(tmp_path)) == 80
