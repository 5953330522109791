"""Bounds on what a server may send: bytes and seconds, whatever it promised."""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx2
from openai import OpenAIError


class ReplyBound(OpenAIError):
    """A reply that was longer or slower than allowed. An OpenAIError, so the client does not ask the same again."""


class BoundedStream(httpx2.SyncByteStream):
    """Passes on a body until it is too long or too late."""

    def __init__(self, stream: httpx2.SyncByteStream, max_bytes: int, max_seconds: float):
        self._stream, self._max_bytes, self._max_seconds = stream, max_bytes, max_seconds

    def __iter__(self) -> Iterator[bytes]:
        """Yield the body's pieces.

        Raises:
            ReplyBound: At the first piece over a bound.
        """
        count, started = 0, time.monotonic()
        for piece in self._stream:
            count += len(piece)
            if count > self._max_bytes:
                raise ReplyBound(f"the reply is longer than {self._max_bytes} bytes")
            if time.monotonic() - started > self._max_seconds:
                raise ReplyBound(f"the reply took longer than {self._max_seconds:g} s")
            yield piece

    def close(self) -> None:
        """Close the body."""
        self._stream.close()


def make_bounded_client(max_bytes: int, max_seconds: float) -> httpx2.Client:
    """An HTTP client that reads no more than this and follows no redirect (a redirect would take the key along)."""

    def bound(response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise ReplyBound("the reply is compressed, which was not asked for")
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = BoundedStream(response.stream, max_bytes, max_seconds)

    return httpx2.Client(
        timeout=httpx2.Timeout(max_seconds, connect=min(10.0, max_seconds)),
        follow_redirects=False,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [bound]},
    )
