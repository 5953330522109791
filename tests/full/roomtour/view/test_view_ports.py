import socket

import pytest
import viser
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from roomtour.errors import RoomtourError
from roomtour.view.live import LoopbackServer
from roomtour.view.ports import HOST, free_port, is_own_host, is_own_origin
from tests.support.browser_leaves import leave_at_once


def test_a_port_in_use_gives_the_next_free_one(subtests):
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        found = free_port(port)
        assert found > port
        with socket.socket() as other:
            other.bind((HOST, found))
    for port in (-200, 65536, 10**9):
        with subtests.test(str(port)), pytest.raises(RoomtourError, match="--port"):
            free_port(port)


def test_only_our_own_pages_and_hosts_are_our_own(subtests):
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
    assert is_own_host("127.0.0.1:8080", 8080)
    assert is_own_host("localhost:8080", 8080)
    for other in ("evil.example:8080", "127.0.0.1", "127.0.0.1:80", None):
        assert not is_own_host(other, 8080)


PROTOCOL = [Subprotocol(f"viser-v{viser.__version__}")]


@pytest.fixture
def server():
    started = LoopbackServer(free_port(18200), label="made")
    yield started
    started.stop()


def receive(server, origin):
    address = f"ws://{HOST}:{server.get_port()}"
    with connect(address, origin=origin and Origin(origin), subprotocols=PROTOCOL) as socket:
        return socket.recv(timeout=20)


def test_its_own_page_gets_the_scene_and_nothing_is_published(server):
    server.scene.add_label("/secret", "the frames of a home")
    assert receive(server, server.address)
    assert server.request_share_url() is None


@pytest.mark.parametrize("origin", ["https://evil.example", "http://127.0.0.1:1", "null", None])
def test_a_page_of_another_site_gets_nothing(server, origin):
    server.scene.add_label("/secret", "the frames of a home")
    with pytest.raises(ConnectionClosed, match="only pages of this viewer"):
        receive(server, origin)


def test_a_browser_that_goes_away_is_no_fault(server, caplog):
    for sent in (b"", b"GET / HTTP/1.1\r\n"):
        leave_at_once(server.get_port(), sent)
    assert receive(server, server.address)
    assert caplog.records == []
