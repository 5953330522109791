"""What goes between a run folder and the storage of a job: finished stages, also of a folder that somebody may still be
writing to, and the rest.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roomtour.errors import RoomtourError
from roomtour.files.fingerprint import find_damage
from roomtour.files.records import from_plain, read_json, write_json
from roomtour.stages.table import STAGES
from roomtour.store import MANIFEST, RunStore, StageEntry

REST = "rest"
"""Files that belong to no stage: the log, kept replies, results of models for single frames while they look."""


@dataclass(frozen=True)
class Finished:
    """What a run's manifest says is done, at one moment."""

    manifest: dict[str, Any]
    stages: dict[str, StageEntry]
    """Its entries, by stage."""


def read_finished(run: Path) -> Finished | None:
    """None as long as there is no manifest.

    Raises:
        RoomtourError: If it is no manifest.
    """
    path = run / MANIFEST
    return parse_finished(read_json(path), str(path)) if path.is_file() else None


def parse_finished(manifest: Any, where: str) -> Finished:
    """A manifest as finished stages; raises as `read_finished` does."""
    if not isinstance(manifest, dict) or "stages" not in manifest:
        raise RoomtourError(f"{where}: no manifest of a run")
    return Finished(manifest, from_plain(manifest["stages"], dict[str, StageEntry], where))


def are_whole(run: Path, finished: Finished, stages: Iterable[str]) -> bool:
    """Whether files of these stages are there, in the number and with the bytes that were written."""
    return not any(
        find_damage(run / output, print_, by_content=False)
        for stage in stages
        for output, print_ in finished.stages[stage].outputs.items()
        if output not in finished.stages[stage].dropped
    )


def list_rest(run: Path) -> Iterator[Path]:
    """Files of a run folder that no stage has to leave, relative to it; nothing hidden, nothing half written."""
    finished = read_finished(run)
    kept = [name for entry in finished.stages.values() for name in entry.outputs] if finished else []
    owned = {run / name for name in (*(name for stage in STAGES for name in stage.outputs), *kept, MANIFEST)}
    for folder, inner, names in os.walk(run):
        here = Path(folder)
        inner[:] = sorted(name for name in inner if not name.startswith(".") and here / name not in owned)
        for name in sorted(names):
            path = here / name
            is_half = name.startswith(".") or name.endswith((".part", "-wal", "-shm", "-journal"))
            if not is_half and path not in owned and path.is_file() and not path.is_symlink():
                yield path.relative_to(run)


def pack(run: Path, names: Iterable[str], to: Path) -> None:
    """Write files and folders of a run into one archive."""
    with tarfile.open(to, "w", format=tarfile.PAX_FORMAT) as archive:
        for name in names:
            if (run / name).exists():
                archive.add(run / name, arcname=name, filter=_plain)


def digest(archive: Path) -> str:
    """The sha256 of a file."""
    with archive.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def unpack(archive: Path, run: Path, names: Iterable[str] | None = None) -> None:
    """Put what an archive holds of these files and folders into a run folder; everything by default.

    Raises:
        RoomtourError: If it is no archive, or holds what does not belong into one.
    """
    wanted = None if names is None else tuple(names)
    run.mkdir(parents=True, exist_ok=True)
    try:
        with tarfile.open(archive, "r:") as opened:
            for member in opened:
                if wanted is None or _is_of(member.name, wanted):
                    _extract(opened, member, run)
    except tarfile.TarError as error:
        raise RoomtourError(f"{archive.name}: cannot be unpacked: {error}") from error


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo, run: Path) -> None:
    """One file or folder, inside the run folder. The filters of `tarfile` do as much from Python 3.11.4 on.

    Raises:
        TarError: If it is something else, or would lie elsewhere.
    """
    target = run / member.name
    if not target.resolve().is_relative_to(run.resolve()):
        raise tarfile.TarError(f"{member.name} would lie outside of {run.name}/")
    content = archive.extractfile(member) if member.isfile() else None
    if member.isdir():
        target.mkdir(parents=True, exist_ok=True)
    elif content is None:
        raise tarfile.TarError(f"{member.name} is neither a file nor a folder")
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        with content, target.open("wb") as file:
            shutil.copyfileobj(content, file)
        os.utime(target, (member.mtime, member.mtime))


def _is_of(name: str, wanted: tuple[str, ...]) -> bool:
    return any(name == folder or name.startswith(f"{folder}/") for folder in wanted)


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Files and folders only, without whose they are."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member if member.isfile() or member.isdir() else None


_TRIES = 5


def snapshot_run(run: Path, to: Path) -> tuple[str, ...]:
    """Copy what a run has finished. Whoever writes to `run` may go on, crash or wake up meanwhile.

    A writer strikes a stage out of the manifest before it touches what that stage left. So what the manifest names
    before and after the copy was whole in between. What a stage left that does not come over whole is left out.

    Args:
        run: A run folder; one without a manifest gives nothing.
        to: Folder to make.

    Returns:
        The stages that came over, in run order.

    Raises:
        RoomtourError: If `to` is there, or the run kept changing.
    """
    if to.exists():
        raise RoomtourError(f"{to}: is there already; a snapshot needs a folder of its own")
    for _ in range(_TRIES):
        before = _read(run / MANIFEST)
        if before is None:
            return ()
        shutil.rmtree(to, ignore_errors=True)
        try:
            _copy_finished(run, to)
        except OSError:  # something was moved while it was read
            if _read(run / MANIFEST) == before:
                raise
            continue
        if _read(run / MANIFEST) == before:
            (to / MANIFEST).write_bytes(before)
            return _strike_out_damaged(to)
    shutil.rmtree(to, ignore_errors=True)
    raise RoomtourError(f"{run}: kept changing while it was copied, {_TRIES} times; is a tour processed there now?")


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _copy_finished(run: Path, to: Path) -> None:
    """All but what unfinished stages left, and what belongs to the process that writes."""
    done = read_json(run / MANIFEST).get("stages", {})
    undone = {run / output for stage in STAGES if stage.name not in done for output in stage.outputs}
    to.mkdir(parents=True)
    for folder, inner, names in os.walk(run):
        here = Path(folder)
        inner[:] = [name for name in inner if not name.startswith(".") and here / name not in undone]
        for name in names:
            source = here / name
            if not name.startswith(".") and not name.endswith(".part") and source not in undone:
                target = to / source.relative_to(run)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)


def _strike_out_damaged(run: Path) -> tuple[str, ...]:
    """Take stages whose files are not as they were written, and all that rest on them, off the manifest."""
    manifest = read_json(run / MANIFEST)
    store, kept = RunStore(run), []
    for stage in STAGES:
        rests_on = [need for need in stage.needs if need in store.stages]
        if stage.name in store.stages and set(rests_on) <= set(kept) and not store.list_damage(stage.name, ()):
            kept.append(stage.name)
    manifest["stages"] = {name: entry for name, entry in manifest["stages"].items() if name in kept}
    write_json(run / MANIFEST, manifest)
    return tuple(kept)
