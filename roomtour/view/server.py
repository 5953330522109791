"""viser's server, kept to this machine: loopback only, only for pages it served itself, and nothing is ever shared."""

from __future__ import annotations

import contextlib
import io
import logging

import viser
from viser import infra
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from roomtour.view.ports import HOST, is_own_origin


class _Departures(logging.Filter):
    """Leaves out of a log what says only that a browser went away before it had its answer."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        return not isinstance(error, (ConnectionClosed, ConnectionError, InvalidHandshake))


_DEPARTURES = _Departures()


class LoopbackServer(viser.ViserServer):
    """A viser server that only pages from its own address can talk to.

    viser itself takes a web socket from any page that the browser has open, so that any web site could read the frames
    of a home; here such a connection is closed before anything is sent. Its offer to publish the scene through a server
    of its makers is taken away.
    """

    def __init__(self, port: int, label: str) -> None:
        with contextlib.redirect_stdout(io.StringIO()):  # viser prints a table of addresses; the command prints ours
            super().__init__(host=HOST, port=port, label=label, verbose=False)
        logging.getLogger("websockets.server").addFilter(_DEPARTURES)
        self._websock_server.on_client_connect(self._refuse_strangers)

    @property
    def address(self) -> str:
        """What to open in the browser."""
        return f"http://{HOST}:{self.get_port()}"

    def stop(self) -> None:
        """Close every connection and free the port."""
        with contextlib.redirect_stdout(io.StringIO()):
            super().stop()

    def request_share_url(self, verbose: bool = True) -> str | None:
        """Never: frames of a home do not leave the machine."""
        return None

    async def _refuse_strangers(self, client: infra.WebsockClientConnection) -> None:
        connection = self._websock_server._live_connections[client.client_id]
        origin = connection.request.headers.get("Origin") if connection.request is not None else None
        if not is_own_origin(origin, self.get_port()):
            await connection.close(1008, "only pages of this viewer may connect")
