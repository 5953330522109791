"""A place in an S3 bucket. The only module that imports the client; keys come from its environment or role alone.

Every fault is a RoomtourError of one line in our words: those of client and server may quote what they were asked with.
"""

from __future__ import annotations

import functools
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from roomtour.errors import RoomtourError

INSTALL = 'pip install "roomtour[s3]"'
_CLIENT = {
    "client_options": {"allow_http": True, "connect_timeout": "10s", "timeout": "300s"},  # MinIO may speak http alone
    "retry_config": {"max_retries": 5, "retry_timeout": timedelta(seconds=60)},
}
_ROLES = "169.254.169.254"
"""Address at which a machine without keys asks for those of its role."""


@dataclass(frozen=True)
class Found:
    """A small object as it was read."""

    body: bytes
    etag: str
    """Names this version of it."""
    changed: datetime
    """By the server's clock."""


class Bucket:
    """Objects under `s3://BUCKET/PREFIX/`. Whoever lists or reads sees whole objects only."""

    def __init__(self, address: str):
        """Find the client; nothing is asked yet.

        Raises:
            RoomtourError: If the address is none, holds a secret, or the extra is not installed.
        """
        self.address = address.rstrip("/")
        self._s3, self._store = open_store(self.address, *_parse(self.address))

    def put_new(self, key: str, body: bytes) -> bool:
        """Make a small object, if there is none of this name; False if there is one, which stays as it is."""
        with self._told("put", key):
            try:
                self._s3.put(self._store, key, body, mode="create")
            except self._s3.exceptions.AlreadyExistsError:
                return False
        return True

    def replace(self, key: str, body: bytes, etag: str | None = None) -> str | None:
        """Put an object in place of whatever is there, or only in place of the version `etag`.

        Returns:
            Name of the new version; None if there was another than `etag`.
        """
        with self._told("put", key):
            try:
                return self._s3.put(self._store, key, body, mode={"e_tag": etag} if etag else "overwrite")["e_tag"]
            except (self._s3.exceptions.PreconditionError, FileNotFoundError):
                if etag:
                    return None
                raise

    def read(self, key: str) -> Found | None:
        """A small object; None if there is none."""
        with self._told("get", key):
            try:
                got = self._s3.get(self._store, key)
                return Found(bytes(got.bytes()), got.meta["e_tag"], got.meta["last_modified"])
            except FileNotFoundError as error:
                if _name(error) == "NoSuchBucket":
                    raise
                return None

    def read_clock(self) -> datetime:
        """What time it is there."""
        key = f".clock-{secrets.token_hex(4)}"
        self.replace(key, b"")
        clock = self.read(key)
        self.delete([key])
        if clock is None:
            raise RoomtourError(f"{self.address}/{key}: is gone as soon as it was put")
        return clock.changed

    def send(self, path: Path, key: str) -> None:
        """Make an object of a file, a large one in parts; it appears when the last has come, or not at all."""
        with self._told("put", key):
            self._s3.put(self._store, key, path)

    def fetch(self, key: str, to: Path) -> None:
        """Write an object to a file."""
        with self._told("get", key), to.open("wb") as file:
            for block in self._s3.get(self._store, key):
                file.write(block)

    def list_keys(self, prefix: str) -> list[str]:
        """Names of all objects of a folder, in order."""
        with self._told("list", prefix):
            return sorted(entry["path"] for some in self._s3.list(self._store, prefix) for entry in some)

    def delete(self, keys: Iterable[str]) -> None:
        """Remove objects; those that are gone already are no fault."""
        with self._told("delete", ""):
            self._s3.delete(self._store, list(keys))

    @contextmanager
    def _told(self, what: str, key: str) -> Iterator[None]:
        try:
            yield
        except (self._s3.exceptions.BaseError, OSError) as error:
            raise RoomtourError(_describe(f"{self.address}/{key}", what, error)) from error


@functools.cache
def open_store(address: str, bucket: str, prefix: str) -> tuple[Any, Any]:
    """The module of the client, and a store as its environment is at the first time; it is safe among threads."""
    try:
        import obstore
        from obstore.store import S3Store
    except ImportError as error:
        raise RoomtourError(f"{address}: needs the client of S3: {INSTALL}") from error
    try:
        return obstore, S3Store(bucket, prefix=prefix, **cast(Any, _CLIENT))
    except obstore.exceptions.BaseError as error:
        raise RoomtourError(_describe(address, "connect", error)) from error


_ADVICE = {
    "NoKeys": " (set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role)",
    "NoSuchBucket": " (make it first)",
    "GenericError": " (see AWS_ENDPOINT_URL and AWS_REGION)",
    "AccessDenied": " (needed: list, get, put and delete under this prefix)",
}


def _parse(address: str) -> tuple[str, str]:
    """Bucket, and what lies behind it."""
    try:
        parts = urlsplit(address)
    except ValueError as error:
        raise RoomtourError(f"no address of a bucket ({error}); need s3://BUCKET/PREFIX") from error
    if parts.query or parts.fragment or "@" in parts.netloc:
        raise RoomtourError(
            f"s3://{parts.netloc.rpartition('@')[2]}: holds a user, password or query; keys belong into the environment"
        )
    if parts.scheme != "s3" or not parts.netloc or not parts.path.strip("/"):
        raise RoomtourError(f"{address}: need s3://BUCKET/PREFIX, or a folder")
    return parts.netloc, parts.path.strip("/")


def _describe(where: str, what: str, error: Exception) -> str:
    name = _name(error)
    return f"{where}: {what} failed: {name}{_ADVICE.get(name, '')}"


def _name(error: Exception) -> str:
    """What the server calls it, else the client."""
    said = re.search(r"<Code>(\w+)</Code>", str(error))
    return "NoKeys" if _ROLES in str(error) else said[1] if said else type(error).__name__
