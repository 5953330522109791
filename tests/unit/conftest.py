"""Unit tests start no process and open no connection."""

import sys
from collections.abc import Iterator

import pytest

_FORBIDDEN = (
    "subprocess.Popen",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.system",
    "socket.connect",
    "socket.bind",
)
_seen: list[str] = []
_watches = False


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if _watches and event in _FORBIDDEN:
        _seen.append(f"{event} {arguments[:2]}")


sys.addaudithook(_note)


@pytest.fixture(autouse=True)
def stays_inside_the_process() -> Iterator[None]:
    """Fail a test that starts a process or opens a connection; it belongs into another tier."""
    global _watches
    _seen.clear()
    _watches = True
    yield
    _watches = False
    assert not _seen, f"belongs into tests/pipeline or tests/full: {_seen[:3]}"
