"""The exception class of the application, and which exceptions are a user's business."""

from __future__ import annotations

from instructions.errors import InstructionError
from recon.errors import ReconError
from trajectories.errors import TrajectoryError


class RoomtourError(Exception):
    """Something a user can mend. The message is one line: what, where, how far off, what to try."""


USER_ERRORS: tuple[type[Exception], ...] = (RoomtourError, ReconError, TrajectoryError, InstructionError)
"""Printed as one line with exit code 1; anything else is our own mistake and keeps its traceback."""
