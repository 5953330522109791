"""A place in an S3 bucket. The only module that imports the client; keys come from its environment or role alone."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from roomtour.errors import RoomtourError

INSTALL = 'pip install "roomtour[s3]"'
_MOST_CONNECTIONS = 32
"""At once, of all threads."""
_MOST_DELETED = 1000
"""Objects that one request deletes at most."""
_IS_THERE = ("PreconditionFailed", "ConditionalRequestConflict", "412", "409")
_IS_ABSENT = ("NoSuchKey", "404", "NotFound")


@dataclass(frozen=True)
class Found:
    """A small object as it was read."""

    body: bytes
    etag: str
    """Names this version of it."""
    age_s: float
    """By the server's clock alone."""


class Bucket:
    """Objects under `s3://BUCKET/PREFIX/`. Whoever lists or reads sees whole objects only."""

    def __init__(self, address: str):
        """Find the client; nothing is asked yet.

        Raises:
            RoomtourError: If the address is none, holds a secret, or the extra is not installed.
        """
        self.address = address.rstrip("/")
        self._bucket, self._prefix = _parse(self.address)
        self._client, self._faults = _connect(address)

    def put_new(self, key: str, body: bytes) -> bool:
        """Make a small object, if there is none of this name; False if there is one, which stays as it is."""
        with self._told("put", key):
            try:
                self._put(key, body, IfNoneMatch="*")
            except self._faults as error:
                if _code(error) in _IS_THERE:
                    return False
                raise
        return True

    def replace(self, key: str, body: bytes, etag: str | None = None) -> str | None:
        """Put an object in place of whatever is there, or only in place of the version `etag`.

        Returns:
            Name of the new version; None if there was another than `etag`.
        """
        with self._told("put", key):
            try:
                return self._put(key, body, **({"IfMatch": etag} if etag else {}))["ETag"]
            except self._faults as error:
                if etag and _code(error) in (*_IS_THERE, *_IS_ABSENT):
                    return None
                raise

    def read(self, key: str) -> Found | None:
        """A small object; None if there is none."""
        with self._told("get", key):
            try:
                got = self._client.get_object(Bucket=self._bucket, Key=self._name(key))
            except self._faults as error:
                if _code(error) in _IS_ABSENT:
                    return None
                raise
            now = got["ResponseMetadata"]["HTTPHeaders"].get("date", "")
            return Found(got["Body"].read(), got["ETag"], _age_s(got["LastModified"], now))

    def send(self, path: Path, key: str) -> None:
        """Make an object of a file, a large one in parts; it appears when the last has come, or not at all."""
        with self._told("put", key):
            self._client.upload_file(str(path), self._bucket, self._name(key))

    def fetch(self, key: str, to: Path) -> None:
        """Write an object to a file."""
        with self._told("get", key):
            self._client.download_file(self._bucket, self._name(key), str(to))

    def list_keys(self, prefix: str) -> list[str]:
        """Names of all objects that begin so, in order."""
        with self._told("list", prefix):
            pages = self._client.get_paginator("list_objects_v2")
            start = len(self._prefix)
            return [
                one["Key"][start:]
                for page in pages.paginate(Bucket=self._bucket, Prefix=self._name(prefix))
                for one in page.get("Contents", ())
            ]

    def delete(self, keys: Iterable[str]) -> None:
        """Remove objects; those that are gone already are no fault."""
        names = [{"Key": self._name(key)} for key in keys]
        with self._told("delete", ""):
            for first in range(0, len(names), _MOST_DELETED):
                some = names[first : first + _MOST_DELETED]
                self._client.delete_objects(Bucket=self._bucket, Delete={"Objects": some, "Quiet": True})

    def drop_broken_uploads(self, prefix: str) -> None:
        """Give up what was sent in parts and never came to its end: nobody sees it, but it is paid for."""
        with self._told("list uploads", prefix):
            pages = self._client.get_paginator("list_multipart_uploads")
            for page in pages.paginate(Bucket=self._bucket, Prefix=self._name(prefix)):
                for one in page.get("Uploads", ()):
                    self._client.abort_multipart_upload(Bucket=self._bucket, Key=one["Key"], UploadId=one["UploadId"])

    def _put(self, key: str, body: bytes, **condition: str) -> Any:
        return self._client.put_object(Bucket=self._bucket, Key=self._name(key), Body=body, **condition)

    def _name(self, key: str) -> str:
        return self._prefix + key

    @contextmanager
    def _told(self, what: str, key: str) -> Iterator[None]:
        """Turn every fault of client or server into one line; their own words may quote what they were asked with."""
        try:
            yield
        except self._faults as error:
            code = _code(error) or type(error).__name__
            raise RoomtourError(f"{self.address}/{key}: {what} failed: {code}{_ADVICE.get(code, '')}") from error


