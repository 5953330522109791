"""From a run folder on a machine's own disk to the storage of its job, stage by stage while a tour is made.

`fetch` makes a run folder of what an attempt begins with, if there is anything. `push` sends the stages that were
finished since the last call, and `with_rest` what belongs to no stage; nobody sees half of a stage. RoomtourError or
OSError is raised where that cannot be read or written; what was there stays.
"""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from roomtour.batch.results.object_storage import Index, Parcel, dump_index, fetch_run, index_key, load_index
from roomtour.batch.results.parcels import (
    REST,
    Finished,
    are_whole,
    digest,
    list_rest,
    pack,
    read_finished,
    snapshot_run,
)
from roomtour.batch.results.s3 import Bucket
from roomtour.batch.results.storage import is_bucket
from roomtour.files.records import write_json
from roomtour.store import MANIFEST

_PART = ".part"


class FolderMirror:
    """A folder that the machines share."""

    def __init__(self, folder: Path):
        self._folder = folder

    def fetch(self, run: Path) -> None:
        """Copy what is finished."""
        if self._folder.is_dir():
            snapshot_run(self._folder, run)

    def push(self, run: Path, *, with_rest: bool) -> None:
        """Strike out what is replaced, copy, rename, and only then name it in the manifest."""
        now = read_finished(run)
        if now is not None:
            self._push_stages(run, now)
        if with_rest and run.is_dir():
            for name in list_rest(run):
                if not _is_same(run / name, self._folder / name):
                    self._copy(run / name, self._folder / name)

    def _push_stages(self, run: Path, now: Finished) -> None:
        there = read_finished(self._folder)
        kept = {name: entry for name, entry in (there.stages if there else {}).items() if now.stages.get(name) == entry}
        new = [name for name in now.stages if name not in kept]
        if there is not None and not new and there.manifest == now.manifest:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        if there is not None and len(kept) < len(there.stages):
            stages = {name: there.manifest["stages"][name] for name in kept}
            write_json(self._folder / MANIFEST, {**there.manifest, "stages": stages})
        for stage in new:
            if not are_whole(run, now, [stage]):
                return  # it is being made anew at this moment
            for output in now.stages[stage].outputs:
                if (run / output).exists():
                    self._copy(run / output, self._folder / output)
        again = read_finished(run)
        if again is not None and all(again.stages.get(name) == now.stages[name] for name in new):
            write_json(self._folder / MANIFEST, now.manifest)

    def _copy(self, source: Path, target: Path) -> None:
        aside = self._folder / _PART / secrets.token_hex(4)
        aside.parent.mkdir(parents=True, exist_ok=True)
        try:
            if source.is_dir():
                shutil.copytree(source, aside, copy_function=_copy_to_disk)
            else:
                _copy_to_disk(source, aside)
            if target.is_dir():
                shutil.rmtree(target)
            target.parent.mkdir(parents=True, exist_ok=True)
            aside.replace(target)
        finally:
            shutil.rmtree(self._folder / _PART, ignore_errors=True)


class ObjectMirror:
    """Objects in a bucket, under the attempt's own prefix, and the index that names them."""

    def __init__(self, bucket: Bucket, tour: str, attempt: int, scratch: Path):
        """Send to `tour/attempt/` of the bucket; archives are made in `scratch`."""
        self._bucket, self._tour, self._attempt, self._scratch = bucket, tour, attempt, scratch
        self._index = Index(tour, attempt)

    def fetch(self, run: Path) -> None:
        """Unpack what the driver put into the index of this attempt."""
        key = index_key(self._tour, self._attempt)
        stored = self._bucket.read(key)
        if stored is not None:
            self._index = load_index(stored.body, key)
            fetch_run(self._bucket, self._index, run)

    def push(self, run: Path, *, with_rest: bool) -> None:
        """Send archives, then the index that names them."""
        now = read_finished(run)
        if now is None:
            return
        there = self._index.finished
        kept = [name for name in now.stages if there and there.stages.get(name) == now.stages[name]]
        new = [name for name in now.stages if name not in kept]
        parcels = {key: replace(parcel, holds=_keep(parcel.holds, kept)) for key, parcel in self._index.parcels.items()}
        parcels = {key: parcel for key, parcel in parcels.items() if parcel.holds}
        if new and are_whole(run, now, new):
            sent = self._send(run, new[-1], [name for stage in new for name in now.stages[stage].outputs], tuple(new))
            again = read_finished(run)
            if again is None or any(again.stages.get(name) != now.stages[name] for name in new):
                return  # it was made anew while we read; the next call sends it
            parcels |= sent
        elif new:
            return
        if with_rest:
            rest = [str(name) for name in list_rest(run)]
            parcels = {key: parcel for key, parcel in parcels.items() if parcel.holds != (REST,)}
            parcels |= self._send(run, REST, rest, (REST,)) if rest else {}
        index = Index(self._tour, self._attempt, dict(now.manifest), parcels)
        if index != self._index:
            self._bucket.replace(index_key(self._tour, self._attempt), dump_index(index))
            self._index = index

    def _send(self, run: Path, name: str, names: list[str], holds: tuple[str, ...]) -> dict[str, Parcel]:
        archive = self._scratch / f".{secrets.token_hex(4)}.tar"
        try:
            pack(run, names, archive)
            parcel = Parcel(digest(archive), holds)
            key = f"{self._tour}/{self._attempt}/{name}-{parcel.sha256[:16]}.tar"  # never written with other content
            self._bucket.send(archive, key)
            return {key: parcel}
        finally:
            archive.unlink(missing_ok=True)


Mirror = FolderMirror | ObjectMirror


def find_mirror(storage: str | None, folder: Path, tour: str, attempt: int, scratch: Path) -> Mirror:
    """Of an attempt, in a bucket or in a folder.

    Raises:
        RoomtourError: As `Bucket` does.
    """
    if storage is None or not is_bucket(storage):
        return FolderMirror(folder)
    return ObjectMirror(Bucket(storage), tour, attempt, scratch)


def _keep(holds: tuple[str, ...], stages: list[str]) -> tuple[str, ...]:
    return tuple(name for name in holds if name in stages or name == REST)


def _copy_to_disk(source: str | Path, target: str | Path) -> str:
    shutil.copy2(source, target)
    with open(target, "rb") as file:
        os.fsync(file.fileno())
    return str(target)


def _is_same(source: Path, target: Path) -> bool:
    with suppress(OSError):
        here, there = source.stat(), target.stat()
        return (here.st_size, int(here.st_mtime)) == (there.st_size, int(there.st_mtime))
    return False
