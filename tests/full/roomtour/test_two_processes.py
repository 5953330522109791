import multiprocessing
import os
import signal

import pytest

from roomtour.errors import RoomtourError
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
