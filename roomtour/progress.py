"""Who is notified of a run's progress: its log, files for other processes, and the bars of the command line."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

import structlog
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn
from structlog.typing import FilteringBoundLogger

_TELL_EVERY_S = 1.0


class Observer:
    """Notified of what a run does, from the thread that runs the pipeline; this one tells nobody.

    Whoever wants every event overrides `hear`, others the methods of those that they want.
    """

    def hear(self, event: str, *words: Any) -> None:
        """One event, by the name of its method below, and what that was given."""

    def tour_started(self, name: str) -> None:
        """One tour begins."""
        self.hear("tour_started", name)

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


class Bars(Observer):
    """One line per finished stage; on a terminal a bar for the stage in progress too."""

    def __init__(self, console: Console):
        self._live = console.is_terminal
        self._progress = Progress(
            TextColumn("  {task.description:<30}"),
            BarColumn(bar_width=12),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            console=console,
        )
        self._task: TaskID | None = None

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

    def stage_started(self, title: str) -> None:
        """Add a bar."""
        if self._live:
            self._task = self._progress.add_task(title, total=1.0)

    def stage_progress(self, fraction: float) -> None:
        """Move the bar."""
        if self._live and self._task is not None:
            self._progress.update(self._task, completed=min(max(fraction, 0.0), 1.0))

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
