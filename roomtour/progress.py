"""Who is notified of a run's progress: its log, files for other processes, and the bars of the command line."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

import structlog
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn
from structlog.typing import FilteringBoundLogger

_TELL_EVERY_S = 1.0
_LEAST_SHARE, _LEAST_S = 0.15, 3.0
"""Of a tour that have to be done, and seconds that they took, before the time left is told."""


class Observer:
    """Notified of what a run does, from the thread that runs the pipeline; this one tells nobody.

    Whoever wants every event overrides `hear`, others the methods of those that they want.
    """

    def hear(self, event: str, *words: Any) -> None:
        """One event, by the name of its method below, and what that was given."""

    def tour_started(self, name: str) -> None:
        """One tour begins."""
        self.hear("tour_started", name)

    def stages_planned(self, shares: Mapping[str, float]) -> None:
        """By title, in order, the stages that will run, with the share of the time of a tour that each usually takes.

        Empty where nobody knows.
        """
        self.hear("stages_planned", dict(shares))

    def stage_started(self, title: str) -> None:
        """A stage begins."""
        self.hear("stage_started", title)

    def stage_progress(self, fraction: float) -> None:
        """The stage in progress has done this share, 0 to 1."""
        self.hear("stage_progress", fraction)

    def stage_damaged(self, title: str, damage: Sequence[str]) -> None:
        """The earlier result of a stage is not as it was written, so the stage runs again."""
        self.hear("stage_damaged", title, list(damage))

    def stage_done(self, title: str, seconds: float, kept: bool, counts: str) -> None:
        """A stage ended; `kept` if its earlier result was used."""
        self.hear("stage_done", title, seconds, kept, counts)


class EventFile(Observer):
    """Writes what happens for other processes, a line each, which also are signs of life."""

    def __init__(self, path: Path):
        self._path = path
        self._told = 0.0
        self.stage = ""
        """That began last."""

    def hear(self, event: str, *words: Any) -> None:
        """Write it, progress once a second at most; a tour with the machine that works on it."""
        now = time.monotonic()
        if event == "stage_progress" and now - self._told < _TELL_EVERY_S:
            return
        self._told = now if event == "stage_progress" else self._told
        self.stage = words[0] if event == "stage_started" else self.stage
        said = (*words, platform.node()) if event == "tour_started" else words
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([event, *said]) + "\n")


def _read_events(path: Path, start: int = 0) -> tuple[list[list[Any]], int]:
    """Whole lines from a byte on, and the byte at which to begin the next time; none while there is no such file."""
    if not path.is_file():
        return [], start
    with path.open("rb") as file:
        file.seek(start)
        whole, end, _ = file.read().rpartition(b"\n")
    return [json.loads(line) for line in whole.splitlines()], start + len(whole) + len(end)


def replay_events(path: Path, start: int, observer: Observer, seen: set[str]) -> int:
    """Notify an observer of what another process wrote; it knows already which tour that works on.

    Args:
        path: Of the events.
        start: Byte at which to begin.
        observer: Who is notified.
        seen: Stages that ended, which are not told of again where a later process only keeps them; added to.

    Returns:
        Byte at which to begin the next time.
    """
    events, end = _read_events(path, start)
    for event, *words in events:
        is_kept_again = event == "stage_done" and words[0] in seen and words[2]
        if event == "stage_done":
            seen.add(words[0])
        if not is_kept_again and not (event == "stage_started" and words[0] in seen) and event != "tour_started":
            getattr(observer, event)(*words)
    return end


@dataclass(frozen=True)
class Reached:
    """How far another process is."""

    stage: str = ""
    """That began last; empty before the first."""
    fraction: float = 0.0
    node: str = ""
    """Machine on which it works."""


def read_reached(path: Path) -> Reached:
    """How far a process is by its events; not at all where nobody sees them."""
    reached = Reached()
    for event, *words in _read_events(path)[0]:
        if event == "tour_started":
            reached = replace(reached, node=words[1])
        elif event == "stage_started":
            reached = replace(reached, stage=words[0], fraction=0.0)
        elif event in ("stage_progress", "stage_done"):
            reached = replace(reached, fraction=words[0] if event == "stage_progress" else 1.0)
    return reached


class TimeLeft:
    """Notified of what is done, asked for what is left."""

    def __init__(self, shares: Mapping[str, float], clock: Callable[[], float] = time.monotonic):
        """Begin with nothing done.

        Args:
            shares: Of the time of a tour, by the titles of the stages that will run, in order.
            clock: Seconds.
        """
        self._shares, self._clock, self._begun = dict(shares), clock, clock()
        self._total = sum(self._shares.values())
        self._left = dict(self._shares)
        """Shares of the stages that are not done; less of the one that is in progress."""
        self._told, self._done, self._spent_s = self._begun, 0.0, 0.0

    def note(self, title: str, fraction: float) -> None:
        """A stage has done this share of its own work."""
        if title not in self._shares:
            return
        self._left[title] = self._shares[title] * (1.0 - min(max(fraction, 0.0), 1.0))
        self._told = self._clock()
        self._done, self._spent_s = self._total - sum(self._left.values()), self._told - self._begun

    @property
    def share_done(self) -> float:
        """0 to 1."""
        return self._done / self._total if self._total else 0.0

    def estimate_s(self) -> float | None:
        """Seconds; None as long as too little is done to tell.

        Between two notes it counts down, to what the stages behind the one in progress will take.
        """
        if self.share_done < _LEAST_SHARE or self._spent_s < _LEAST_S:
            return None
        left = [share for share in self._left.values() if share]
        per_share = self._spent_s / self._done
        silent_s = self._clock() - self._told
        return max(per_share * sum(left) - silent_s, per_share * sum(left[1:]))


def describe_time_left(seconds: float) -> str:
    """`a few seconds left`, `about 40 s left`, `about 3 min left`, `about 1.5 h left`."""
    if seconds < 10:
        return "a few seconds left"
    if seconds < 90:
        return f"about {10 * round(seconds / 10)} s left"
    return f"about {round(seconds / 60)} min left" if seconds < 5400 else f"about {seconds / 3600:.1f} h left"


class Bars(Observer):
    """One line per finished stage; on a terminal a bar for the stage in progress too, and one for the tour."""

    def __init__(self, console: Console):
        self._live = console.is_terminal
        self._progress = Progress(
            TextColumn("  {task.description:<30}"),
            BarColumn(bar_width=12),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            TextColumn("[dim]{task.fields[note]}"),
            console=console,
        )
        self._task: TaskID | None = None
        self._title = ""
        self._tour: TaskID | None = None
        self._left: TimeLeft | None = None

    def __enter__(self) -> Bars:
        if self._live:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            for task in self._progress.task_ids:  # finished stages have their lines
                self._progress.remove_task(task)
            self._progress.stop()

    def tour_started(self, name: str) -> None:
        """Print the tour's name above its bars."""
        self._progress.console.print(name, style="bold", markup=False, highlight=False)

    def stages_planned(self, shares: Mapping[str, float]) -> None:
        """Add a bar for the tour."""
        if self._live and len(shares) > 1 and self._tour is None:
            self._left = TimeLeft(shares)
            self._tour = self._progress.add_task("The whole tour", total=1.0, note="")

    def stage_started(self, title: str) -> None:
        """Add a bar."""
        self._title = title
        if self._live:
            self._task = self._progress.add_task(title, total=1.0, note="")

    def stage_progress(self, fraction: float) -> None:
        """Move the bar."""
        if self._live and self._task is not None:
            self._progress.update(self._task, completed=min(max(fraction, 0.0), 1.0))
            self._note(fraction)

    def stage_damaged(self, title: str, damage: Sequence[str]) -> None:
        """Say above the bars what is made anew, and why."""
        for damaged in damage:
            self._progress.console.print(
                f"  {title}: {damaged}; made anew", markup=False, highlight=False, soft_wrap=True
            )

    def stage_done(self, title: str, seconds: float, kept: bool, counts: str) -> None:
        """Say what came out, in place of the bar."""
        note = ": ".join(part for part in ("kept" * kept, counts) if part)
        line = f"  {title:<30} {seconds:7.1f} s  {note}".rstrip()
        self._progress.console.print(line, markup=False, highlight=False, soft_wrap=True)
        if self._live and self._task is not None:
            self._progress.remove_task(self._task)
            self._task = None
            self._note(1.0)

    def _note(self, fraction: float) -> None:
        """Move the bar of the tour, and say how long it will take where that can be told."""
        if self._left is None or self._tour is None:
            return
        self._left.note(self._title, fraction)
        seconds = self._left.estimate_s()
        note = describe_time_left(seconds) if seconds is not None else ""
        self._progress.update(self._tour, completed=self._left.share_done, note=note)


def open_log(path: Path) -> tuple[FilteringBoundLogger, TextIO]:
    """Open (append to) a log file; the caller closes the second value."""
    file = path.open("a", encoding="utf-8", buffering=1)
    logger = structlog.wrap_logger(
        structlog.WriteLogger(file),
        processors=[
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.add_log_level,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger("info"),
    )
    return logger, file
