"""The run folder: stage keys, outputs written aside and renamed, one writer at a time.

Rule of the folder: what the manifest calls done is complete. A stage writes into a folder of its own in `.part/`; then
its entry (and those of all later stages) leaves the manifest, what it left before is moved aside and its outputs are
renamed into place, its entry is written, and only then the old is deleted. Killing the process at any moment loses at
most the stage in progress.

A lock keeps a second process out. On a network folder a lock can be lost while its holder is frozen; so a stage whose
folder is gone is not committed, and a manifest that somebody else has written since is left as it is.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock, Timeout

from recon.findings import Finding
from roomtour.errors import RoomtourError
from roomtour.files.fingerprint import Fingerprint, find_damage, fingerprint
from roomtour.files.paths import require_plain_files, require_usable_path
from roomtour.files.records import from_plain, read_json, to_plain, write_json

MANIFEST = "manifest.json"
MANIFEST_FORMAT = 1
IMPORTED = "imported"
"""Fact of a run that `roomtour import` made: its format. It has no reconstruction, and is made anew by its import."""
_STRETCHES = "stretches"
_LOCK, _HOLDER = ".lock", ".holder"
LOG = "log.jsonl"
"""What was done when, and what failed why."""
_PART, _OLD = ".part", ".old"
_OURS = {MANIFEST, MANIFEST + ".part", _PART, _LOCK, _HOLDER, LOG}


Keep = Literal["all", "exports"]
"""What stays of a finished run: everything, or what any later command reads."""
KEEPS: tuple[Keep, ...] = ("exports", "all")
"""The default comes first."""


@dataclass(frozen=True)
class StageEntry:
    """What the manifest says of one finished stage."""

    key: str
    seconds: float
    cpu_seconds: float
    finished: str
    """UTC time, ISO 8601."""
    counts: dict[str, int | float | str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    outputs: dict[str, Fingerprint] = field(default_factory=dict)
    """What the stage wrote, by path in the run folder."""
    host: str = ""
    """Machine that made it."""
    peak_mb: float = 0.0
    """Most resident memory of its process up to the end of the stage, in 10^6 bytes; without processes that helped."""
    attempt: int = 0
    """Of a job, in which it was made; 0 outside of jobs."""
    gpu_seconds: float = 0.0
    """Seconds of the clock for which its networks had a GPU; 0 without one."""
    unanswered: int = 0
    """Questions to a language model that brought no usable reply; the same command asks them again."""
    dropped: tuple[str, ...] = ()
    """Outputs that were removed to save room (unless `--keep all`); the stage counts as done all the same."""


@dataclass(frozen=True)
class Stretches:
    """By what factors reconstructions found that the pictures are to be made wider, the one that is taken last."""

    sample: str = ""
    """Key of the frames that they were found for; of other frames they say nothing."""
    factors: tuple[float, ...] = ()


def result_key(stage: str, code: str, input_keys: Sequence[str], options: object) -> str:
    """Name a result by what made it: stage, digest of its code, inputs and options. 16 hex digits."""
    identity = [stage, code, list(input_keys), options]
    return sha256(json.dumps(identity, sort_keys=True, default=_plain).encode()).hexdigest()[:16]


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return os.fspath(value)  # type: ignore[arg-type]  # json hands over only what it does not know


class RunStore:
    """One run folder, held by one process."""

    def __init__(self, root: Path):
        self.root = root
        self.facts: dict[str, Any] = {}
        self.stages: dict[str, StageEntry] = {}
        self.unfinished: dict[str, Finding] = {}
        """By stage, why the last run could not make its rows; what it made before stays."""
        self.stretches = Stretches()
        self._part = root / _PART / "none"
        self._seen: bytes | None = None
        """The manifest as we read or wrote it last."""
        if (root / MANIFEST).exists():
            require_plain_files(root)
            self._read()

    @property
    def part(self) -> Path:
        """Where the stage in progress writes; a folder that no other process uses."""
        return self._part

    @contextmanager
    def opened(self) -> Iterator[RunStore]:
        """Make or continue the folder and hold its lock.

        Raises:
            RoomtourError: If it cannot be written, holds files of something else, or another process works in it.
        """
        self._require_ours()
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.root / _LOCK).acquire(blocking=False)
        except Timeout as error:
            raise RoomtourError(
                f"--out {self.root}: another process{self._holder()} is working in this run folder"
            ) from error
        except OSError as error:
            raise RoomtourError(f"--out {self.root}: cannot be written: {error.strerror or error}") from error
        with lock:
            if (self.root / MANIFEST).exists():
                self._read()
            self._clear_part()
            holder = self.root / _HOLDER
            ours = f"{os.getpid()} on {socket.gethostname()}\n"
            holder.write_text(ours, encoding="utf-8")
            try:
                yield self
            finally:
                if holder.is_file() and holder.read_text(encoding="utf-8") == ours:
                    holder.unlink(missing_ok=True)

    def _holder(self) -> str:
        """Which process holds the lock; a killed one leaves its line, but no lock, and the next writes its own."""
        try:
            return f" ({(self.root / _HOLDER).read_text(encoding='utf-8').strip()})"
        except OSError:  # it has not said so yet
            return ""

    @property
    def imported_as(self) -> str | None:
        """The format that the run was imported from; None for a run of a tour."""
        return self.facts.get(IMPORTED)

    def find_stretch(self) -> float:
        """By what factor the pictures are made wider, as an earlier reconstruction of the same frames found."""
        return self.stretches.factors[-1] if self.stretches.factors else 1.0

    def stretch_pictures(self, sample_key: str, factor: float) -> None:
        """Note another factor, and let all stages run again; `sample_key` names the frames that it is for."""
        self.stretches = Stretches(sample_key, (*self.stretches.factors, factor))
        self.forget([*self.stages])

    @property
    def has_dropped(self) -> bool:
        """Whether anything was dropped from the run."""
        return any(entry.dropped for entry in self.stages.values())

    def keep_stages(self, names: Sequence[str]) -> None:
        """Forget stages that this version does not have, and bring the others into this order."""
        self.stages = {name: self.stages[name] for name in names if name in self.stages}

    def is_done(self, stage: str, key: str) -> bool:
        """Whether the folder holds the result of this stage under this key, and no question is to be asked again."""
        entry = self.stages.get(stage)
        return entry is not None and entry.key == key and not entry.unanswered

    def list_damage(self, stage: str, outputs: Sequence[str], *, by_content: bool = False) -> tuple[str, ...]:
        """What is wrong with the results of a finished stage: missing, or not as they were written.

        Args:
            stage: A stage that is done.
            outputs: What it has to have left.
            by_content: Read the files; else they are only counted and their sizes added up.
        """
        return tuple(
            f"{output}: {damage}" for output, damage in self._find_damage(stage, outputs, by_content=by_content).items()
        )

    def _find_damage(self, stage: str, outputs: Sequence[str], *, by_content: bool) -> dict[str, str]:
        written, dropped = self.stages[stage].outputs, self.stages[stage].dropped
        expected = (*written, *(outputs if self.imported_as is None else ()))  # a source leaves what it has
        damages = {
            output: find_damage(self.root / output, written[output], by_content=by_content)
            if output in written
            else (None if (self.root / output).exists() else "missing")
            for output in expected
            if output not in dropped
        }
        return {output: damage for output, damage in damages.items() if damage is not None}

    def remove_damaged(self, stage: str, outputs: Sequence[str], *, by_content: bool) -> None:
        """Remove damaged folders that the stage fills in place, so that it computes what they held.

        `outputs`, which it writes aside and replaces, stay until then.
        """
        for output in self._find_damage(stage, outputs, by_content=by_content).keys() - set(outputs):
            shutil.rmtree(self.root / output, ignore_errors=True)

    def begin(self) -> Path:
        """An empty folder for the stage in progress."""
        self._clear_part()
        self._part = self.root / _PART / uuid.uuid4().hex[:8]
        self._part.mkdir(parents=True)
        return self._part

    def commit(
        self, stage: str, entry: StageEntry, outputs: Sequence[str], later: Sequence[str], kept: Sequence[str] = ()
    ) -> None:
        """Put a finished stage's outputs in place.

        Args:
            stage: Its name.
            entry: What the manifest says of it, without `outputs`.
            outputs: What it wrote aside.
            later: Stages whose results depend on it. They are forgotten, unless the stage left what it had left before:
                then it was made anew because files were damaged, and theirs are as good as they were.
            kept: Folders that it filled in place, and that its results rest on.

        Raises:
            RoomtourError: If an output is missing where the stage wrote, or another process has worked in the folder
                since: then nothing is changed.
        """
        self._require_whole(stage, outputs)
        written = {output: fingerprint(self.part / output) for output in outputs}
        entry = replace(entry, outputs=written | {folder: fingerprint(self.root / folder) for folder in kept})
        before = self.stages.pop(stage, None)
        if before is None or (before.key, before.outputs) != (entry.key, entry.outputs):
            for name in later:
                self.stages.pop(name, None)
        self._exchange({stage: entry}, outputs)

    def commit_all(self, entries: Mapping[str, StageEntry], outputs: Mapping[str, Sequence[str]]) -> None:
        """Put everything in place that an import wrote, in place of whatever the folder held.

        Args:
            entries: By stage, in run order.
            outputs: What each of them left, files and folders that are there.
        """
        for name in entries:
            self._require_whole(name, outputs[name])
        filled = {
            name: replace(entry, outputs={output: fingerprint(self.part / output) for output in outputs[name]})
            for name, entry in entries.items()
        }
        self.stages = {}
        self._exchange(filled, [output for name in entries for output in outputs[name]])

    def _exchange(self, entries: Mapping[str, StageEntry], outputs: Sequence[str]) -> None:
        """Put outputs in place between a manifest without their stages and one with them."""
        self.write()
        self._put_in_place(outputs)
        self.stages |= entries
        self.unfinished = {name: why for name, why in self.unfinished.items() if name not in entries}
        self.write()
        self._clear_part()

    def _require_whole(self, stage: str, outputs: Sequence[str]) -> None:
        """Refuse to put anything in place for a stage that did not leave all it has to leave."""
        missing = [output for output in outputs if not (self.part / output).exists()]
        if missing:
            raise RoomtourError(
                f"{self.root}: stage {stage} left no {missing[0]}, so what was there stays. Another process may have "
                "taken over this folder: see that only one works in it, and run the same command again"
            )

    def _put_in_place(self, outputs: Sequence[str]) -> None:
        """Move what is there aside, and what the stage wrote to its place; the old goes with the stage's folder."""
        aside = self.part / _OLD
        for number, output in enumerate(outputs):
            target = self.root / output
            above = [path for path in target.parents if path.is_relative_to(self.root)]
            no_folders = [path for path in above if not path.is_dir()]  # a file, or a link that leads nowhere
            for depth, path in enumerate((target, *no_folders)):
                if os.path.lexists(path):
                    aside.mkdir(exist_ok=True)
                    path.replace(aside / f"{number}-{depth}")
            target.parent.mkdir(parents=True, exist_ok=True)
            (self.part / output).replace(target)

    def leave_unfinished(self, stage: str, why: Finding) -> None:
        """Note that a stage could not be made now; what it made before, and its key, stay."""
        self.unfinished[stage] = why
        self.write()
        self._clear_part()

    def forget(self, stages: Sequence[str]) -> None:
        """Let these stages run again; their files stay until they are replaced."""
        for name in stages:
            self.stages.pop(name, None)
        self.write()

    def write(self) -> None:
        """Write the manifest.

        Raises:
            RoomtourError: If another process wrote it since we read or wrote it.
        """
        if _read_bytes(self.root / MANIFEST) != self._seen:
            raise RoomtourError(
                f"{self.root}: another process has written {MANIFEST} meanwhile; its results stay, and those of this "
                "process are left out. See that only one works in this folder, and run the same command again"
            )
        write_json(
            self.root / MANIFEST,
            {
                "format": MANIFEST_FORMAT,
                **self.facts,
                "stages": {name: to_plain(entry, StageEntry) for name, entry in self.stages.items()},
                "unfinished": {name: to_plain(why, Finding) for name, why in self.unfinished.items()},
                **({_STRETCHES: to_plain(self.stretches, Stretches)} if self.stretches.factors else {}),
            },
        )
        self._seen = _read_bytes(self.root / MANIFEST)

    def _read(self) -> None:
        path = self.root / MANIFEST
        self._seen = _read_bytes(path)
        try:
            values = read_json(path)
        except RoomtourError as error:
            raise RoomtourError(
                f"{error}. Without it nobody can tell which results are whole: process the tour into a new folder."
            ) from error
        if not isinstance(values, dict) or values.get("format") != MANIFEST_FORMAT:
            stated = values.get("format") if isinstance(values, dict) else type(values).__name__
            raise RoomtourError(
                f"{path}: manifest format {stated!r}, this version reads {MANIFEST_FORMAT}. "
                "Process the tour into a new folder."
            )
        stages = from_plain(values.get("stages", {}), dict[str, StageEntry], str(path))
        for stage, entry in stages.items():
            for output in entry.outputs:
                if Path(output).is_absolute() or ".." in Path(output).parts:
                    raise RoomtourError(f"{path}: stage {stage} names {output!r}, outside the run folder")
        self.stages = dict(stages)
        self.unfinished = dict(from_plain(values.get("unfinished", {}), dict[str, Finding], str(path)))
        self.stretches = from_plain(values.get(_STRETCHES, {}), Stretches, str(path))
        ours = ("format", "stages", "unfinished", _STRETCHES)
        self.facts = {key: value for key, value in values.items() if key not in ours}

    def _require_ours(self) -> None:
        require_usable_path(self.root, "--out")
        if self.root.is_symlink() and not self.root.exists():
            raise RoomtourError(f"--out {self.root}: is a link to nothing")
        if self.root.exists() and not self.root.is_dir():
            raise RoomtourError(f"--out {self.root}: is a file, need a folder")
        if not self.root.exists() or (self.root / MANIFEST).exists():
            return
        try:
            foreign = sorted(entry.name for entry in self.root.iterdir() if entry.name not in _OURS)
        except OSError as error:
            raise RoomtourError(f"--out {self.root}: cannot be read: {error.strerror or error}") from error
        if foreign:
            more = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
            raise RoomtourError(
                f"--out {self.root}: holds what is not of a run ({foreign[0]!r}{more}). Choose an empty or new folder."
            )

    def _clear_part(self) -> None:
        if (self.root / _PART).exists():
            shutil.rmtree(self.root / _PART)


def _read_bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
