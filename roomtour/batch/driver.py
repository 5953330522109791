"""The loop of a job: which tour is tried next, with what, and when it is given up. Knows no engine.

Every attempt works in a folder of its own, which nobody else writes to; when its process is gone for good, the folder
is renamed to the next attempt or to the tour's place under `runs/`. So the results of two attempts never mix.
"""

from __future__ import annotations

import errno
import platform
import shutil
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal

from roomtour.batch.children.child_spec import adapt_need, choose_child, describe_child, list_phases
from roomtour.batch.engines.engine import Engine
from roomtour.batch.engines.gate import HeldGate
from roomtour.batch.job_options import JobOptions
from roomtour.batch.ledger import add_row, count_status, is_settled, latest_rows, make_row, read_rows
from roomtour.batch.plan import choose_shares, need_of, why_not_started
from roomtour.batch.records import (
    NOT_STARTED,
    Attempt,
    Ended,
    JobStatus,
    LedgerRow,
    Need,
    Outcome,
    Phase,
    State,
    TourTask,
)
from roomtour.batch.results.storage import FolderLease, is_bucket, name_place, open_storage
from roomtour.batch.retries import Health, Retries, WritePause, read_outcome
from roomtour.batch.status import read_tours, write_job, write_status
from roomtour.config import Config
from roomtour.errors import USER_ERRORS, RoomtourError
from roomtour.files.records import write_json
from roomtour.keys import choose_perception, list_identities, result_keys
from roomtour.sources import Tour

_STATUS_EVERY_S = 10.0
_LOOK_S = 1.0
_LEAST_FREE_BYTES = 1 << 29
_LONG_S = 1800.0
"""A longer tour is parted among machines that have nothing else to do."""


