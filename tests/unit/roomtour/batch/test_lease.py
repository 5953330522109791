"""One driver at a time in a folder, whoever slept, froze or came late."""

import os
import threading
import time
from pathlib import Path

import pytest

from roomtour.batch.results.storage import FolderLease
from roomtour.errors import RoomtourError

pytestmark = pytest.mark.posix
STALE_S = 0.6
FILE = ".driver.lease"


def take(folder: Path) -> FolderLease:
    one = FolderLease(folder, "driver", stale_s=STALE_S)
    one.take()
    return one


def fall_asleep(folder: Path, holder: FolderLease | None = None) -> None:
    """Its holder lives and gives no sign: one elsewhere, or one whose process stands still."""
    if holder is not None:
        holder._lease._stop_heartbeat()
    then = time.time() - 60
    os.utime(folder / FILE, (then, then))


def test_whoever_slept_asks_before_it_goes_on(tmp_path):
    first = take(tmp_path)
    fall_asleep(tmp_path, first)
    first.require()  # nobody came
    second = FolderLease(tmp_path, "driver", stale_s=STALE_S)
    assert second.take() is True
    with pytest.raises(RoomtourError, match="another driver took this job over"):
        first.require()
    second.require()
    first.release()
    second.require()  # what the first gives back was not its own
    second.release()
    assert list(tmp_path.iterdir()) == []


def test_the_place_of_one_that_gives_signs_is_never_taken(tmp_path):
    held = take(tmp_path)
    time.sleep(2 * STALE_S)
    with pytest.raises(RoomtourError, match="another process runs this job now"):
        take(tmp_path)
    FolderLease(tmp_path, "driver-2", stale_s=STALE_S).take()  # another place
    held.require()
    held.release()
    take(tmp_path).release()


def test_who_asks_whether_a_driver_lives_is_told_by_its_signs(tmp_path):
    def is_held() -> bool:
        return FolderLease(tmp_path, "driver", stale_s=STALE_S).is_held()

    assert not is_held()
    mine = take(tmp_path)
    assert is_held()
    mine.require()  # asking took nothing
    fall_asleep(tmp_path, mine)
    assert not is_held()
    mine.release()
    assert not is_held()


def test_of_many_that_find_a_silent_one_a_single_one_comes_in(tmp_path):
    fall_asleep(tmp_path, take(tmp_path))
    begin, won, wrong = threading.Barrier(8), [], []

    def come() -> None:
        mine = FolderLease(tmp_path, "driver", stale_s=STALE_S)
        begin.wait()
        try:
            mine.take()
            won.append(mine)
        except RoomtourError:
            pass
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=come) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(won) == 1
    won[0].require()
    won[0].release()


def test_a_place_that_is_gone_is_lost(tmp_path):
    one = take(tmp_path)
    (tmp_path / FILE).unlink()
    with pytest.raises(RoomtourError, match="another driver took this job over"):
        one.require()
    one.release()
