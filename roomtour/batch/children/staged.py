"""A child of an attempt that works on a disk of its own: `python -m roomtour.batch.children.staged SPEC.json`.

It fetches what the tour has, runs `phase` in a scratch folder, sends each finished stage to the storage of the job, and
says the outcome only once everything is there. It dies as its own child died.

Without words it stays, and lets large models look at one tour after the other: it reads a line `{"spec": ..., "log":
...}` per attempt and loads each model once. Whoever started it reads outcomes, kills it when it takes too much, and
starts another.
"""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from filelock import BaseFileLock, FileLock, Timeout

from instructions.perception.models.shelf import ModelShelf
from roomtour.batch.children.phase import die_with_parent, leave_outcome, run_phase
from roomtour.batch.records import Outcome
from roomtour.batch.results.mirror import Mirror, find_mirror
from roomtour.batch.results.parcels import list_rest
from roomtour.errors import RoomtourError
from roomtour.files.disk import require_room
from roomtour.files.records import write_json
from roomtour.store import LOG, MANIFEST

CHILD = ("-m", "roomtour.batch.children.phase")
_FOLDER, _OWNER = "roomtour-attempt-", ".owner"
_LOOK_EVERY_S = 0.5
_PUSH_EVERY_S = 5.0
"""Stages that are done sooner go together."""
_PUSH_REST_EVERY_S = 60.0
"""What a language model replied and large models saw is paid for, and worth more than what a CPU does."""
_TRIES, _PAUSE_S = 4, 5.0
"""Of sending, before the attempt is given up: storage may be away for a moment."""
_LEAST_BYTES = 64 << 20
"""Free on the scratch disk, for a tour to begin there."""


def main(words: Sequence[str]) -> int:
    """Process the tour that a specification names, or tours until there is nothing more to read; 0 for outcomes."""
    die_with_parent()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if words:
        return work_away(json.loads(Path(words[0]).read_text(encoding="utf-8")))
    shelf = ModelShelf(keeps_on_cpu=True)
    for number, line in enumerate(sys.stdin, 1):
        asked = json.loads(line)
        _write_to(Path(asked["log"]))
        print(f"tour {number} of process {os.getpid()}", flush=True)
        spec = json.loads(Path(asked["spec"]).read_text(encoding="utf-8"))
        if spec["scratch"] is None:
            leave_outcome(spec, run_phase(spec, shelf))
        else:
            work_away(spec, shelf)
    return 0


