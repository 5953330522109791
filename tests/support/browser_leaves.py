"""A browser that asks and is gone before the answer."""

import socket
import struct
import time

_RESET = struct.pack("ii", 1, 0)
"""Linger for no time: the connection is reset, not closed."""


def leave_at_once(port: int, sent: bytes) -> None:
    """Send the beginning of a request to a server of this machine, and reset the connection."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        connection.sendall(sent)
    time.sleep(0.3)  # for its thread to see it
