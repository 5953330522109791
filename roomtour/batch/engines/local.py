"""Attempts on this machine. The parent watches memory and progress of each child, and sees how it died.

The phase that looks runs in processes that keep their networks loaded and take one attempt after the other.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from roomtour.batch.engines.engine import Engine
from roomtour.batch.engines.gate import VARIABLE, GateSocket, HeldGate
from roomtour.batch.records import Attempt, Death, Ended, Need
from roomtour.batch.retries import read_said
from roomtour.workers.machine import count_cores, free_memory_mb, list_gpus

IDLE_S = 1800.0
"""Without progress, after which a tour is stopped."""
_LOOK_EVERY_S = 0.25
_LAST_WORDS = 4096
_TIMES_EXPECTED = 20.0
"""A child that ran so many times what it was expected to take is stopped. Seconds on the clock against CPU-seconds:
generous, for a machine may be busy."""
_LEAST_TIME_S = 1800.0
_STEP_TIMES, _LEAST_STEP_S = 3.0, 300.0
"""A child may go without progress for so many times what its whole tour is expected to take, and for so long at least,
within the limit that was asked for. Stages tell of their progress often: the longest silence is some tenths of a tour.
"""
_STANDS_S, _STANDS_CPU_S = 300.0, 3.0
"""A child without progress that took less than so many CPU-seconds in so many seconds waits for what never comes: it
works on a tour, and asks nobody. Those that may wait are left to the other limit."""
_HELD_UP = "DTt"
"""States of a process that waits for a disk, or that somebody stopped."""
_MB = 1e6


@dataclass
class _Child:
    attempt: Attempt
    process: subprocess.Popen[bytes]
    started: float
    peak_mb: float = 0.0
    stopped: Death | None = None
    looker: Looker | None = None
    """If its process stays for other attempts."""
    cpu_before: float = 0.0
    """That its process took for those before."""
    awake: tuple[float, float] = (0.0, 0.0)
    """When it was last seen at work, and what it had taken by then."""


class LocalEngine(Engine):
    """So many children at once on this machine, which end with the process that started them."""

    sees_death = True

    def __init__(
        self,
        slots: int | None = None,
        memory_mb: float | None = None,
        idle_s: float = IDLE_S,
        gate: HeldGate | None = None,
    ):
        """`slots` children at most, with `memory_mb` of resident memory for all: all cores and what is free if None.

        One that shows no progress for `idle_s` seconds is stopped. Language servers are asked through `gate`.
        """
        self.slots = count_cores() if slots is None else slots
        self.memory_mb = free_memory_mb() if memory_mb is None else memory_mb
        self._idle_s = idle_s
        self._children: list[_Child] = []
        self._idle_lookers: list[Looker] = []
        self._gate = GateSocket(gate) if gate is not None else None
        self._gpus = list_gpus()
        self._started = 0

    def has_room(self, running: Sequence[Need], need: Need) -> bool:
        """Whether a slot is free, expected memory, and its share of a GPU; the first of all always starts."""
        if need.gpu and self._gpus and running:
            shares = len(self._gpus) * int(1 / need.gpu + 1e-9)
            if sum(beside.gpu > 0 for beside in running) >= shares:
                return False
        fits = sum(beside.memory_mb for beside in running) + need.memory_mb <= self.memory_mb
        is_free = sum(beside.slots for beside in running) + need.slots <= self.slots
        return not running or (is_free and fits)

    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        """Start a child in a session of its own, so that its descendants can be ended with it."""
        attempt.log.parent.mkdir(parents=True, exist_ok=True)
        threads = str(attempt.need.workers)
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        environment = {**os.environ, **dict.fromkeys(names, threads)}
        if self._gate is not None:
            environment[VARIABLE] = self._gate.address
        if attempt.phase.name == "look":
            self._look(attempt, command, environment)
            return
        process = _start(command, environment, attempt.log, subprocess.DEVNULL)
        self._children.append(_Child(attempt, process, time.monotonic()))

    def wait(self, timeout_s: float) -> list[Ended]:
        """Watch the children; returns as soon as one ended."""
        until = time.monotonic() + timeout_s
        while True:
            ended = [done for child in list(self._children) if (done := self._look_at(child)) is not None]
            if ended or time.monotonic() >= until or not self._children:
                return ended
            time.sleep(_LOOK_EVERY_S)

    def cancel(self) -> None:
        """Kill every child and wait until it is gone."""
        processes = [holder.process for holder in (*self._children, *self._idle_lookers)]
        for process in processes:
            _kill(process)
        for process in processes:
            process.wait()
        self._children.clear()
        self._idle_lookers.clear()
        if self._gate is not None:
            self._gate.close()

    def _look(self, attempt: Attempt, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Give an attempt to a child that has its models loaded, or to a new one."""
        if self._idle_lookers:
            looker = self._idle_lookers.pop()
        else:
            gpu = {"CUDA_VISIBLE_DEVICES": self._gpus[self._started % len(self._gpus)]} if self._gpus else {}
            # What it says before its first tour goes to the log of that.
            looker = Looker(_start(command[:-1], {**environment, **gpu}, attempt.log, subprocess.PIPE))
            self._started += 1
        before = looker.cpu_s() if looker.tours else 0.0
        looker.give(Path(command[-1]), attempt.log)
        self._children.append(_Child(attempt, looker.process, time.monotonic(), looker=looker, cpu_before=before))

    def _put_back(self, child: _Child, looker: Looker) -> Ended | None:
        """Whether a child that stays is done with its attempt."""
        if not child.attempt.outcome.is_file():
            return None
        peak_mb = max(child.peak_mb, _memory_mb(looker.process.pid, "VmRSS"))
        ended = self._end(child, "exit", looker.cpu_s(), peak_mb)
        if looker.is_worn(_memory_mb(looker.process.pid, "VmRSS")):
            looker.end()
            looker.process.wait()
        else:
            self._idle_lookers.append(looker)
        return ended

    def _look_at(self, child: _Child) -> Ended | None:
        pid, status, usage = os.wait4(child.process.pid, os.WNOHANG)
        if pid == 0:
            self._watch(child)
            return self._put_back(child, child.looker) if child.looker is not None and not child.stopped else None
        child.process.returncode = os.waitstatus_to_exitcode(status)  # reaped here, so Popen must not wait for it
        _kill(child.process)  # what it started itself
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        death = child.stopped or ("signal" if number else "exit")
        # wait4's own figure of memory begins with that of the parent it was forked from
        return self._end(child, death, usage.ru_utime + usage.ru_stime, child.peak_mb, number)

    def _end(self, child: _Child, death: Death, cpu_s: float, peak_mb: float, number: int = 0) -> Ended:
        self._children.remove(child)
        return Ended(
            attempt=child.attempt,
            death=death,
            signal=number,
            seconds=round(time.monotonic() - child.started, 3),
            cpu_s=round(cpu_s - child.cpu_before, 3),
            peak_mb=round(peak_mb, 1),
            last_words=_tail(child.attempt.log),
            said=read_said(child.attempt),
        )

    def _watch(self, child: _Child) -> None:
        """Stop a child that took too much memory, shows no progress or never ends."""
        if child.stopped:
            return
        resident = _memory_mb(child.process.pid, "VmRSS")
        child.peak_mb = max(child.peak_mb, _memory_mb(child.process.pid, "VmHWM" if child.looker is None else "VmRSS"))
        took = time.monotonic() - child.started
        silent_s = min(took, _age_s(child.attempt.events, took))
        if resident > child.attempt.need.memory_mb:
            child.stopped = "memory"
        elif silent_s > idle_limit_s(child.attempt.need, self._idle_s) or self._stands_still(child, took):
            child.stopped = "idle"
        elif took > max(_LEAST_TIME_S, _TIMES_EXPECTED * child.attempt.need.seconds):
            child.stopped = "time"
        if child.stopped:
            _kill(child.process)

    def _stands_still(self, child: _Child, took: float) -> bool:
        """Whether it neither works nor gets on, although nothing holds it up."""
        if child.attempt.may_wait:
            return False
        since, before = child.awake
        states, cpu_s = _read_work(_read_tree(child.process.pid, "stat"))
        gets_on = took - _age_s(child.attempt.events, took) > since
        if gets_on or cpu_s - before > _STANDS_CPU_S or not states or set(states) & set(_HELD_UP):
            child.awake = (took, cpu_s)
            return False
        return took - since > _STANDS_S


