"""The loop of a job: which tour is tried next, with what, and when it is given up. Knows no engine.

Every attempt works in a folder of its own, which nobody else writes to; when its process is gone for good, the folder
is renamed to the next attempt or to the tour's place under `runs/`. So the results of two attempts never mix.
"""

from __future__ import annotations

import json
import platform
import shutil
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout

from roomtour.batch.engine import Engine
from roomtour.batch.ledger import add_row, count_status, latest_rows, now, read_rows
from roomtour.batch.plan import need_of
from roomtour.batch.records import GIVEN_UP, Attempt, Ended, JobStatus, LedgerRow, Need, Outcome, State, TourTask
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.files.records import from_plain, read_json, write_json

_STATUS_EVERY_S = 10.0
_LOOK_S = 1.0
_TRIES = {"crashed": 2, "timed-out": 2, "out-of-memory": 3}
"""Attempts at most. A second crash or a second hang is the tour's own; memory doubles until it is all there is."""
_LATELY = 50


@dataclass(frozen=True, kw_only=True)
class JobOptions:
    """How a job runs; nothing of it changes a result."""

    until: str | None = None
    """Last stage."""
    workers: int = 1
    """Processes inside one tour. Tours side by side make better use of cores than processes inside one."""
    memory_mb: float | None = None
    """Memory at which a child is stopped; by the length of its tour if None."""
    stop_share: float = 0.2
    """The job stops when more than this share of its last 50 tours crashed or failed: then the machine is broken."""
    shard: str = ""
    """Part of the tours that this process takes, `K/N`."""


