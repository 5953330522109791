"""A language server that does not answer: no tour asks it for some minutes, then one does. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from roomtour.batch.records import PhaseName

STEP_S = 300.0
"""Between two tries."""
_MOST_STEPS = 3
"""After so many tries in vain tours end unfinished; the same command goes on with them."""


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
