"""Keep COLMAP's own log off the user's terminal; what matters of it becomes a Finding."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

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