@dataclass(frozen=True)
class ObjectFacts:
    """What a server says of an object."""

    bytes: int
    etag: str
    md5: str
    """Empty where the server does not tell."""


class Object:
    """One object that is only read, `s3://BUCKET/KEY`."""

    def __init__(self, address: str):
        """Find the client; nothing is asked yet.

        Raises:
            RoomtourError: If the address is none, holds a secret, or the extra is not installed.
        """
        self.address = address
        bucket, key = _parse(address, "KEY")
        self._where = {"Bucket": bucket, "Key": key.rstrip("/")}
        self._client, self._faults = _connect(address)

    def look(self) -> ObjectFacts | None:
        """What it is; None if there is none or it may not be read.

        Raises:
            RoomtourError: If there are no keys, or no such bucket.
            OSError: If the server cannot be reached.
        """
        try:
            told = self._client.head_object(**self._where)
        except self._faults as error:
            if _code(error) in (*_IS_ABSENT, "403", "AccessDenied"):
                return None
            raise self._fault(error) from error
        etag = told["ETag"]
        plain = etag.strip('"')
        is_md5 = re.fullmatch(r"[0-9a-f]{32}", plain) and told.get("ServerSideEncryption", "AES256") == "AES256"
        return ObjectFacts(int(told["ContentLength"]), etag, plain if is_md5 else "")

    def read(self, start: int, count: int, etag: str) -> bytes:
        """At most `count` bytes from `start` on, of the version that was looked at; fewer at its end.

        Raises:
            RoomtourError: If there is another version now, or none.
            OSError: If the server cannot be reached or breaks off.
        """
        if count <= 0:
            return b""
        try:
            asked = self._client.get_object(**self._where, Range=f"bytes={start}-{start + count - 1}", IfMatch=etag)
            return asked["Body"].read()
        except self._faults as error:
            code = _code(error)
            if code in ("InvalidRange", "416"):
                return b""
            if code in (*_IS_THERE, *_IS_ABSENT):
                raise RoomtourError(
                    f"{self.address}: was replaced since the job was planned; run the same command again"
                ) from error
            raise self._fault(error) from error

    def _fault(self, error: Exception) -> Exception:
        """Of the request for ever, or of this moment."""
        code = _code(error) or type(error).__name__
        line = f"{self.address}: get failed: {code}{_ADVICE.get(code, '')}"
        return RoomtourError(line) if code in ("NoCredentialsError", "NoSuchBucket", "AccessDenied") else OSError(line)


def _connect(address: str) -> tuple[Any, tuple[type[Exception], ...]]:
    """The client, and what it raises."""
    try:
        from boto3.exceptions import Boto3Error
        from botocore.exceptions import BotoCoreError, ClientError
    except ImportError as error:
        raise RoomtourError(f"{address}: needs the client of S3: {INSTALL}") from error
    try:
        return open_client(), (BotoCoreError, ClientError, Boto3Error)
    except (BotoCoreError, ValueError) as error:
        raise RoomtourError(f"{address}: connect failed: {type(error).__name__}") from error


@functools.cache
def open_client() -> Any:
    """The one client of this process, as its environment is at the first time; it is safe among threads."""
    import boto3
    from botocore.config import Config

    patience = Config(
        connect_timeout=10,
        read_timeout=60,
        retries={"max_attempts": 5, "mode": "standard"},
        max_pool_connections=_MOST_CONNECTIONS,
    )
    return boto3.Session().client("s3", config=patience)


_ADVICE = {
    "NoCredentialsError": " (set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role)",
    "NoSuchBucket": " (make it first)",
    "EndpointConnectionError": " (see AWS_ENDPOINT_URL)",
    "AccessDenied": " (needed: list, get, put and delete under this prefix)",
}


def _parse(address: str, rest: str = "PREFIX") -> tuple[str, str]:
    try:
        parts = urlsplit(address)
    except ValueError as error:
        raise RoomtourError(f"no address of a bucket ({error}); need s3://BUCKET/{rest}") from error
    if parts.query or parts.fragment or "@" in parts.netloc:
        raise RoomtourError(
            f"s3://{parts.netloc.rpartition('@')[2]}: holds a user, password or query; keys belong into the environment"
        )
    if parts.scheme != "s3" or not parts.netloc or not parts.path.strip("/"):
        raise RoomtourError(f"{address}: need s3://BUCKET/{rest}" + (", or a folder" if rest == "PREFIX" else ""))
    return parts.netloc, parts.path.strip("/") + "/"


def _code(error: Exception) -> str:
    response = getattr(error, "response", None)
    return str(response.get("Error", {}).get("Code", "")) if isinstance(response, dict) else ""


def _age_s(changed: datetime, now: str) -> float:
    from email.utils import parsedate_to_datetime

    return (parsedate_to_datetime(now) - changed).total_seconds() if now else 0.0
