"""Pages for this machine only: where they listen, and which requests come from them."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from roomtour.errors import RoomtourError

HOST = "127.0.0.1"
_OWN_NAMES = (HOST, "localhost")
_MOST_TRIES = 50
_LAST_PORT = 65535


def free_port(wanted: int) -> int:
    """The first port from `wanted` on that nobody listens on.

    Raises:
        RoomtourError: If none of the next fifty is free, or `wanted` is no port.
    """
    if not 1 <= wanted <= _LAST_PORT:
        raise RoomtourError(f"--port {wanted}: need a number from 1 to {_LAST_PORT}")
    for port in range(wanted, min(wanted + _MOST_TRIES, _LAST_PORT + 1)):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return port
    raise RoomtourError(f"--port {wanted}: no free port from there to {wanted + _MOST_TRIES - 1}; choose another")


def is_own_origin(origin: str | None, port: int) -> bool:
    """Whether the `Origin` of a request is a page that we served ourselves on `port`."""
    parts = urlsplit(origin or "")
    try:
        return parts.scheme == "http" and parts.hostname in _OWN_NAMES and parts.port == port
    except ValueError:  # no number where the port should be
        return False


def is_own_host(host: str | None, port: int) -> bool:
    """Whether the `Host` of a request names this machine; a name that a web site points here does not."""
    return host in tuple(f"{name}:{port}" for name in _OWN_NAMES)
