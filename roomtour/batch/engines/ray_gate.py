"""The gate of a job on a cluster: one actor that the sockets of all machines hand their words to."""

from __future__ import annotations

import time
from typing import Any

from instructions.language.budget import Usage
from instructions.language.gate import Word

_TRIES, _PAUSE_S = 20, 0.5


class RayGate:
    """The gate of a job, as an actor that all machines reach."""

    def __init__(self, handle: Any):
        self.handle = handle

    def ask(self, tokens: int, ticket: int, holder: str) -> Word:
        """See `HeldGate`."""
        return self._get("ask", tokens, ticket, holder)

    def settle(self, tokens: int, prompt_tokens: int, reply_tokens: int, holder: str) -> None:
        """See `HeldGate`."""
        self._get("settle", tokens, prompt_tokens, reply_tokens, holder)

    def pause(self, seconds: float) -> None:
        """See `HeldGate`."""
        self._get("pause", seconds)

    def drop(self, holder: str) -> None:
        """See `HeldGate`."""
        self._get("drop", holder)

    def count(self) -> tuple[Usage, float]:
        """See `SharedGate`."""
        return self._get("count")

    def _get(self, what: str, *words: object) -> Any:
        """Ask, and again while a dead gate is started anew: it holds its limits again from empty.

        Raises:
            OSError: If it does not come back.
        """
        import ray
        from ray.exceptions import RayError

        for _ in range(_TRIES):
            try:
                return ray.get(getattr(self.handle, what).remote(*words))
            except RayError:
                time.sleep(_PAUSE_S)
        raise OSError("the gate of the job does not answer")
