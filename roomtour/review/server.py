"""The review's own small web server: this machine only, and answers only from pages that it served itself."""

from __future__ import annotations

import hmac
import json
import re
import secrets
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from roomtour.drawing.pages import read_asset, render
from roomtour.errors import RoomtourError
from roomtour.files.records import parse_json
from roomtour.review.sampled import SampledSession
from roomtour.view.card import FramePictures
from roomtour.view.ports import HOST, free_port, is_own_host, is_own_origin

FRAME_PX = 640
_MAX_BODY = 64 << 10
_ITEM = re.compile(r"/item/(\d{1,7})")
_FRAME = re.compile(r"/frame/(\d{1,7})/(\d{1,9})\.jpg")
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class ReviewServer(ThreadingHTTPServer):
    """Serves one rater's session."""

    daemon_threads = True

    def __init__(self, session: SampledSession[Any, Any], port: int) -> None:
        """Listen.

        If the port is taken, the next free one is.
        """
        super().__init__((HOST, free_port(port)), _Handler)
        self.session = session
        self.token = secrets.token_urlsafe(24)
        """Every answer must carry it: a form on another site cannot know it."""
        self.pictures = {
            item.run: FramePictures(item.tour.frames, item.tour.frames_dir, quality=85) for item in session.items
        }

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that went away before it had its answer."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    @property
    def port(self) -> int:
        """Where it listens."""
        return self.server_address[1]

    @property
    def address(self) -> str:
        """What to open in the browser."""
        return f"http://{HOST}:{self.port}/"


class _Handler(BaseHTTPRequestHandler):
    server_version, sys_version = "roomtour", ""
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        session = self._own.session
        if not is_own_host(self.headers.get("Host"), self._own.port):
            return self._fail(HTTPStatus.FORBIDDEN, "this page is for this machine only")
        if self.path == "/":
            row = session.next_open()
            where = "/end" if row is None else f"/item/{row}"
            return self._send("", "text/plain", HTTPStatus.SEE_OTHER, location=where)
        if self.path == "/end":
            total, following = len(session.items), session.next_open()
            end = render("review/end.html", title="Review", token="", total=total, open_row=following)
            return self._send(end, "text/html; charset=utf-8")
        if self.path == "/style.css":
            style = read_asset("drawing/style.css") + read_asset("review/review.css")  # the report's, and our own
            return self._send(style, "text/css; charset=utf-8")
        if self.path == "/review.js":
            return self._send(session.script, "text/javascript; charset=utf-8")
        if (row := self._row(_ITEM)) is not None:
            return self._send_item(row)
        if (row := self._row(_FRAME)) is not None:
            return self._send_frame(row)
        return self._fail(HTTPStatus.NOT_FOUND, "no such page")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        self.close_connection = True  # whatever of the body is not read must not be taken for the next request
        if not (
            is_own_host(self.headers.get("Host"), self._own.port)
            and is_own_origin(self.headers.get("Origin"), self._own.port)
            and hmac.compare_digest(self.headers.get("X-Review-Token", "").encode(), self._own.token.encode())
        ):
            return self._fail(HTTPStatus.FORBIDDEN, "not from a page of this review; load the page again")
        if self.headers.get_content_type() != "application/json" or not length.isdecimal():
            return self._fail(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "need JSON with its length")
        if int(length) > _MAX_BODY:
            return self._fail(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the answer is too long")
        row = self._row(_ITEM)
        if row is None:
            return self._fail(HTTPStatus.NOT_FOUND, "no such text")
        try:
            self._own.session.take(row, parse_json(self.rfile.read(int(length))))
        except ValueError as error:
            return self._fail(HTTPStatus.BAD_REQUEST, f"not valid JSON: {error}")
        except RoomtourError as error:
            return self._fail(HTTPStatus.BAD_REQUEST, str(error))
        following = self._own.session.next_open(after=row)
        return self._send(
            json.dumps({"next": "/end" if following is None else f"/item/{following}"}), "application/json"
        )

    def log_message(self, format: str, *args: Any) -> None:
        """Log no requests; what goes wrong is reported to the page."""

    @property
    def _own(self) -> ReviewServer:
        return cast(ReviewServer, self.server)

    def _row(self, pattern: re.Pattern[str]) -> int | None:
        """The item that the path names, if the sample has it."""
        found = pattern.fullmatch(self.path)
        row = int(found.group(1)) if found else -1
        return row if 0 <= row < len(self._own.session.items) else None

    def _send_item(self, row: int) -> None:
        session = self._own.session
        drawn = session.draw(row, self._own.token)
        session.show(row)
        self._send(drawn, "text/html; charset=utf-8")

    def _send_frame(self, row: int) -> None:
        found = _FRAME.fullmatch(self.path)
        frame = int(found.group(2)) if found else 0
        jpeg = self._own.pictures[self._own.session.items[row].run].jpeg(frame, FRAME_PX)
        if jpeg is None:
            return self._fail(HTTPStatus.NOT_FOUND, "this frame cannot be read")
        return self._send(jpeg, "image/jpeg", cache="private, max-age=3600")

    def _fail(self, status: HTTPStatus, why: str) -> None:
        self._send(json.dumps({"error": why}), "application/json", status)

    def _send(
        self, content: str | bytes, kind: str, status: HTTPStatus = HTTPStatus.OK, cache: str = "no-store",
        location: str | None = None,
    ) -> None:  # fmt: skip
        body = content.encode() if isinstance(content, str) else content
        self.send_response(status)
        headers = {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(body)), "Cache-Control": cache}
        for name, value in headers.items():
            self.send_header(name, value)
        if location is not None:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(body)
