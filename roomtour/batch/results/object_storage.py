"""The results of a job in an S3 bucket: no renames there, so what counts is what an index names.

`NAME/N/STAGE-DIGEST.tar` holds what stages of attempt N left, named by its content. `NAME/N/attempt.json` is the index
of the attempt, written by its machine alone after the objects it names. `NAME/manifest.json` is the index of the
tour's result, written by the driver alone. Whoever reads an index sees whole results, whatever is being sent beside it.
"""

from __future__ import annotations

import json
import os
import platform
import secrets
import shutil
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from roomtour.batch.records import Attempt, Survey
from roomtour.batch.results.parcels import REST, Finished, digest, parse_finished, unpack
from roomtour.batch.results.s3 import Bucket
from roomtour.errors import RoomtourError
from roomtour.files.records import from_plain, group_by, parse_json, to_plain, write_json
from roomtour.store import MANIFEST

_DRIVER, _INDEX = "driver.json", "attempt.json"
_TELL_S, _STALE_S = 10.0, 60.0
"""A driver gives a sign so often; one that gave none for so long may be replaced."""


@dataclass(frozen=True)
class Parcel:
    """One archive of an attempt."""

    sha256: str
    holds: tuple[str, ...]
    """Stages whose outputs are taken out of it, or `rest`."""


@dataclass(frozen=True)
class Index:
    """What an attempt, or a tour, has."""

    tour: str
    attempt: int
    manifest: dict[str, Any] | None = None
    """Of the run folder; None before the first stage is done."""
    parcels: dict[str, Parcel] = field(default_factory=dict)
    """By object."""

    @property
    def finished(self) -> Finished | None:
        """What the manifest says is done."""
        return parse_finished(self.manifest, f"index of {self.tour}") if self.manifest else None


def index_key(name: str, attempt: int) -> str:
    """Where the index of an attempt lies."""
    return f"{name}/{attempt}/{_INDEX}"


def dump_index(index: Index) -> bytes:
    """As it is stored."""
    return json.dumps(to_plain(index, Index)).encode()


def load_index(body: bytes, where: str) -> Index:
    """Read one.

    Raises:
        RoomtourError: If it is none.
    """
    try:
        return from_plain(parse_json(body), Index, where)
    except ValueError as error:
        raise RoomtourError(f"{where}: no index of a run: {error}") from error


def fetch_run(bucket: Bucket, index: Index, run: Path) -> None:
    """Make a run folder out of what an index names; the manifest comes last.

    Raises:
        RoomtourError: If an object is gone or not what was sent.
    """
    run.mkdir(parents=True, exist_ok=True)
    finished = index.finished
    for key, parcel in index.parcels.items():
        archive = run / f".{secrets.token_hex(4)}.tar"
        try:
            bucket.fetch(key, archive)
            if digest(archive) != parcel.sha256:
                raise RoomtourError(f"{bucket.address}/{key}: is not what was sent")
            entries = [finished.stages[stage] for stage in parcel.holds if finished and stage in finished.stages]
            names = [name for entry in entries for name in entry.outputs]
            unpack(archive, run, None if parcel.holds == (REST,) else names)
        finally:
            archive.unlink(missing_ok=True)
    if index.manifest is not None:
        write_json(run / MANIFEST, index.manifest)


