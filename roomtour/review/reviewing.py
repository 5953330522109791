"""What the server of a review needs of a session, whatever is judged in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from roomtour.view.tour import TourView


class Reviewed(Protocol):
    """One item of a sample."""

    @property
    def run(self) -> str:
        """Key of the run it lies in."""
        ...

    @property
    def tour(self) -> TourView:
        """The tour, for its frames."""
        ...


class Reviewing(Protocol):
    """One person's way through a sample. Safe to use from several threads."""

    @property
    def items(self) -> Sequence[Reviewed]:
        """The sample."""
        ...

    @property
    def script(self) -> str:
        """What the pages run."""
        ...

    def draw(self, row: int, token: str) -> str:
        """The page of an item; an answer must send the token along."""
        ...

    def next_open(self, after: int = -1) -> int | None:
        """The next item that is not judged; None if all are."""
        ...

    def show(self, row: int) -> None:
        """Note when an item was shown."""
        ...

    def take(self, row: int, sent: Any) -> object:
        """Check and keep an answer; when this returns it is on the disk.

        Raises:
            RoomtourError: If the answer does not fit its item, or cannot be written.
        """
        ...
