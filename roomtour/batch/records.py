"""What a job of many tours is made of: tours, attempts, how they end, and what they need."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from roomtour.sources import Tour

State = Literal[
    "waiting", "running", "done", "done-with-errors", "unfinished", "refused", "crashed", "out-of-memory", "timed-out",
    "failed", "lost", "skipped",
]  # fmt: skip
"""Of a tour: `done-with-errors` has an error finding, `unfinished` open questions to a language server, `refused` an
input that cannot be used, `failed` met a fault of roomtour itself, `lost` was on machines that went away again and
again, `skipped` was not tried, for those whose home it shows refused; the others ended a child from outside."""

GIVEN_UP: tuple[State, ...] = ("refused", "crashed", "out-of-memory", "timed-out", "failed", "lost")
"""Ends without a result that another attempt would not change."""

MEMORY_WORDS = ("bad_alloc", "out of memory", "OutOfMemory", "Cannot allocate memory")
"""By which libraries, and processes that end, tell that there was no memory."""
Death = Literal["exit", "signal", "memory", "idle", "time", "lost"]
"""How a child ended: by itself, by a signal that we did not send, or because it took too much memory, showed no
progress for too long, or ran for too long. `lost`: nobody saw it end, so it may still be at work."""

PhaseName = Literal["all", "shape", "look", "finish", "write"]


@dataclass(frozen=True)
class Phase:
    """Stages of a tour that run in one child: `shape` up to the merged models and `look`, where large models look at
    the frames, `finish` up to the floor plan and `write`, where a language model answers; or `all` in one.
    """

    name: PhaseName
    until: str | None
    """Its last stage; all by default."""


@dataclass(frozen=True)
class Need:
    """What an attempt may use."""

    seconds: float
    """CPU-seconds that it is expected to take."""
    memory_mb: float
    """Resident memory at which it is stopped; 10^6 bytes."""
    workers: int = 1
    """Processes that work at once inside it."""
    slots: int = 1
    """Of the engine, that it takes while it runs."""
    cores: float = 1.0
    """That it keeps busy; a tenth where it mostly waits for a language server."""
    gpu: float = 0.0
    """Share of a GPU."""
    batch_parts: int = 1
    """By which the number of frames that large models look at together is divided."""


@dataclass(frozen=True)
class TourTask:
    """One tour of a job."""

    tour: Tour
    """Its run folder is the place in the job where its result is published."""
    key: str
    """Of source, options and version: a tour that is done under this key is not started again."""
    seconds: float
    """Length of the tour as far as a look at its head tells; 0 if unknown."""
    fault: str = ""
    """Why a look at its head failed; empty if it did not, or if nobody looked."""


NOT_STARTED = 0
"""Number of an attempt that there never was: its tour was turned away."""


@dataclass(frozen=True)
class Attempt:
    """One child process for one tour."""

    task: TourTask
    number: int
    """From 1, over all runs of the job; `NOT_STARTED` for none."""
    folder: Path
    """Where it works; nobody else writes there."""
    log: Path
    need: Need
    phase: Phase = Phase("all", None)
    avoid: tuple[str, ...] = ()
    """Machines that it had better not run on."""
    may_wait: bool = False
    """Whether it may do nothing for minutes and be well: other machines work for it, or files are on their way."""

    @property
    def outcome(self) -> Path:
        """File that the child leaves when it ends by itself."""
        return self.log.with_suffix(".outcome.json")

    @property
    def events(self) -> Path:
        """File to which the child adds a line for whatever happens."""
        return self.log.with_suffix(".events.jsonl")


@dataclass(frozen=True)
class Outcome:
    """What a child says of itself."""

    state: State
    reason: str = ""
    stage: str = ""
    """Where it stopped; empty for an end as planned."""
    tour_s: float = 0.0
    """Length of the tour, as decoded."""
    gpu_s: float = 0.0
    """Seconds for which networks had a GPU."""
    stage_s: dict[str, float] = field(default_factory=dict)
    """Seconds of each stage that this attempt finished."""
    is_server_away: bool = False
    """A language server did not answer, and may do so later."""


@dataclass(frozen=True)
class Ended:
    """How a child ended, as its parent saw it."""

    attempt: Attempt
    death: Death
    signal: int = 0
    """Number of the signal that ended it; 0 for none."""
    seconds: float = 0.0
    cpu_s: float = 0.0
    peak_mb: float = 0.0
    last_words: str = ""
    """End of what it wrote to its log."""
    node: str = ""
    """Machine on which it ran; empty for this one, or if unknown."""
    said: Outcome | None = None
    """What the child said of itself; None if it left nothing, or half of it."""


@dataclass(frozen=True)
class LedgerRow:
    """One thing that happened to a tour."""

    time: str
    """UTC, ISO 8601."""
    tour: str
    attempt: int
    node: str
    event: Literal["started", "ended", "superseded", "forgotten", "again"]
    """`superseded`: an attempt that was given up as lost ended after all; its result is not used."""
    state: State
    stage: str = ""
    seconds: float = 0.0
    cpu_s: float = 0.0
    gpu_s: float = 0.0
    """Share of a GPU that it held, times the seconds that it held it."""
    peak_mb: float = 0.0
    signal: int = 0
    key: str = ""
    reason: str = ""
    tour_s: float = 0.0
    phase: PhaseName = "all"
    stage_s: dict[str, float] = field(default_factory=dict)
    """Seconds of each stage that the attempt finished."""


@dataclass(frozen=True)
class Survey:
    """What there is of the tours of a job."""

    results: set[str]
    """Names of those that were published."""
    attempts: dict[str, int]
    """By name, the highest number of an attempt that left something."""


@dataclass(frozen=True)
class JobPlan:
    """What is left of a job, and what it will take by the length of its tours."""

    tours: int
    done: int
    """Under the same source, options and version: they are not started again."""
    unknown_lengths: int
    """Tours whose length nobody knows; each is counted as five minutes."""
    unreadable: tuple[str, ...]
    """Why each tour that cannot be read cannot be; those cost nothing."""
    tour_s: float
    cpu_s: float
    measured_over_estimated: float
    """By which the estimate was scaled: what the job's tours took so far, 1 as long as few are done."""
    wall_s: float
    """With one core per tour, longest first."""
    longest: str
    """The tour that is longest; empty for none."""
    memory_mb: float
    """Of the tour that needs most."""
    gb: float
    """Of the run folders."""
    money: float
    """In the currency of the prices; a month of storage included."""


@dataclass(frozen=True)
class JobStatus:
    """Where a job stands."""

    states: dict[str, int]
    """Number of tours by state."""
    tours: tuple[LedgerRow, ...]
    """Latest row of each tour, by name; waiting tours have attempt 0."""
    cpu_s: float
    lost_cpu_s: float
    """Of attempts that gave no result."""
    tour_s_done: float
    peak_mb: float
    gpu_s: float = 0.0
    is_driven: bool = True
    """Whether a driver works on it, by its lock and signs."""