class Job:
    """Tours on their way through an engine."""

    def __init__(self, folder: Path, tasks: Sequence[TourTask], config: Config, options: JobOptions, engine: Engine):
        self._folder, self._config, self._options, self._engine = folder, config, options, engine
        self._tasks = {task.tour.name: task for task in tasks}
        self._shard = options.shard.replace("/", "-of-")
        self._running: dict[str, Attempt] = {}
        self._tries: Counter[str] = Counter()
        self._lately: deque[bool] = deque(maxlen=_LATELY)
        self._told = 0.0

    def run(self, tell: Callable[[LedgerRow], None] = lambda row: None) -> JobStatus:
        """Bring every tour to an end; those that are there already under the same key stay.

        Args:
            tell: Called with each row that ends an attempt.

        Raises:
            RoomtourError: If another driver has the job, or too many tours crash.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self._folder / f".driver{self._shard and '-' + self._shard}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout as error:
            raise RoomtourError(f"{self._folder}: another process runs this job now") from error
        with lock:
            write_json(self._folder / "job.json", self._facts())
            try:
                self._loop(tell)
            finally:
                self._engine.cancel()
                self._write_status()
        return self.status()

    def status(self) -> JobStatus:
        """Where the job stands, out of its ledger."""
        return count_status(read_rows(self._folder), self._tasks)

    def _loop(self, tell: Callable[[LedgerRow], None]) -> None:
        last = latest_rows(read_rows(self._folder))
        waiting = deque(
            self._first_attempt(task, last.get(name))
            for name, task in self._tasks.items()
            if not _is_settled(last.get(name), task)
        )
        while waiting or self._running:
            while waiting and self._has_room(waiting[0]):
                self._start(waiting.popleft())
            for ended in self._engine.wait(_LOOK_S):
                row, again = self._settle(ended)
                tell(row)
                if again is not None:
                    waiting.append(again)
                self._require_healthy(row)
            if time.monotonic() - self._told > _STATUS_EVERY_S:
                self._write_status()

    def _first_attempt(self, task: TourTask, last: LedgerRow | None) -> Attempt:
        need = need_of(task, self._options.memory_mb, self._options.workers)
        need = replace(need, memory_mb=self._bounded(need.memory_mb))
        return self._attempt(task, 1 + (last.attempt if last else 0), need)

    def _attempt(self, task: TourTask, number: int, need: Need) -> Attempt:
        name = task.tour.name
        folder = self._folder / "attempts" / f"{name}.{number}"
        return Attempt(task, number, folder, self._folder / "logs" / name / f"{number}.log", need)

    def _bounded(self, memory_mb: float) -> float:
        return min(memory_mb, self._engine.memory_mb)

    def _has_room(self, attempt: Attempt) -> bool:
        """Whether a slot is free, and memory by what is expected; the first of all always starts."""
        taken = sum(one.need.memory_mb for one in self._running.values())
        fits = taken + attempt.need.memory_mb <= self._engine.memory_mb
        return len(self._running) < self._engine.slots and (fits or not self._running)

    def _start(self, attempt: Attempt) -> None:
        task = attempt.task
        attempt.folder.parent.mkdir(exist_ok=True)
        attempt.log.parent.mkdir(parents=True, exist_ok=True)
        for left in (attempt.outcome, attempt.progress):
            left.unlink(missing_ok=True)
        self._take_over(attempt)
        spec = {
            "tour": task.tour.name,
            "source": str(task.tour.source.absolute()),
            "facts": asdict(task.tour.facts),
            "run": str(attempt.folder.absolute()),
            "config": replace(self._config, workers=attempt.need.workers).to_dict(),
            "until": self._options.until,
            "outcome": str(attempt.outcome.absolute()),
            "progress": str(attempt.progress.absolute()),
        }
        path = attempt.log.with_suffix(".spec.json")
        write_json(path, spec)
        self._note(attempt, "started", "running")
        self._engine.submit(attempt, [sys.executable, "-m", "roomtour.batch.phase", str(path.absolute())])
        self._running[task.tour.name] = attempt

    def _take_over(self, attempt: Attempt) -> None:
        """Begin with what the tour has: the folder of the newest attempt, or its run."""
        if attempt.folder.exists():
            return
        name = attempt.task.tour.name
        earlier = [
            (int(path.suffix[1:]), path)
            for path in attempt.folder.parent.glob(f"{name}.*")
            if path.stem == name and path.suffix[1:].isdecimal()
        ]
        newest = max(earlier)[1] if earlier else attempt.task.tour.run
        if newest.is_dir():
            newest.rename(attempt.folder)

    def _settle(self, ended: Ended) -> tuple[LedgerRow, Attempt | None]:
        """Note how an attempt ended, publish its folder if that was the last, and make the next one if not."""
        attempt = ended.attempt
        self._running.pop(attempt.task.tour.name)
        outcome = _read_outcome(ended)
        again = self._next_attempt(attempt, outcome.state)
        if again is None:
            _publish(attempt)
        row = self._note(attempt, "ended", outcome.state if again is None else "waiting", ended, outcome)
        return row, again

    def _next_attempt(self, attempt: Attempt, state: State) -> Attempt | None:
        self._tries[attempt.task.tour.name] += 1
        if self._tries[attempt.task.tour.name] >= _TRIES.get(state, 1):
            return None
        need = replace(attempt.need, workers=1)
        if state == "out-of-memory":
            more = self._bounded(2 * need.memory_mb)
            if more <= need.memory_mb:
                return None
            need = replace(need, memory_mb=more)
        elif state == "timed-out":
            need = replace(need, seconds=2 * need.seconds)
        return self._attempt(attempt.task, attempt.number + 1, need)

    def _note(
        self,
        attempt: Attempt,
        event: Literal["started", "ended"],
        state: State,
        ended: Ended | None = None,
        outcome: Outcome = Outcome("running"),
    ) -> LedgerRow:
        row = LedgerRow(
            time=now(),
            tour=attempt.task.tour.name,
            attempt=attempt.number,
            node=platform.node(),
            event=event,
            state=state,
            stage=outcome.stage,
            seconds=ended.seconds if ended else 0.0,
            cpu_s=ended.cpu_s if ended else 0.0,
            peak_mb=ended.peak_mb if ended else 0.0,
            signal=ended.signal if ended else 0,
            key=attempt.task.key,
            reason=outcome.reason,
            tour_s=outcome.tour_s,
        )
        add_row(self._folder, row, self._shard)
        return row

    def _require_healthy(self, row: LedgerRow) -> None:
        if row.state == "waiting":
            return
        self._lately.append(row.state in ("crashed", "failed"))
        broken = sum(self._lately)
        if len(self._lately) == _LATELY and broken > self._options.stop_share * _LATELY:
            raise RoomtourError(
                f"{self._folder}: {broken} of the last {_LATELY} tours crashed or failed, more than --stop-share "
                f"{self._options.stop_share:g}: look at {self._folder / 'logs'}, then run the same command again"
            )

    def _facts(self) -> dict[str, object]:
        tours = {
            name: {"source": str(task.tour.source), "key": task.key, "seconds": task.seconds}
            for name, task in self._tasks.items()
        }
        return {"options": self._config.to_dict(), "job": asdict(self._options), "tours": tours}

    def _write_status(self) -> None:
        self._told = time.monotonic()
        write_json(self._folder / "status.json", asdict(self.status()))


def _is_settled(last: LedgerRow | None, task: TourTask) -> bool:
    """Whether nothing is left to do for a tour: done or given up with this source and these options."""
    if last is None or last.event != "ended" or last.key != task.key:
        return False
    if last.state in GIVEN_UP:
        return True
    return last.state in ("done", "done-with-errors") and task.tour.run.is_dir()


def _read_outcome(ended: Ended) -> Outcome:
    """What the child said, or what its parent saw."""
    if ended.death == "exit" and ended.attempt.outcome.is_file():
        return from_plain(read_json(ended.attempt.outcome), Outcome, str(ended.attempt.outcome))
    stage = _stage_of(ended.attempt.progress)
    where = f" in {stage}" if stage else ""
    if ended.death == "memory":
        limit = ended.attempt.need.memory_mb
        return Outcome("out-of-memory", f"took {ended.peak_mb:.0f} MB{where}, more than {limit:.0f}", stage)
    if ended.death in ("idle", "time"):
        what = "no progress for too long" if ended.death == "idle" else "ran for too long"
        return Outcome("timed-out", f"{what}{where}, after {ended.seconds:.0f} s", stage)
    last = ended.last_words.splitlines()[-1:] or ["nothing"]
    how = f"signal {ended.signal}" if ended.signal else "no outcome"
    return Outcome("crashed", f"ended by {how}{where}; last words: {last[0][:300]}", stage)


def _stage_of(progress: Path) -> str:
    try:
        return str(json.loads(progress.read_text(encoding="utf-8"))["stage"])
    except (OSError, ValueError, KeyError):
        return ""


def _publish(attempt: Attempt) -> None:
    """Put the folder of the last attempt in the tour's place; only called when its process is gone."""
    run = attempt.task.tour.run
    if not attempt.folder.is_dir():
        return
    run.parent.mkdir(exist_ok=True)
    if run.exists():
        shutil.rmtree(run)
    attempt.folder.rename(run)


def forget_tour(job: Path, name: str) -> list[Path]:
    """Remove a tour from a job: run, attempts, logs. Its rows in the ledger are kept without what they say of it.

    Returns:
        What was removed.
    """
    found = [job / "runs" / name, job / "logs" / name, *sorted((job / "attempts").glob(f"{name}.*"))]
    removed = [path for path in found if path.is_dir()]
    for path in removed:
        shutil.rmtree(path)
    add_row(job, LedgerRow(now(), name, 0, platform.node(), "forgotten", "waiting"))
    return removed


def ask_again(job: Path, states: Iterable[str], names: Iterable[str]) -> list[str]:
    """Let tours that were given up have new attempts in the next run.

    Returns:
        Their names.
    """
    wanted, named = set(states), set(names)
    chosen = [
        row
        for row in latest_rows(read_rows(job)).values()
        if row.event == "ended" and (row.state in wanted or row.tour in named)
    ]
    for row in chosen:
        add_row(job, replace(row, time=now(), event="again", state="waiting", key=""))
    return [row.tour for row in chosen]