class Job:
    """Tours on their way through an engine."""

    def __init__(
        self,
        folder: Path,
        tasks: Sequence[TourTask],
        config: Config,
        options: JobOptions,
        engine: Engine,
        gate: HeldGate | None = None,
    ):
        """Make a job in a folder; `gate` is the one through which its tours ask language servers."""
        self._gate = gate
        config = choose_perception(config)
        self._folder, self._config, self._options, self._engine = folder, config, options, engine
        self._phases = list_phases(config, options.until)
        self._identities = list_identities(config)
        self._tasks = {task.tour.name: task for task in tasks}
        self._shard = options.shard.replace("/", "-of-")
        self._storage = open_storage(options.storage, folder, self._shard)
        self._lease = FolderLease(folder, name_place(self._shard))
        self._is_unseen = False
        """Whether the driver before us may still be at work, and its children."""
        self._running: dict[str, Attempt] = {}
        self._retries = Retries(engine.memory_mb)
        self._shares = choose_shares(tasks, engine.slots, engine.most_slots)
        self._unsure: set[str] = set()
        """Tours whose last attempt may still be at work somewhere."""
        self._health = Health(folder, options.stop_share)
        self._pause = WritePause()
        self._told = 0.0
        self._count_waiting = 0
        self._rows: list[LedgerRow] = []
        self._left: dict[str, TourTask] = {}

    @property
    def left(self) -> tuple[TourTask, ...]:
        """Tours that have not come to an end, while `run` is at work."""
        return tuple(self._left.values())

    def run(self, tell: Callable[[LedgerRow], None] = lambda row: None) -> JobStatus:
        """Bring every tour to an end; those that are there already under the same key stay.

        Args:
            tell: Called with each row that ends an attempt.

        Raises:
            RoomtourError: If another driver has the job, or too many tours crash.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        self._is_unseen = self._lease.take()
        try:
            write_job(self._folder, self._tasks.values(), self._config, self._options)
            self._is_unseen |= self._storage.hold()
            try:
                self._engine.probe(self._folder)
                self._loop(tell)
            except OSError as error:
                if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                    raise
                raise RoomtourError(_no_room(Path(error.filename or self._folder))) from error
            finally:
                try:
                    with suppress(OSError):  # it tells what the ledger tells: without room, no more than that
                        self._write_status(is_end=True)  # first: a gate ends with the engine
                finally:
                    self._engine.cancel()
                    self._storage.release()
        finally:
            self._lease.release()
        return self.status()

    def _require_place(self) -> None:
        """Asked before anything is given out or published: whoever slept may have been replaced."""
        self._lease.require()
        self._storage.require_hold()

    def status(self) -> JobStatus:
        """Where the job stands, out of its ledger."""
        return count_status(read_rows(self._folder), self._tasks)

    def _loop(self, tell: Callable[[LedgerRow], None]) -> None:
        self._rows = list(read_rows(self._folder))
        last = latest_rows(self._rows)
        there = self._storage.survey()
        left = [task for name, task in self._tasks.items() if not is_settled(last.get(name), task, there)]
        turned_away = self._turn_away(left, last, tell)
        self._left = {task.tour.name: task for task in left if task.tour.name not in turned_away}
        waiting = deque(
            self._first_attempt(task, last.get(task.tour.name), there.attempts.get(task.tour.name, 0))
            for task in self.left
        )
        while waiting or self._running:
            self._require_place()
            while (chosen := self._choose(waiting)) is not None:
                waiting.remove(chosen)
                self._count_waiting = len(waiting)
                self._start(chosen)
            if not self._running:  # all that is left waits for a language server
                time.sleep(_LOOK_S)
            for ended in self._engine.wait(_LOOK_S):
                self._require_place()
                row, again = self._settle(ended)
                if again is None:
                    self._left.pop(row.tour, None)
                tell(row)
                if again is not None:
                    self._line_up(waiting, again, ended.attempt)
                self._health.require(row.state)
            if time.monotonic() - self._told > _STATUS_EVERY_S:
                with suppress(OSError):  # a full disk is told of when a tour is to start
                    self._write_status()

    def _turn_away(
        self, left: Iterable[TourTask], last: Mapping[str, LedgerRow], tell: Callable[[LedgerRow], None]
    ) -> set[str]:
        """Names of the tours that are not started; each is told, once."""
        names: set[str] = set()
        for task in left:
            name = task.tour.name
            why = why_not_started(task, self._config, self._options.memory_mb, self._engine.memory_mb)
            if why is None:
                continue
            names.add(name)
            known = last.get(name)
            if known is None or (known.state, known.reason, known.key) != (why.state, why.reason, task.key):
                phase = self._phases[0]
                nobody = self._attempt(task, NOT_STARTED, self._find_need(task, phase), phase)
                tell(self._note(nobody, "ended", why.state, outcome=why))
        return names

    def _line_up(self, waiting: deque[Attempt], again: Attempt, before: Attempt) -> None:
        """A phase that is tried once more comes first: what hangs is told of after two limits, not after all others.

        One that wants more memory comes last, for it may have to wait until nothing else runs, and who waits holds up
        those behind it; so does the next phase of a tour.
        """
        is_next = again.phase == before.phase and again.need.memory_mb <= before.need.memory_mb
        (waiting.appendleft if is_next else waiting.append)(again)

    def _first_attempt(self, task: TourTask, last: LedgerRow | None, left: int) -> Attempt:
        is_seen = self._engine.sees_death and not self._is_unseen
        if (last or left) and not is_seen:  # its machine may not know that the driver is another one
            self._unsure.add(task.tour.name)
        first = self._phases[0]
        number = 1 + max(last.attempt if last else 0, left)
        return self._attempt(task, number, self._find_need(task, first), first)

    def _choose(self, waiting: Iterable[Attempt]) -> Attempt | None:
        """The first that may start now; those that would ask a language server which is away stand back."""
        writing = sum(attempt.phase.name == "write" for attempt in self._running.values())
        now = time.monotonic()
        full: set[bool] = set()
        for attempt in waiting:
            kind = attempt.need.gpu > 0  # whoever waits for a GPU holds up no processor, nor the other way round
            if kind in full or not self._pause.may_start(attempt.phase.name, writing, now):
                continue
            if self._has_room(attempt):
                return attempt
            full.add(kind)
        return None

    def _find_need(self, task: TourTask, phase: Phase) -> Need:
        workers = self._options.workers
        share = self._shares.get(task.tour.name, 1) if workers is None else 1
        need = need_of(task, self._options.memory_mb, workers or 1, share)
        need = replace(need, memory_mb=min(need.memory_mb, self._engine.memory_mb))
        return adapt_need(phase, need, self._options.gpu_share)

    def _attempt(self, task: TourTask, number: int, need: Need, phase: Phase, avoid: tuple[str, ...] = ()) -> Attempt:
        name = task.tour.name
        folder, log = self._storage.place(name, number), self._folder / "logs" / name / f"{number}.log"
        return Attempt(task, number, folder, log, need, phase, avoid)

    def _has_room(self, attempt: Attempt) -> bool:
        address = self._storage.address
        folder = self._folder if address is None or is_bucket(address) else Path(address)
        if shutil.disk_usage(folder).free < _LEAST_FREE_BYTES:
            if self._running:
                return False  # what runs may end and be fetched
            raise RoomtourError(_no_room(folder))
        return self._engine.has_room([running.need for running in self._running.values()], attempt.need)

    def _start(self, attempt: Attempt) -> None:
        task = attempt.task
        attempt.folder.parent.mkdir(parents=True, exist_ok=True)
        attempt.log.parent.mkdir(parents=True, exist_ok=True)
        for left in (attempt.outcome, attempt.events):
            left.unlink(missing_ok=True)
        self._storage.take_over(attempt, is_gone=task.tour.name not in self._unsure)
        self._unsure.discard(task.tour.name)
        helpers = self._find_helpers(attempt)
        spec = describe_child(
            attempt, self._config, self._options, self._keys(task.tour, attempt.folder), self._storage.address, helpers
        )
        path = attempt.log.with_suffix(".spec.json")
        write_json(path, spec)
        self._note(attempt, "started", "running")
        waits = helpers is not None or self._options.scratch is not None or attempt.phase.name == "write"
        avoid = (*attempt.avoid, *self._retries.bad_nodes)
        attempt = replace(attempt, avoid=avoid, may_wait=waits)
        self._engine.submit(attempt, ["-m", choose_child(attempt.phase, self._options.scratch), str(path.absolute())])
        self._running[task.tour.name] = attempt

    def _find_helpers(self, attempt: Attempt) -> dict[str, object] | None:
        """For a long tour that works in a folder which all machines see, while slots are left that no tour needs."""
        if self._options.scratch is not None or attempt.phase.name not in ("all", "shape"):
            return None  # a bucket always comes with a scratch folder
        free = self._engine.slots - sum(running.need.slots for running in self._running.values()) - self._count_waiting
        return self._engine.find_helpers(free) if attempt.task.seconds > _LONG_S and free > 1 else None

    def _settle(self, ended: Ended) -> tuple[LedgerRow, Attempt | None]:
        """Note how an attempt ended, publish its folder if that was the last, and make the next one if not."""
        attempt = ended.attempt
        self._running.pop(attempt.task.tour.name)
        outcome = read_outcome(ended)
        self._retries.note_node(ended.node, attempt.task.tour.name, outcome)
        again = self._next_attempt(ended, outcome)
        if again is None and outcome.state != "lost":  # else its writer may still be at work
            self._storage.publish(attempt)
        row = self._note(attempt, "ended", outcome.state if again is None else "waiting", ended, outcome)
        if again is None:
            for number in self._storage.remove_lost(attempt):
                late = Outcome("lost", "ended after it was given up as lost; its result is not used")
                self._note(replace(attempt, number=number), "superseded", outcome.state, outcome=late)
        return row, again

    def _next_attempt(self, ended: Ended, outcome: Outcome) -> Attempt | None:
        """The next phase of a tour that did well, the same once more, or none."""
        attempt, number = ended.attempt, ended.attempt.number + 1
        later = self._phases[self._phases.index(attempt.phase) + 1 :]
        if outcome.state in ("done", "done-with-errors") and later:
            return self._attempt(attempt.task, number, self._find_need(attempt.task, later[0]), later[0])
        if self._pause.note_end(attempt.phase.name, outcome.is_server_away, ended.seconds, time.monotonic()):
            return self._attempt(attempt.task, number, attempt.need, attempt.phase)
        need = self._retries.next_need(attempt, outcome)
        if need is None:
            return None
        if ended.death == "lost":
            self._unsure.add(attempt.task.tour.name)
        return self._attempt(attempt.task, number, need, attempt.phase, (ended.node,) if ended.node else ())

    def _keys(self, tour: Tour, folder: Path) -> dict[str, str]:
        """Names of the tour's results; none for a source that cannot be read, which its child will refuse."""
        try:
            return result_keys(replace(tour, run=folder), self._config, self._identities)
        except USER_ERRORS:
            return {}

    def _note(
        self,
        attempt: Attempt,
        event: Literal["started", "ended", "superseded"],
        state: State,
        ended: Ended | None = None,
        outcome: Outcome = Outcome("running"),
    ) -> LedgerRow:
        watched_here = platform.node() if self._engine.sees_death else ""
        row = make_row(attempt, event, state, outcome, ended, watched_here)
        add_row(self._folder, row, self._shard)
        self._rows.append(row)
        return row

    def _write_status(self, *, is_end: bool = False) -> None:
        self._told = time.monotonic()
        rows, tours = self._rows, set(self._tasks)
        if self._shard:  # other drivers write theirs
            rows, tours = read_rows(self._folder), tours | set(read_tours(self._folder))
        driven = tours - set(self._tasks) if is_end else None
        write_status(self._folder, rows, tours, self._gate, self._engine.tell, driven)


def _no_room(folder: Path) -> str:
    return f"{folder}: the disk is full, so no tour is started: make room, then run the same command again"
