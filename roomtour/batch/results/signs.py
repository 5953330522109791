"""What machines tell a driver where they need not see the folder of its job: that they live, and how it ended.

It lies by tour, number of the attempt and name; nobody reads half of it. Where the storage cannot be reached,
RoomtourError or OSError is raised.
"""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path

from roomtour.batch.results.s3 import Bucket

OUTCOME, ALIVE = "outcome.json", "alive"


class FolderSigns:
    """In a folder that all machines share."""

    def __init__(self, storage: Path):
        self._root = storage / "signs"

    def tell(self, tour: str, attempt: int, name: str, body: bytes) -> None:
        """By a rename."""
        path = self._root / tour / str(attempt) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_name(f".{secrets.token_hex(4)}")
        aside.write_bytes(body)
        aside.replace(path)

    def read(self, tour: str, attempt: int, name: str) -> bytes | None:
        """The file."""
        try:
            return (self._root / tour / str(attempt) / name).read_bytes()
        except FileNotFoundError:
            return None

    def list_told(self, tour: str, name: str) -> set[int]:
        """Numbers of the attempts that told it."""
        return {int(path.parent.name) for path in (self._root / tour).glob(f"*/{name}")}

    def remove_attempt(self, tour: str, attempt: int) -> None:
        """The folder of the attempt."""
        shutil.rmtree(self._root / tour / str(attempt), ignore_errors=True)

    def remove(self, tour: str) -> None:
        """The folder of the tour."""
        shutil.rmtree(self._root / tour, ignore_errors=True)


class BucketSigns:
    """In a bucket, beside what attempts leave there."""

    def __init__(self, address: str):
        self._bucket = Bucket(address)

    def tell(self, tour: str, attempt: int, name: str, body: bytes) -> None:
        """As an object."""
        self._bucket.replace(f"{tour}/{attempt}/{name}", body)

    def read(self, tour: str, attempt: int, name: str) -> bytes | None:
        """The object."""
        found = self._bucket.read(f"{tour}/{attempt}/{name}")
        return found.body if found else None

    def remove(self, tour: str) -> None:
        """Every one of its objects that tells something."""
        keys = self._bucket.list_keys(f"{tour}/")
        self._bucket.delete(key for key in keys if key.rpartition("/")[2] in (OUTCOME, ALIVE))


Signs = FolderSigns | BucketSigns


def open_signs(storage: str) -> Signs:
    """Of a folder or a bucket.

    Raises:
        RoomtourError: As `Bucket` does.
    """
    return BucketSigns(storage) if "://" in storage else FolderSigns(Path(storage))
