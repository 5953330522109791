"""Tours one after the other on this machine, each in a process of its own, where their run folders shall lie.

What `roomtour process` does with several tours: no ledger and no retries, but whatever ends the process of one, native
code included, costs that tour alone.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from roomtour.batch.children.child_spec import choose_child, describe_child, list_phases
from roomtour.batch.engines.local import LocalEngine
from roomtour.batch.job_options import JobOptions
from roomtour.batch.records import Attempt, Need, Outcome, Phase, TourTask
from roomtour.batch.retries import read_outcome
from roomtour.config import Config
from roomtour.files.records import write_json
from roomtour.keys import choose_perception
from roomtour.progress import Observer, replay_events
from roomtour.sources import Tour
from roomtour.store import Keep
from roomtour.workers.machine import count_cores

_UNLIMITED = float("inf")
_LOOK_S = 0.5


@dataclass(frozen=True)
class Alone:
    """How the process of one tour ended."""

    outcome: Outcome
    log: str
    """What it wrote, a traceback where it met a fault of roomtour itself."""


class OneByOne:
    """One slot; children that look with large models stay, and load them once. Close it to end them."""

    def __init__(self, config: Config, until: str | None, force: str | None, keep: Keep):
        """Take the options of every tour; see `process_tour`."""
        self._config, self._until, self._force = choose_perception(config), until, force
        self._options = JobOptions(keep=keep)
        self._engine = LocalEngine(1, _UNLIMITED, _UNLIMITED)
        self._logs = tempfile.TemporaryDirectory(prefix="roomtour-logs-")

    def __enter__(self) -> OneByOne:
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.cancel()
        self._logs.cleanup()

    def process(self, tour: Tour, observer: Observer) -> Alone:
        """Make or continue the run folder of one tour."""
        observer.tour_started(tour.name)
        phases = list_phases(self._config, self._until)
        if self._force is not None:  # what rests on a stage may lie in a later phase
            phases = (Phase("all", self._until),)
        seen: set[str] = set()
        for number, phase in enumerate(phases, 1):
            alone = self._run(tour, phase, number, observer, seen)
            if phase == phases[-1] or alone.outcome.state not in ("done", "done-with-errors"):
                return alone
        raise AssertionError("a tour has at least one phase")

    def _run(self, tour: Tour, phase: Phase, number: int, observer: Observer, seen: set[str]) -> Alone:
        log = Path(self._logs.name) / f"{tour.name}.{number}.log"
        need = Need(_UNLIMITED, _UNLIMITED, self._config.workers or count_cores())
        task = TourTask(tour, "", tour.seconds)
        attempt = Attempt(task, 0, tour.run, log, need, phase, may_wait=True)
        spec = describe_child(attempt, self._config, self._options, None)
        path = log.with_suffix(".spec.json")
        write_json(path, {**spec, "force": self._force})
        self._engine.submit(attempt, ["-m", choose_child(phase, None), str(path)])
        start = 0
        while True:
            ended = self._engine.wait(_LOOK_S)
            start = replay_events(attempt.events, start, observer, seen)
            if ended:
                return Alone(read_outcome(ended[0]), ended[0].last_words)
