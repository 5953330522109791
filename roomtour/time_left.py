"""How long a tour will still take: by the time that its finished stages took, and what share of a tour they are."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

_LEAST_SHARE, _LEAST_S = 0.15, 3.0
"""Of the tour that have to be done, and seconds that they took, before anything is said."""


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