def idle_limit_s(need: Need, asked_s: float) -> float:
    """Seconds without progress after which an attempt is stopped: at most those asked for, less for a short tour."""
    return min(asked_s, max(_LEAST_STEP_S, _STEP_TIMES * need.seconds))


def _start(command: Sequence[str], environment: Mapping[str, str], log: Path, stdin: int) -> subprocess.Popen[bytes]:
    """Start a child by a command line without Python, in a session of its own; what it says goes to its log."""
    with log.open("wb") as file:
        return subprocess.Popen(
            [sys.executable, *command],
            stdin=stdin,
            stdout=file,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):  # gone already
        os.killpg(process.pid, signal.SIGKILL)


def _age_s(path: Path, otherwise: float) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return otherwise


def _memory_mb(pid: int, what: str) -> float:
    """Resident memory of a process and its descendants, `VmRSS` now and `VmHWM` at most; 0 where the system does not
    tell.
    """
    found = [re.search(rf"^{what}:\s+(\d+)", text, re.MULTILINE) for text in _read_tree(pid, "status")]
    return sum(int(match[1]) * 1024 / _MB for match in found if match is not None)


def _read_work(texts: Iterable[str]) -> tuple[str, float]:
    """States of processes, a letter each, and the CPU-seconds that they and their ended children took; by `stat`."""
    words = [text.rpartition(")")[2].split() for text in texts]
    ticks = sum(int(word) for own in words for word in own[11:15])
    return "".join(own[0] for own in words), ticks / os.sysconf("SC_CLK_TCK")


