"""One driver at a time, whoever died, froze or slept: on one machine and on several that share a folder."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from roomtour.batch import lease
from roomtour.batch.lease import FolderLease
from roomtour.errors import RoomtourError

pytestmark = pytest.mark.posix
HOLDER = """
import sys, time
from pathlib import Path
from roomtour.batch import lease
lease._BEAT_S = 0.1
held = lease.FolderLease(Path(sys.argv[1]), "driver", machine=sys.argv[2])
held.take()
print("held", flush=True)
for line in sys.stdin:
    try:
        held.require()
        print("mine", flush=True)
    except Exception as error:
        print(error, flush=True)
"""


@contextmanager
def holder(folder: Path, machine: str) -> Iterator[subprocess.Popen[str]]:
    words = [sys.executable, "-c", HOLDER, str(folder), machine]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
    finally:
        process.kill()
        process.wait()


def ask(process: subprocess.Popen[str]) -> str:
    assert process.stdin is not None
    assert process.stdout is not None
    print("?", file=process.stdin, flush=True)
    return process.stdout.readline()


def drop_lock(folder: Path) -> None:
    """As on storage that carries no locks: the holder's lock is on a file that nobody finds."""
    (folder / ".driver.lock").unlink()


def make_old(folder: Path, seconds: float) -> None:
    for path in folder.glob(".driver.*.json"):
        then = time.time() - seconds
        os.utime(path, (then, then))


@pytest.mark.parametrize(("machine", "carries_locks"), [("here", True), ("there", True), ("there", False)])
def test_the_place_of_one_that_lives_is_never_taken(machine, carries_locks, tmp_path):
    with holder(tmp_path, machine) as process:
        if not carries_locks:
            drop_lock(tmp_path)
        for _ in range(5):
            with pytest.raises(RoomtourError, match="another process runs this job now"):
                FolderLease(tmp_path, "driver", machine="here", stale_s=1.0).take()
            time.sleep(0.5)
        assert ask(process) == "mine\n"


def test_the_place_of_one_that_was_killed_here_is_free_at_once(tmp_path):
    with holder(tmp_path, "here"):
        pass
    second = FolderLease(tmp_path, "driver", machine="here")
    assert second.take() is False  # its children died with it
    second.require()
    second.release()


def test_one_that_was_killed_elsewhere_is_replaced_after_a_minute(tmp_path):
    with holder(tmp_path, "there"):
        pass
    second = FolderLease(tmp_path, "driver", machine="here")
    with pytest.raises(RoomtourError, match=r"If that machine is gone, try again in [56]"):
        second.take()
    make_old(tmp_path, 70.0)
    assert second.take() is True  # its children may live
    second.release()


def test_one_that_froze_is_replaced_and_knows_it_when_it_wakes(tmp_path):
    with holder(tmp_path, "there") as process:
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.3)
        make_old(tmp_path, 70.0)
        second = FolderLease(tmp_path, "driver", machine="here")
        assert second.take() is True
        process.send_signal(signal.SIGCONT)
        time.sleep(0.5)  # its sign comes every 0.1 s
        assert "another driver took this job over" in ask(process)
        second.require()
        second.release()
        assert "another driver took this job over" in ask(process)


def test_whoever_slept_asks_before_it_goes_on(tmp_path, monkeypatch):
    first = FolderLease(tmp_path, "driver", machine="there")
    first.take()
    first._stop.set()  # as if it slept: no sign is given
    drop_lock(tmp_path)
    make_old(tmp_path, 70.0)
    second = FolderLease(tmp_path, "driver", machine="here")
    second.take()
    with pytest.raises(RoomtourError, match="another driver took this job over"):
        first.require()
    second.require()
    first.release()
    second.require()  # what the first gives back was not its own
    second.release()


def test_one_that_took_over_without_the_lock_is_not_taken_for_dead_when_the_lock_is_free(tmp_path):
    with holder(tmp_path, "here") as process:
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.3)
        make_old(tmp_path, 70.0)
        second = FolderLease(tmp_path, "driver", machine="here")
        assert second.take() is True  # while the frozen one has the lock
    with pytest.raises(RoomtourError, match="another process runs this job now"):
        FolderLease(tmp_path, "driver", machine="here").take()
    second.release()
    third = FolderLease(tmp_path, "driver", machine="here")
    assert third.take() is False
    third.release()


