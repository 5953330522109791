"""Where attempts run: the seam between a job and the processes or machines that work for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from roomtour.batch.records import Attempt, Ended


class Engine(Protocol):
    """Runs attempts, each in a process of its own."""

    @property
    def slots(self) -> int:
        """Attempts that may run at once."""
        ...

    @property
    def memory_mb(self) -> float:
        """Resident memory that all attempts together may take."""
        ...

    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        """Start an attempt: `command` is the child's command line. Its output goes to the attempt's log."""
        ...

    def wait(self, timeout_s: float) -> list[Ended]:
        """Watch for at most so many seconds; the attempts that ended, whose processes are gone for good."""
        ...

    def cancel(self) -> None:
        """End every child at once; returns when they are gone."""
        ...
