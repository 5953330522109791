"""Keep COLMAP's own log off the user's terminal; what matters of it becomes a Finding."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pycolmap


@contextmanager
def quiet_colmap() -> Iterator[None]:
    """Show only COLMAP's fatal messages while inside, and write no log files."""
    log = pycolmap.logging
    before = (log.minloglevel, log.stderrthreshold, log.alsologtostderr)
    for level in (log.INFO, log.WARNING, log.ERROR):
        log.set_log_destination(level, "")
    log.minloglevel, log.stderrthreshold, log.alsologtostderr = int(log.FATAL), int(log.FATAL), False
    try:
        yield
    finally:
        log.minloglevel, log.stderrthreshold, log.alsologtostderr = before
