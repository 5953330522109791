import socket

import pytest

from roomtour.errors import RoomtourError
from roomtour.view.ports import HOST, free_port, is_own_host, is_own_origin


def test_a_port_in_use_gives_the_next_free_one():
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        found = free_port(port)
        assert found > port
        with socket.socket() as other:
            other.bind((HOST, found))


def test_no_such_port(subtests):
    for port in (
        -200,
        65536,
        10**9,
    ):
        with subtests.test(str(port)), pytest.raises(RoomtourError, match="--port"):
            free_port(port)


def test_only_our_own_pages_are_our_own(subtests):
    for origin, own in (
        ("http://127.0.0.1:8080", True),
        ("http://localhost:8080", True),
        ("http://127.0.0.1:8081", False),
        ("https://127.0.0.1:8080", False),
        ("http://evil.example:8080", False),
        ("http://127.0.0.1.evil.example:8080", False),
        ("http://localhost@evil.example:8080", False),
        ("http://127.0.0.1:port", False),
        ("null", False),
        ("", False),
        (None, False),
    ):
        with subtests.test(str(origin)):
            assert is_own_origin(origin, 8080) is own


def test_a_name_that_points_here_is_not_our_host():
    assert is_own_host("127.0.0.1:8080", 8080)
    assert is_own_host("localhost:8080", 8080)
    for other in ("evil.example:8080", "127.0.0.1", "127.0.0.1:80", None):
        assert not is_own_host(other, 8080)
