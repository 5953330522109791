"""Where attempts run: the seam between a job and the processes or machines that work for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from roomtour.batch.metrics import Metric
from roomtour.batch.records import Attempt, Ended, Need

SAME_VERSIONS = ("roomtour", "pycolmap", "opencv-python-headless")
"""Packages whose version has to be the same everywhere, for results to be."""


class Engine(ABC):
    """Runs attempts, each in a process of its own."""

    slots: int
    """Attempts that may run at once, for all that is known: machines may come and go."""
    memory_mb: float
    """Most resident memory that one attempt can be given."""
    sees_death: bool
    """Whether a child is gone for certain when this process is, or was started anew."""

    @property
    def most_slots(self) -> int:
        """That one machine has, so that one attempt can take."""
        return self.slots

    def find_helpers(self, free: int) -> dict[str, Any] | None:
        """How a child gives out tasks to `free` slots of other machines; None where it cannot."""
        return None

    @abstractmethod
    def has_room(self, running: Sequence[Need], need: Need) -> bool:
        """Whether one more attempt may be given in, beside those that are in."""

    def probe(self, job: Path) -> None:  # noqa: B027
        """Ask every other machine whether it can work for a job.

        Raises:
            RoomtourError: Naming the first that cannot, and why.
        """

    @abstractmethod
    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        """Start an attempt: `command` is the child's command line, after that of Python. Its output goes to its log."""

    @abstractmethod
    def wait(self, timeout_s: float) -> list[Ended]:
        """Watch for at most so many seconds; the attempts that ended.

        Their processes are gone for good, but for those that were lost.
        """

    def tell(self, metrics: Sequence[Metric]) -> None:  # noqa: B027
        """Show the figures of the job where the machines show theirs; again and again while it runs."""

    @abstractmethod
    def cancel(self) -> None:
        """End every child at once; returns when they are gone, as far as this can be seen."""