def test_of_many_that_find_a_dead_one_a_single_one_comes_in(tmp_path):
    for round_ in range(20):
        folder = tmp_path / str(round_)
        folder.mkdir()
        with_dead = FolderLease(folder, "driver", machine="dead")
        with_dead.take()
        with_dead._stop.set()
        drop_lock(folder)
        make_old(folder, 70.0)
        begin, won, wrong = threading.Barrier(8), [], []

        def take(
            number: int,
            folder: Path = folder,
            begin: threading.Barrier = begin,
            won: list = won,
            wrong: list = wrong,
        ) -> None:
            mine = FolderLease(folder, "driver", machine=f"m{number}")
            mine._lock = FolderLease(folder, f"apart{number}")._lock  # storage without locks
            begin.wait()
            try:
                mine.take()
                won.append(mine)
            except RoomtourError:
                pass
            except BaseException as error:
                wrong.append(error)

        threads = [threading.Thread(target=take, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []
        assert len(won) == 1
        won[0].require()
        won[0].release()


def test_one_that_was_held_up_while_two_others_came_is_refused(tmp_path, monkeypatch):
    slow, first, second = (FolderLease(tmp_path, "driver", machine=f"m{number}") for number in range(3))
    make = slow._make

    def make_late(number: int) -> bool:
        drop_lock(tmp_path)
        first.take()
        first.release()
        second.take()  # and drops the number that the slow one is about to make
        return make(number)

    monkeypatch.setattr(slow, "_make", make_late)
    with pytest.raises(RoomtourError, match="another process runs this job now; it came first"):
        slow.take()
    assert (tmp_path / ".driver.1.json").exists()  # it was made, and is no place
    second.require()
    slow.release()
    second.require()
    second.release()
    third = FolderLease(tmp_path, "driver", machine="m3")
    third.take()
    assert [path.name for path in tmp_path.glob(".driver.*.json")] == [".driver.3.json"]
    third.release()


@pytest.mark.parametrize(
    ("number", "told"),
    [(errno.ENOENT, "it came first"), (errno.ESTALE, "it came first"), (errno.EIO, os.strerror(errno.EIO))],
)
def test_a_holder_whose_file_goes_while_it_is_read_is_one_line_and_leaves_no_lock(number, told, tmp_path, monkeypatch):
    one = FolderLease(tmp_path, "driver", machine="here")

    def vanish() -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(one, "_read_newest", vanish)
    with pytest.raises(RoomtourError, match=told):
        one.take()
    second = FolderLease(tmp_path, "driver", machine="here")
    assert second._grip() == "held"
    second.release()


def test_one_whose_own_file_is_gone_ends(tmp_path, monkeypatch):
    one = FolderLease(tmp_path, "driver", machine="here")
    one.take()
    monkeypatch.setattr(one, "_list_numbers", lambda: [1])  # as listed just before
    (tmp_path / ".driver.1.json").unlink()
    with pytest.raises(RoomtourError, match="another driver took this job over"):
        one.require()
    one.release()


def test_one_that_cannot_reach_the_folder_ends_before_another_may_come(tmp_path, monkeypatch):
    one = FolderLease(tmp_path, "driver", machine="here")
    one.take()
    one._stop.set()

    def fail() -> list[int]:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(one, "_list_numbers", fail)
    one.require()
    one._beaten -= 45.0
    one.require()
    one._beaten -= 6.0
    with pytest.raises(RoomtourError, match="cannot be reached for 5"):
        one.require()
    one.release()


def test_a_file_that_is_being_written_counts_as_a_holder(tmp_path):
    (tmp_path / ".driver.7.json").write_text("")
    with pytest.raises(RoomtourError, match="another process runs this job now"):
        FolderLease(tmp_path, "driver").take()
    make_old(tmp_path, 70.0)
    second = FolderLease(tmp_path, "driver")
    assert second.take() is True
    assert json.loads((tmp_path / ".driver.8.json").read_text())["machine"] == lease.name_machine()
    assert not (tmp_path / ".driver.7.json").exists()
    second.release()


def test_drivers_of_different_shards_do_not_meet(tmp_path):
    first, second = (FolderLease(tmp_path, f"driver-{k}-of-2", machine="here") for k in (1, 2))
    first.take()
    second.take()
    first.release()
    second.release()
