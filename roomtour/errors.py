"""The exception class of the application, and which exceptions are a user's business."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher
from pathlib import Path

from instructions.errors import InstructionError
from recon.errors import ReconError
from trajectories.errors import TrajectoryError


class RoomtourError(Exception):
    """Something a user can mend. The message is one line: what, where, how far off, what to try."""


class UsageError(RoomtourError):
    """A command line that asks for something there is not: a command, flag or stage. Exit code 2, as of any parser."""


class DiskFullError(RoomtourError):
    """A disk has no room, or a quota is used up; no tour is at fault."""


class Unfinished(RoomtourError):
    """Everything was made but what a server did not answer: earlier rows stay, the same command makes the rest."""

    def __init__(self, message: str, run: Path, *, may_pass: bool):
        """Make one.

        Args:
            message: Stages and causes, in one line.
            run: The run folder, whose other stages are done.
            may_pass: A server did not answer, and may do so later by itself.
        """
        super().__init__(message)
        self.run, self.may_pass = run, may_pass


_LEAST_LIKENESS = 0.7
"""Below it two names have little more in common than the letters of any two."""
_MOST_NAMES = 3

USER_ERRORS: tuple[type[Exception], ...] = (RoomtourError, ReconError, TrajectoryError, InstructionError)
"""Printed as one line with exit code 1; anything else is our own mistake and keeps its traceback."""


def did_you_mean(name: str, known: Iterable[str], prefix: str = "") -> str:
    """A sentence with the names nearest to one that nobody knows, to put behind an error; empty if none is near.

    Args:
        name: The unknown one. Of dotted names the last part counts by itself too, so that `sfm.min_model_frame` finds
            `recon.min_model_frames`.
        known: What there is.
        prefix: Stands before each name of the sentence.
    """
    scored = sorted(((_likeness(name, other), other) for other in known), key=lambda pair: -pair[0])
    near = [other for score, other in scored[:_MOST_NAMES] if score >= max(_LEAST_LIKENESS, scored[0][0] - 0.1)]
    return f" Did you mean {' or '.join(prefix + other for other in near)}?" if near else ""


def _likeness(name: str, other: str) -> float:
    """0 to 1, by the share of letters in common; the beginning of a name is nearly the name."""
    if other.startswith(name):
        return 0.98
    last, other_last = name.rpartition(".")[2], other.rpartition(".")[2]
    if name.partition(".")[0] == other.partition(".")[0] and other_last.startswith(last):
        return 0.96
    whole = SequenceMatcher(None, name, other).ratio()
    return max(whole, 0.95 * SequenceMatcher(None, last, other_last).ratio())
