"""Keep COLMAP's own log off the user's terminal; what matters of it becomes a Finding."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pycolmap


@dataclass
class _Silence:
    """COLMAP has one log for the whole process: the first thread to ask silences it, the last to leave restores it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    asked: int = 0
    before: tuple[int, int, bool] = (0, 0, False)

    def begin(self) -> None:
        log = pycolmap.logging
        with self.lock:
            self.asked += 1
            if self.asked > 1:
                return
            self.before = (log.minloglevel, log.stderrthreshold, log.alsologtostderr)
            for level in (log.INFO, log.WARNING, log.ERROR):
                log.set_log_destination(level, "")
            log.minloglevel, log.stderrthreshold, log.alsologtostderr = int(log.FATAL), int(log.FATAL), False

    def end(self) -> None:
        log = pycolmap.logging
        with self.lock:
            self.asked -= 1
            if self.asked == 0:
                log.minloglevel, log.stderrthreshold, log.alsologtostderr = self.before


_SILENCE = _Silence()


@contextmanager
def quiet_colmap() -> Iterator[None]:
    """Show only COLMAP's fatal messages while inside, and write no log files. Several threads may be inside at once."""
    _SILENCE.begin()
    try:
        yield
    finally:
        _SILENCE.end()


def _take_back_sigterm() -> None:
    """Undo what importing pycolmap did: its log prints a stack trace on SIGTERM, as if being stopped were a crash."""
    if threading.current_thread() is threading.main_thread():  # only there may handlers be set
        handler = signal.getsignal(signal.SIGTERM)
        if handler is not None:  # None: set by something that is not Python, before Python began
            signal.signal(signal.SIGTERM, handler)


_take_back_sigterm()