def _read_tree(pid: int, file: str) -> Iterator[str]:
    """What the system tells of a process and its descendants in a file of theirs; nothing where it does not tell."""
    with suppress(OSError):
        yield Path(f"/proc/{pid}/{file}").read_text()
        for child in " ".join(path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")).split():
            yield from _read_tree(int(child), file)


def _tail(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _LAST_WORDS))
            return file.read().decode(errors="replace").strip()
    except OSError:
        return ""


_MOST_TOURS, _MOST_GROWTH = 200, 2.0
"""A child is replaced after so many tours, or so many times the memory that it had after its first: libraries leak."""


@dataclass
class Looker:
    """One of them."""

    process: subprocess.Popen[bytes]
    tours: int = 0
    first_mb: float = 0.0
    """Of resident memory, after its first tour."""

    def give(self, spec: Path, log: Path) -> None:
        """Hand it an attempt; a process that is gone already shows by its end."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps({"spec": str(spec), "log": str(log)}).encode() + b"\n")
            self.process.stdin.flush()

    def cpu_s(self) -> float:
        """CPU-seconds of it and of children that ended, up to now."""
        return _read_work(islice(_read_tree(self.process.pid, "stat"), 1))[1]

    def is_worn(self, resident_mb: float) -> bool:
        """Whether it had better be replaced, after one more tour."""
        self.tours += 1
        self.first_mb = self.first_mb or resident_mb
        return self.tours >= _MOST_TOURS or resident_mb > _MOST_GROWTH * self.first_mb > 0

    def end(self) -> None:
        """Let it go by itself: there is nothing more to read."""
        if self.process.stdin is not None:
            with suppress(BrokenPipeError):
                self.process.stdin.close()
