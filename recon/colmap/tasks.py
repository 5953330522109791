"""What tasks need to work with COLMAP: its log kept off the user's terminal, and models as bytes.

pycolmap has no pickles of models. Unpacking gives the same poses, points and ids, but counts on from the highest point
id there is. So that results do not depend on where a task ran, what was packed for it is always unpacked again, also
where it never left its process.
"""

from __future__ import annotations

import copyreg
import pickle
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Generic, TypeVar

import pycolmap


@contextmanager
def quiet_colmap() -> Iterator[None]:
    """Show only COLMAP's fatal messages while inside, and write no log files.

    COLMAP has one log for the whole process: only one thread of it may be inside, as often as it likes.
    """
    log = pycolmap.logging
    before = log.minloglevel, log.stderrthreshold, log.alsologtostderr
    for level in (log.INFO, log.WARNING, log.ERROR):
        log.set_log_destination(level, "")
    log.minloglevel, log.stderrthreshold, log.alsologtostderr = int(log.FATAL), int(log.FATAL), False
    try:
        yield
    finally:
        log.minloglevel, log.stderrthreshold, log.alsologtostderr = before


def _take_back_sigterm() -> None:
    """Undo what importing pycolmap did: its log prints a stack trace on SIGTERM, as if being stopped were a crash."""
    if threading.current_thread() is threading.main_thread():  # only there may handlers be set
        handler = signal.getsignal(signal.SIGTERM)
        if handler is not None:  # None: set by something that is not Python, before Python began
            signal.signal(signal.SIGTERM, handler)


_take_back_sigterm()


Item = TypeVar("Item")


@dataclass(frozen=True)
class Packed(Generic[Item]):
    """Whatever holds models, as it was."""

    data: bytes  # Made by `pack` for another task of the same run, never read from a file: unpacking runs what it says

    def unpack(self) -> Item:
        """A new one."""
        return pickle.loads(self.data)


def pack(item: Item) -> Packed[Item]:
    """The item as it is now."""
    return Packed(pickle.dumps(item))


def _read(files: dict[str, bytes]) -> pycolmap.Reconstruction:
    with TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        return pycolmap.Reconstruction(folder)


def _reduce(model: pycolmap.Reconstruction) -> tuple:
    with TemporaryDirectory() as folder:
        model.write_binary(folder)
        return _read, ({path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())},)


copyreg.pickle(pycolmap.Reconstruction, _reduce)  # pyright: ignore[reportArgumentType]
