"""Why a program has no value."""

from __future__ import annotations

from typing import Literal

Reason = Literal["source", "parse", "limit", "crash", "value"]
REASONS: dict[Reason, str] = {
    "source": "the text holds something a program may not hold, or is too long",
    "parse": "the text is no Python, or no Python that the sandbox knows",
    "limit": "it took too much time, memory, depth or output, or asked for something outside the sandbox",
    "crash": "it raised an error",
    "value": "what it returned is no plain value of the allowed size",
}


class ProgramError(Exception):
    """A program that has no value: its own failure, never ours. `reason` is a key of `REASONS`."""

    def __init__(self, reason: Reason, message: str):
        super().__init__(f"{reason}: {message}")
        self.reason: Reason = reason
        self.message = message
