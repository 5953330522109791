"""Who is notified of a run's progress: a Protocol, and the bars of the command line."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn


class Observer(Protocol):
    """Notified of what a run does. Called from the thread that runs the pipeline."""

    def tour_started(self, name: str) -> None:
        """One tour begins."""
        ...

    def stage_started(self, title: str) -> None:
        """A stage begins."""
        ...

    def stage_progress(self, fraction: float) -> None:
        """The stage in progress has done this share, 0 to 1."""
        ...

    def stage_damaged(self, title: str, damage: Sequence[str]) -> None:
        """The earlier result of a stage is not as it was written, so the stage runs again."""
        ...

    def stage_done(self, title: str, seconds: float, kept: bool, counts: str) -> None:
        """A stage ended; `kept` if its earlier result was used."""
        ...


class Silent:
    """Notifies nobody: the default from Python."""

    def tour_started(self, name: str) -> None:
        """Say nothing."""

    def stage_started(self, title: str) -> None:
        """Say nothing."""

    def stage_progress(self, fraction: float) -> None:
        """Say nothing."""

    def stage_damaged(self, title: str, damage: Sequence[str]) -> None:
        """Say nothing."""

    def stage_done(self, title: str, seconds: float, kept: bool, counts: str) -> None:
        """Say nothing."""


class Bars:
    """One progress bar per stage on a terminal; one line per finished stage where there is no terminal."""

    def __init__(self, console: Console):
        self._console = console
        self._live = console.is_terminal
        self._progress = Progress(
            TextColumn("  {task.description:<30}"),
            BarColumn(bar_width=28),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            TextColumn("[dim]{task.fields[note]}"),
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
            self._progress.stop()

    def tour_started(self, name: str) -> None:
        """Print the tour's name above its bars."""
        self._progress.console.print(name, style="bold", markup=False, highlight=False)

    def stage_started(self, title: str) -> None:
        """Add a bar."""
        if self._live:
            self._task = self._progress.add_task(title, total=1.0, note="")

    def stage_progress(self, fraction: float) -> None:
        """Move the bar."""
        if self._live and self._task is not None:
            self._progress.update(self._task, completed=min(max(fraction, 0.0), 1.0))

    def stage_damaged(self, title: str, damage: Sequence[str]) -> None:
        """Say above the bars what is made anew, and why."""
        for one in damage:
            self._progress.console.print(f"  {title}: {one}; made anew", markup=False, highlight=False, soft_wrap=True)

    def stage_done(self, title: str, seconds: float, kept: bool, counts: str) -> None:
        """Fill the bar and say what came out."""
        note = f"kept: {counts}" if kept else counts
        if self._live and self._task is not None:
            self._progress.update(self._task, completed=1.0, note=note)
        else:
            line = f"  {title:<30} {seconds:7.1f} s  {note}"
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)
