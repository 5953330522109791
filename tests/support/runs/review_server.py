"""The server of a review, answering in a thread of its own."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from roomtour.review.server import ReviewServer


@contextmanager
def serving(session: Any, port: int) -> Iterator[ReviewServer]:
    """Serve a session at the first free port from this one on."""
    with ReviewServer(session, port) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
