"""Whether a job that loses many tours had better stop: then its machine is broken, or this version is."""

from __future__ import annotations

from collections import deque
from pathlib import Path

from roomtour.batch.records import State
from roomtour.errors import RoomtourError

_LATELY = 50


class Health:
    """How the last tours of a job ended."""

    def __init__(self, folder: Path, stop_share: float):
        """Of the job in `folder`; see `JobOptions.stop_share`."""
        self._folder, self._stop_share = folder, stop_share
        self._lately: deque[bool] = deque(maxlen=_LATELY)

    def require(self, state: State) -> None:
        """Take note of how an attempt ended.

        Raises:
            RoomtourError: If too many of the last tours crashed or failed.
        """
        if state == "waiting":
            return
        self._lately.append(state in ("crashed", "failed"))
        broken = sum(self._lately)
        if len(self._lately) == _LATELY and broken > self._stop_share * _LATELY:
            raise RoomtourError(
                f"{self._folder}: {broken} of the last {_LATELY} tours crashed or failed, more than --stop-share "
                f"{self._stop_share:g}: look at {self._folder / 'logs'}, then run the same command again"
            )
