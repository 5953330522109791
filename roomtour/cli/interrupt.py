"""Ctrl-C while modules are still being imported: one line, as at any other time.

An import that is cut short raises whatever the module makes of it, or a traceback of frames that are nobody's business.
Nothing is open yet that would have to be closed, so the process just ends.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = "interrupted; finished stages are kept, run the same command again to continue"
EXIT_CODE = 130
_IMPORTING = "importlib._bootstrap"


@contextmanager
def end_at_once_while_importing() -> Iterator[None]:
    """Inside the block Ctrl-C during an import prints a line and ends the process; else it raises as ever.

    Where something else hears Ctrl-C already, or in another thread than the main one, nothing is changed.
    """
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield
        return
    signal.signal(signal.SIGINT, _end_or_raise)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end_or_raise(number: int, frame: FrameType | None) -> None:
    here = frame
    while here is not None:
        if here.f_globals.get("__name__") == _IMPORTING:
            os.write(2, f"roomtour: {INTERRUPTED}\n".encode())
            os._exit(EXIT_CODE)
        here = here.f_back
    signal.default_int_handler(number, frame)