def _write_to(log: Path) -> None:
    """Let all output from here on, that of libraries as well, go to the log of the attempt."""
    sys.stdout.flush()
    sys.stderr.flush()
    with log.open("ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)


def work_away(spec: dict[str, Any], models: ModelShelf | None = None) -> int:
    """Process one tour in a scratch folder; 0 if an outcome was left.

    Args:
        spec: As the driver wrote it.
        models: If given, the phase runs in this process with these; else in a child, whose death is then ours.
    """
    try:
        base, lock = _make_folder(Path(spec["scratch"]))
    except OSError as error:
        return leave_outcome(spec, _put_down(error, "cannot begin"))
    with lock:
        try:
            return _work(spec, base, models)
        finally:
            shutil.rmtree(base, ignore_errors=True)


def _make_folder(scratch: Path) -> tuple[Path, BaseFileLock]:
    """One of our own; those that killed processes left are removed."""
    scratch.mkdir(parents=True, exist_ok=True)
    for left in scratch.glob(f"{_FOLDER}*"):
        with suppress(Timeout, OSError), FileLock(left / _OWNER, timeout=0):
            shutil.rmtree(left, ignore_errors=True)
    new = Path(tempfile.mkdtemp(prefix=".", dir=scratch))
    lock = FileLock(new / _OWNER)
    lock.acquire()
    base = new.rename(scratch / f"{_FOLDER}{new.name[1:]}")  # held before anybody can see it
    return base, lock


def _work(spec: dict[str, Any], base: Path, models: ModelShelf | None) -> int:
    run, outcome = base / "run", base / "outcome.json"
    try:
        require_room(base, _LEAST_BYTES)
        mirror = find_mirror(spec["storage"], Path(spec["run"]), spec["tour"], spec["attempt"], base)
        mirror.fetch(run)
    except (OSError, RoomtourError) as error:
        return leave_outcome(spec, _put_down(error, "cannot begin"))
    returncode = 0
    inner = {**spec, "run": str(run), "outcome": str(outcome)}
    if models is not None:
        leave_outcome(inner, run_phase(inner, models))
    else:
        returncode = _watch_child(inner, mirror, base)
    fault = _push_to_the_end(mirror, run)
    if returncode < 0:
        shutil.rmtree(base, ignore_errors=True)
        _die_by(-returncode)
    if not outcome.is_file():
        return returncode or 1
    said = Outcome(**json.loads(outcome.read_text(encoding="utf-8")))
    if fault is not None:
        said = fault
    elif said.state in ("refused", "lost") and shutil.disk_usage(base).free < _LEAST_BYTES:
        said = Outcome("lost", f"the scratch disk is full: {said.reason}", said.stage)
    return leave_outcome(spec, said)


def _watch_child(spec: dict[str, Any], mirror: Mirror, base: Path) -> int:
    """Run the phase in a child, and send what it finishes; how it ended."""
    path = base / "spec.json"
    write_json(path, spec)
    child = subprocess.Popen([sys.executable, *CHILD, str(path)])
    pushing = _Pushing(mirror, Path(spec["run"]))
    while child.poll() is None:
        pushing.push_when_due()
        time.sleep(_LOOK_EVERY_S)
    return child.returncode


class _Pushing:
    """Sends what is finished while the child works."""

    def __init__(self, mirror: Mirror, run: Path):
        self._mirror, self._run = mirror, run
        self._last = self._last_rest = time.monotonic()
        self._seen, self._seen_rest = 0, self._stamp_rest()

    def push_when_due(self) -> None:
        """If the manifest changed, or kept replies and the like did, and the last time was long enough ago."""
        try:
            changed = (self._run / MANIFEST).stat().st_mtime_ns
        except OSError:
            return
        now, rest = time.monotonic(), self._seen_rest
        if now - self._last_rest >= _PUSH_REST_EVERY_S:
            rest, self._last_rest = self._stamp_rest(), now
        with_rest = rest != self._seen_rest
        if not with_rest and (changed == self._seen or now - self._last < _PUSH_EVERY_S):
            return
        try:
            self._mirror.push(self._run, with_rest=with_rest)
            self._seen, self._seen_rest = changed, rest
        except (OSError, RoomtourError) as error:
            print(f"not sent yet: {error}", flush=True)
        self._last = time.monotonic()

    def _stamp_rest(self) -> int:
        """How many files there are that belong to no stage; the log alone is not worth sending."""
        return sum(name.name != LOG for name in list_rest(self._run))


def _push_to_the_end(mirror: Mirror, run: Path) -> Outcome | None:
    """What went wrong, or None."""
    for left in range(_TRIES - 1, -1, -1):
        try:
            mirror.push(run, with_rest=True)
            return None
        except (OSError, RoomtourError) as error:
            print(f"not sent: {error}", flush=True)
            if not left:
                return _put_down(error, "cannot send its result")
            time.sleep(_PAUSE_S)
    return None


def _put_down(error: Exception, what: str) -> Outcome:
    """The tour is not at fault: it is tried again, elsewhere if there is another machine."""
    is_full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
    return Outcome("lost", f"{what}: {'a disk is full: ' if is_full else ''}{error}"[:500])


def _die_by(number: int) -> None:
    """End as the child did, so that whoever watches sees its signal."""
    signal.signal(number, signal.SIG_DFL) if number not in (signal.SIGKILL, signal.SIGSTOP) else None
    os.kill(os.getpid(), number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
