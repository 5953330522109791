"""How an attempt came out, whether its tour is tried again and with what, when tours wait for a language server, and
when a job should stop.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from dataclasses import dataclass, field, replace
from pathlib import Path

from roomtour.batch.records import MEMORY_WORDS, Attempt, Ended, Need, Outcome, PhaseName, State
from roomtour.errors import RoomtourError
from roomtour.files.records import from_plain, read_json
from roomtour.progress import read_reached

_TRIES = {"crashed": 2, "timed-out": 2, "out-of-memory": 3}
"""Attempts at most. A second crash or a second hang is the tour's own; memory doubles until it is all there is."""
_MOST_LOST = 5
"""Attempts that may be lost with their machines; those count as none of the tour's own."""
_NODE_CRASHES = 3
"""A machine on which so many different tours crash in a row is left out."""
STEP_S = 300.0
"""Between two tries of a language server that does not answer."""
_MOST_STEPS = 3
"""After so many tries in vain tours end unfinished; the same command goes on with them."""
_LATELY = 50
"""Tours by whose ends a job is judged."""


@dataclass
class Retries:
    """What was tried already, by tour and phase."""

    most_memory_mb: float
    tries: Counter[tuple[str, str]] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    crashed_on: dict[str, set[str]] = field(default_factory=dict)
    """By machine, tours that crashed there since the last that did not."""

    def next_need(self, attempt: Attempt, outcome: Outcome) -> Need | None:
        """What the next attempt of a phase may use; None if there is to be none."""
        name = attempt.task.tour.name
        if outcome.state == "lost":
            self.lost[name] += 1
            return _halve_batches(attempt) if self.lost[name] <= _MOST_LOST else None
        self.tries[name, attempt.phase.name] += 1
        if self.tries[name, attempt.phase.name] >= _TRIES.get(outcome.state, 1):
            return None
        need = replace(_halve_batches(attempt), workers=1, slots=1, cores=min(1.0, attempt.need.cores))
        if outcome.state == "out-of-memory":
            more = min(2 * need.memory_mb, self.most_memory_mb)
            return replace(need, memory_mb=more) if more > need.memory_mb else None
        return replace(need, seconds=2 * need.seconds) if outcome.state == "timed-out" else need

    def note_node(self, node: str, tour: str, outcome: Outcome) -> None:
        """Remember on which machine tours crash."""
        if outcome.state == "crashed":
            self.crashed_on.setdefault(node, set()).add(tour)
        elif outcome.state not in ("lost", "refused"):
            self.crashed_on.pop(node, None)

    @property
    def bad_nodes(self) -> tuple[str, ...]:
        """Machines to leave out."""
        return tuple(sorted(node for node, tours in self.crashed_on.items() if node and len(tours) >= _NODE_CRASHES))


def _halve_batches(attempt: Attempt) -> Need:
    """What an attempt needed; who dies while large models look may have taken all memory of a GPU, so half as many
    frames go there together.
    """
    parts = 2 * attempt.need.batch_parts if attempt.phase.name == "look" else 1
    return replace(attempt.need, batch_parts=parts)


@dataclass
class WritePause:
    """Whether tours may ask now."""

    failures: int = 0
    """In a row."""
    until: float = 0.0
    """By whatever clock."""

    def note_end(self, phase: PhaseName, is_server_away: bool, seconds: float, now: float) -> bool:
        """Take note of an attempt's end after so many seconds; whether its tour is to be tried once more."""
        if phase != "write":
            return False
        if not is_server_away:
            self.failures = 0
            return False
        if now - seconds >= self.until:  # those that were under way when the first failed say nothing new
            self.failures += 1
            self.until = now + STEP_S
        return self.failures <= _MOST_STEPS

    def may_start(self, phase: PhaseName, writing: int, now: float) -> bool:
        """Whether an attempt of this phase may start, with so many of `write` at work."""
        if phase != "write" or not 0 < self.failures <= _MOST_STEPS:
            return True
        return now >= self.until and not writing


class Health:
    """How the last tours of a job ended."""

    def __init__(self, folder: Path, stop_share: float):
        """Of the job in `folder`; see `JobOptions.stop_share`."""
        self._folder, self._stop_share = folder, stop_share
        self._lately: deque[bool] = deque(maxlen=_LATELY)

    def require(self, state: State) -> None:
        """Take note of how an attempt ended.

        Raises:
            RoomtourError: If too many of the last tours crashed or failed.
        """
        if state == "waiting":
            return
        self._lately.append(state in ("crashed", "failed"))
        broken = sum(self._lately)
        if len(self._lately) == _LATELY and broken > self._stop_share * _LATELY:
            raise RoomtourError(
                f"{self._folder}: {broken} of the last {_LATELY} tours crashed or failed, more than --stop-share "
                f"{self._stop_share:g}: look at {self._folder / 'logs'}, then run the same command again"
            )


_STACK_FRAME = re.compile(r"\s*@\s+0x")
"""As native libraries print them after the line that says what happened."""
_KILLED = 9
"""The system's own killer of what takes too much memory sends this; we were not the sender."""


def read_outcome(ended: Ended) -> Outcome:
    """What became of an attempt; by its words and signals, never by its exit code alone."""
    said = ended.said or read_said(ended.attempt)  # one that was given up may have come to its end all the same
    if said is not None and ended.death in ("exit", "lost"):
        return said
    stage = read_reached(ended.attempt.events).stage
    where = f" in {stage}" if stage else ""
    if ended.death == "lost":
        return Outcome("lost", f"{ended.last_words or 'its machine was lost'}{where}", stage)
    limit = ended.attempt.need.memory_mb
    if ended.death == "memory":
        return Outcome("out-of-memory", f"took {ended.peak_mb:.0f} MB{where}, more than {limit:.0f}", stage)
    if ended.death in ("idle", "time"):
        what = "no progress for too long" if ended.death == "idle" else "ran for too long"
        return Outcome("timed-out", f"{what}{where}, after {ended.seconds:.0f} s", stage)
    lines = [line for line in ended.last_words.splitlines() if not _STACK_FRAME.match(line)]
    last = (lines[-1:] or ["nothing"])[0][:300]
    how = f"signal {ended.signal}" if ended.signal else "no outcome"
    if ended.signal == _KILLED or any(word in ended.last_words for word in MEMORY_WORDS):
        return Outcome("out-of-memory", f"ended by {how}{where} at {ended.peak_mb:.0f} MB; last words: {last}", stage)
    return Outcome("crashed", f"ended by {how}{where}; last words: {last}", stage)


def read_said(attempt: Attempt) -> Outcome | None:
    """The child's own words, on a machine that sees them; None if it left none, or half of them."""
    try:
        return from_plain(read_json(attempt.outcome), Outcome, str(attempt.outcome))
    except RoomtourError:
        return None