class ObjectStorage:
    """What the driver does with the bucket."""

    def __init__(self, address: str, job: Path):
        self._bucket, self._job = Bucket(address), job
        self._driver: str | None = None
        self._told = 0.0

    @property
    def address(self) -> str:
        """Of the bucket."""
        return self._bucket.address

    def hold(self) -> bool:
        """Take the one place of a driver, by puts that fail if anybody else put there meanwhile."""
        ours = _sign()
        is_unseen = not self._bucket.put_new(_DRIVER, ours)
        if is_unseen:
            self._replace_stale(ours)
        there = self._bucket.read(_DRIVER)
        if there is None or there.body != ours:
            raise RoomtourError(f"{self.address}: another process runs this job now")
        if self._bucket.put_new(_DRIVER, ours):
            raise RoomtourError(
                f"{self.address}: this storage writes over objects that it was asked to keep (If-None-Match), so two "
                "drivers could spoil each other's results; use one that does not, such as AWS or MinIO"
            )
        self._driver, self._told = there.etag, time.monotonic()
        return is_unseen

    def require_hold(self) -> None:
        """Put another sign in place of our last, every ten seconds."""
        if self._driver is None or time.monotonic() - self._told < _TELL_S:
            return
        self._driver = self._bucket.replace(_DRIVER, _sign(), self._driver)
        if self._driver is None:
            raise RoomtourError(f"{self.address}: another driver took this job over; this one ends")
        self._told = time.monotonic()

    def place(self, name: str, number: int) -> Path:
        """A path that names it; nothing lies there."""
        return self._job / "attempts" / f"{name}.{number}"

    def release(self) -> None:
        """Remove our sign."""
        if self._driver is not None:
            self._bucket.delete([_DRIVER])
            self._driver = None

    def survey(self) -> Survey:
        """By the names of all objects."""
        keys = self._bucket.list_keys("")
        results = {name for name, *rest in (key.split("/") for key in keys) if rest == [MANIFEST]}
        by_tour = group_by(keys, lambda key: key.partition("/")[0])
        attempts = {name: max(numbers) for name, own in by_tour.items() if (numbers := _attempts_of(own))}
        return Survey(results, attempts)

    def read_result(self, name: str) -> Index | None:
        """What a tour's result is."""
        return self._read(f"{name}/{MANIFEST}")

    def fetch(self, name: str, run: Path) -> None:
        """Unpack the result of a tour into a run folder of its own.

        Raises:
            RoomtourError: If there is no such result, or `run` is there.
        """
        index = self.read_result(name)
        if index is None:
            raise RoomtourError(f"{self.address}: has no result of a tour {name}")
        if run.exists():
            raise RoomtourError(f"{run}: is there already; move it away to fetch it anew")
        aside = run.with_name(f".{run.name}.part")
        shutil.rmtree(aside, ignore_errors=True)
        fetch_run(self._bucket, index, aside)
        aside.rename(run)

    def take_over(self, attempt: Attempt, *, is_gone: bool) -> None:
        """Copy the newest index of the tour: objects stay as they are, whoever may still be writing others."""
        name = attempt.task.tour.name
        numbers = sorted(_attempts_of(self._bucket.list_keys(f"{name}/")))
        numbers = [number for number in numbers if number < attempt.number]
        begin = self.read_result(name)
        if numbers and (begin is None or begin.attempt < numbers[-1]):  # else it is from one that was given up
            begin = self._read(index_key(name, numbers[-1])) or begin
        if begin is not None:
            self._bucket.replace(index_key(name, attempt.number), dump_index(replace(begin, attempt=attempt.number)))

    def publish(self, attempt: Attempt) -> None:
        """Put the index of the attempt in the tour's place."""
        name = attempt.task.tour.name
        index = self._read(index_key(name, attempt.number))
        if index is not None:
            self._bucket.replace(f"{name}/{MANIFEST}", dump_index(index))

    def remove_lost(self, attempt: Attempt) -> list[int]:
        """Delete every object of the tour that its result does not name; none tells that it ended."""
        name = attempt.task.tour.name
        result = self.read_result(name)
        named = {f"{name}/{MANIFEST}", *(result.parcels if result else ())}
        self._bucket.delete(key for key in self._bucket.list_keys(f"{name}/") if key not in named)
        return []

    def forget(self, name: str) -> list[str]:
        """Every object of the tour, and its logs."""
        keys = self._bucket.list_keys(f"{name}/")
        self._bucket.delete(keys)
        logs = self._job / "logs" / name
        if logs.is_dir():
            shutil.rmtree(logs)
        return [f"{self.address}/{key}" for key in keys]

    def _replace_stale(self, ours: bytes) -> None:
        there = self._bucket.read(_DRIVER)
        if there is not None and (self._bucket.read_clock() - there.changed).total_seconds() > _STALE_S:
            self._bucket.replace(_DRIVER, ours, there.etag)

    def _read(self, key: str) -> Index | None:
        index = self._bucket.read(key)
        return load_index(index.body, f"{self.address}/{key}") if index else None


def _sign() -> bytes:
    """Other bytes each time."""
    return json.dumps({"host": platform.node(), "process": os.getpid(), "word": secrets.token_hex(8)}).encode()


def _attempts_of(keys: list[str]) -> set[int]:
    parts = (key.split("/") for key in keys)
    return {int(part[1]) for part in parts if len(part) == 3 and part[1].isdecimal() and part[2] == _INDEX}
