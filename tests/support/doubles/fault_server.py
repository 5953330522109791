"""A small HTTP server that answers chat completions as badly as a test wants."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[["Handler", dict[str, Any]], None]


class Handler(BaseHTTPRequestHandler):
    """Hands each request to the next behaviour; the last one goes on for ever."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        assert isinstance(self.server, FaultServer)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        behave = self.server.next_behaviour(
            {name.lower(): value for name, value in self.headers.items()}, json.loads(body)
        )
        behave(self, json.loads(body))

    def send(self, body: bytes, status: int = 200, headers: Sequence[tuple[str, str]] = ()) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@dataclass
class Seen:
    """One request."""

    headers: dict[str, str]
    body: dict[str, Any]


class FaultServer(ThreadingHTTPServer):
    """Behaviours in order, and what was asked."""

    daemon_threads = True

    def __init__(self, behaviours: Sequence[Behaviour]):
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[Seen] = []
        self._behaviours = list(behaviours)
        self._lock = threading.Lock()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def next_behaviour(self, headers: dict[str, str], body: dict[str, Any]) -> Behaviour:
        with self._lock:
            self.seen.append(Seen(headers, body))
            return self._behaviours.pop(0) if len(self._behaviours) > 1 else self._behaviours[0]


@contextmanager
def fault_server(*behaviours: Behaviour) -> Iterator[FaultServer]:
    server = FaultServer(behaviours)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@dataclass
class Completion:
    """A chat completion as servers send it."""

    content: str | None = None
    refusal: str | None = None
    finish: str = "stop"
    usage: dict[str, int] | None = field(
        default_factory=lambda: {"prompt_tokens": 900, "completion_tokens": 50, "total_tokens": 950}
    )

    def body(self) -> bytes:
        message = {"role": "assistant", "content": self.content, "refusal": self.refusal}
        choice = {"index": 0, "message": message, "finish_reason": self.finish}
        return json.dumps(
            {
                "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "fake-1", "choices": [choice],
                "usage": self.usage,
            }
        ).encode()  # fmt: skip


def says(*texts: str) -> Behaviour:
    """A good reply."""
    return answers(json.dumps({"texts": list(texts)}))


def answers_in_form(handler: Handler, body: dict[str, Any]) -> None:
    """A reply of the form that is asked for, whatever it is; true of nothing."""
    form = body["response_format"]["json_schema"]
    said = (
        {"answer": "Yes."} if form["name"] == "AskOrAnswer" else _fill(form["schema"], form["schema"].get("$defs", {}))
    )
    answers(json.dumps(said))(handler, body)


def _fill(schema: dict[str, Any], defs: dict[str, Any], name: str = "") -> Any:
    if "$ref" in schema:
        return _fill(defs[schema["$ref"].rpartition("/")[2]], defs)
    if "anyOf" in schema:
        return _fill(schema["anyOf"][0], defs)
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {name: _fill(part, defs, name) for name, part in schema.get("properties", {}).items()}
    if schema["type"] == "array":
        return [_fill(schema["items"], defs)] * max(1, schema.get("minItems", 1))
    if schema["type"] == "string":
        sentence = "Where is the chair? " if name == "question" else "The chair stands by the wall. "
        return (sentence * (schema.get("minLength", 0) // len(sentence) + 1)).strip()
    return {"boolean": True, "integer": 1, "number": 1.0}[schema["type"]]


def answers(content: str | None, *, finish: str = "stop", counts: bool = True) -> Behaviour:
    """A reply with this content, whatever it is."""
    completion = Completion(content, finish=finish)
    if not counts:
        completion.usage = None
    return lambda handler, _: handler.send(completion.body())


def refuses(reason: str) -> Behaviour:
    return lambda handler, _: handler.send(Completion(refusal=reason).body())


def fails(status: int, *headers: tuple[str, str], message: str = "no") -> Behaviour:
    body = json.dumps({"error": {"message": message}}).encode()
    return lambda handler, _: handler.send(body, status, headers)


def sleeps(seconds: float) -> Behaviour:
    """A good reply that comes too late."""

    def behave(handler: Handler, _: dict[str, Any]) -> None:
        time.sleep(seconds)
        try:
            handler.send(Completion("{}").body())
        except OSError:
            handler.close_connection = True

    return behave


def drips(pieces: int, every_s: float) -> Behaviour:
    """A reply whose bytes come one by one, each in time."""

    def behave(handler: Handler, _: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(pieces))
        handler.end_headers()
        try:
            for _piece in range(pieces):
                handler.wfile.write(b" ")
                handler.wfile.flush()
                time.sleep(every_s)
        except OSError:
            handler.close_connection = True

    return behave


def hangs_up(handler: Handler, _: dict[str, Any]) -> None:
    """Promises a body and cuts the connection in the middle of it."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"id": ')
    handler.wfile.flush()
    handler.close_connection = True


def floods(size: int) -> Behaviour:
    """A well-formed reply of this many bytes, without saying so beforehand."""

    def behave(handler: Handler, _: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        body = Completion("x" * size).body()
        try:
            for start in range(0, len(body), 65536):
                piece = body[start : start + 65536]
                handler.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            handler.wfile.write(b"0\r\n\r\n")
        except OSError:
            handler.close_connection = True

    return behave


def sends_raw(body: bytes, *headers: tuple[str, str]) -> Behaviour:
    return lambda handler, _: handler.send(body, 200, headers)
