import io
from contextlib import redirect_stdout
from http.client import HTTPConnection

import pytest
import viser
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from roomtour.view.ports import HOST, free_port
from roomtour.view.server import LoopbackServer
from tests.support.browser_leaves import leave_at_once

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


def test_its_own_page_gets_the_scene(server):
    server.scene.add_label("/secret", "the frames of a home")
    assert receive(server, server.address)


@pytest.mark.parametrize("origin", ["https://evil.example", "http://127.0.0.1:1", "null", None])
def test_a_page_of_another_site_gets_nothing(server, origin):
    server.scene.add_label("/secret", "the frames of a home")
    with pytest.raises(ConnectionClosed, match="only pages of this viewer"):
        receive(server, origin)


def test_it_listens_on_this_machine_only_and_says_nothing_itself():
    said = io.StringIO()
    with redirect_stdout(said):
        server = LoopbackServer(free_port(18200), label="made")
        connection = HTTPConnection(HOST, server.get_port(), timeout=20)
        connection.request("GET", "/")
        assert connection.getresponse().status == 200
        connection.close()
        server.stop()
    assert said.getvalue() == ""
    assert server.address.startswith("http://127.0.0.1:")


def test_nothing_is_published(server):
    assert server.request_share_url() is None


def test_a_browser_that_goes_away_is_no_fault(server, caplog):
    for sent in (b"", b"GET / HTTP/1.1\r\n"):
        leave_at_once(server.get_port(), sent)
    assert receive(server, server.address)
    assert caplog.records == []
