"""One driver at a time, whoever was killed or frozen: processes on one machine and on several that share a folder."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

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


@pytest.mark.parametrize(("machine", "carries_locks"), [("here", True), ("there", True), ("there", False)])
def test_the_place_of_one_that_lives_is_never_taken(machine, carries_locks, tmp_path):
    with holder(tmp_path, machine) as process:
        if not carries_locks:
            drop_lock(tmp_path)
        for _ in range(3):
            with pytest.raises(RoomtourError, match="another process runs this job now"):
                FolderLease(tmp_path, "driver", machine="here", stale_s=1.0).take()
            time.sleep(0.5)
        assert ask(process) == "mine\n"
