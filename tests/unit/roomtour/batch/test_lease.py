"""One driver at a time in a folder, whoever slept, froze or came late: as one process sees it."""

import errno
import json
import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from roomtour.batch.results import lease
from roomtour.batch.results.lease import FolderLease
from roomtour.errors import RoomtourError

pytestmark = pytest.mark.posix


def drop_lock(folder: Path) -> None:
    """As on storage that carries no locks: the holder's lock is on a file that nobody finds."""
    (folder / ".driver.lock").unlink()


def make_old(folder: Path, seconds: float = 70.0) -> None:
    for path in folder.glob(".driver.*.json"):
        then = time.time() - seconds
        os.utime(path, (then, then))


def take(folder: Path, machine: str, name: str = "driver") -> FolderLease:
    one = FolderLease(folder, name, machine=machine)
    one.take()
    return one


def sleep_long(folder: Path, held: Sequence[FolderLease]) -> None:
    """The holder gives no sign for more than a minute, and its lock is not seen."""
    for one in held:
        one._stop.set()
    drop_lock(folder)
    make_old(folder)


def test_whoever_slept_asks_before_it_goes_on(tmp_path):
    first = take(tmp_path, "there")
    sleep_long(tmp_path, [first])
    second = take(tmp_path, "here")
    with pytest.raises(RoomtourError, match="another driver took this job over"):
        first.require()
    second.require()
    first.release()
    second.require()  # what the first gives back was not its own
    second.release()


@pytest.mark.parametrize(("machine", "carries_locks"), [("here", True), ("there", True), ("there", False)])
def test_the_place_of_one_that_gives_signs_is_never_taken(machine, carries_locks, tmp_path, monkeypatch):
    monkeypatch.setattr(lease, "_BEAT_S", 0.05)
    held = take(tmp_path, machine)
    if not carries_locks:
        drop_lock(tmp_path)
    time.sleep(0.5)
    with pytest.raises(RoomtourError, match="another process runs this job now"):
        FolderLease(tmp_path, "driver", machine="here", stale_s=0.4).take()
    held.require()
    held.release()


def test_who_asks_whether_a_driver_lives_is_told_by_its_lock_and_its_signs(tmp_path):
    """A driver of this machine that was killed is gone at once; one elsewhere when it was silent for a minute."""

    def is_held(machine: str = "here") -> bool:
        return FolderLease(tmp_path, "driver", machine=machine).is_held()

    assert not is_held()
    mine = take(tmp_path, "here")
    assert is_held()
    assert is_held("elsewhere")
    mine.require()  # asking took nothing
    mine._stop.set()
    mine._lock.release()  # as the kernel does with what a killed process held
    assert not is_held()
    assert is_held("elsewhere")
    make_old(tmp_path)
    assert not is_held("elsewhere")
    again = take(tmp_path, "here")
    again.release()
    assert not is_held()


def test_of_many_that_find_a_dead_one_a_single_one_comes_in(tmp_path):
    for round_ in range(5):
        folder = tmp_path / str(round_)
        folder.mkdir()
        sleep_long(folder, [take(folder, "dead")])
        begin, won, wrong = threading.Barrier(8), [], []

        def come(
            number: int, folder: Path = folder, begin: threading.Barrier = begin, won: list = won, wrong: list = wrong
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

        threads = [threading.Thread(target=come, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []
        assert len(won) == 1
        won[0].require()
        won[0].release()


def test_one_that_cannot_reach_the_folder_ends_before_another_may_come(tmp_path, monkeypatch):
    one = take(tmp_path, "here")
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
    make_old(tmp_path)
    second = FolderLease(tmp_path, "driver")
    assert second.take() is True
    assert json.loads((tmp_path / ".driver.8.json").read_text())["machine"] == lease.name_machine()
    assert not (tmp_path / ".driver.7.json").exists()
    second.release()
