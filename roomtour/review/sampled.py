"""What the sessions of every kind of row share: where one person stands in a sample, and what was shown when."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from roomtour.errors import RoomtourError
from roomtour.review.reviewing import Reviewed

Item = TypeVar("Item", bound=Reviewed)
Judgement = TypeVar("Judgement")
Told = TypeVar("Told")


class SampledSession(Generic[Item, Judgement]):
    """One person's way through a sample; the rest of `Reviewing` is each kind's own."""

    def __init__(self, items: Sequence[Item], run_folders: Mapping[str, Path], rater: str) -> None:
        """Nothing is judged yet; the session of a kind takes up what lies in the runs."""
        self.items = tuple(items)
        self.rater = rater
        self._folders = run_folders
        self._lock = threading.Lock()
        self._shown_at: dict[int, float] = {}
        self._given: dict[int, Judgement] = {}

    def _take_up(
        self,
        load: Callable[[Path], Iterable[Judgement]],
        name_item: Callable[[Item], Hashable],
        name_judged: Callable[[Judgement], tuple[str, Hashable]],
    ) -> None:
        """Begin where the person stopped: what lies in the runs of this person and of these texts is given already.

        Args:
            load: Reads the judgements of a run.
            name_item: Names an item within its run, with its text: one that was written anew has not been judged.
            name_judged: Who judged, and the name of the item that was judged.

        Raises:
            RoomtourError: If judgements in a run cannot be read.
        """
        row_of = {(item.run, name_item(item)): row for row, item in enumerate(self.items)}
        for run, folder in self._folders.items():
            for judgement in load(folder):
                rater, name = name_judged(judgement)
                row = row_of.get((run, name))
                if row is not None and rater == self.rater:
                    self._given[row] = judgement

    def _describe_page(self, row: int, token: str, noun: str) -> dict[str, Any]:
        """What the page of every kind says around the item."""
        return {
            "title": f"{row + 1} of {len(self.items)} – {noun}",
            "token": token,
            "row": row,
            "total": len(self.items),
            "done": self.done,
            "rater": self.rater,
            "tour": self.items[row].tour.name,
        }

    @property
    def done(self) -> int:
        """How many of the sample this person has judged."""
        return len(self._given)

    def next_open(self, after: int = -1) -> int | None:
        """The next item that is not judged, going round; None if all are."""
        rows = [*range(after + 1, len(self.items)), *range(after + 1)]
        return next((row for row in rows if row not in self._given), None)

    def show(self, row: int) -> None:
        """Note when an item was shown."""
        self._shown_at[row] = time.monotonic()

    def _seconds_shown(self, row: int) -> float:
        return round(time.monotonic() - self._shown_at.get(row, time.monotonic()), 1)

    def _keep(self, row: int, judgement: Judgement, append: Callable[[Path, Judgement], None]) -> Judgement:
        """Write a judgement to the item's run; when this returns it is on the disk."""
        with self._lock:
            append(self._folders[self.items[row].run], judgement)
            self._given[row] = judgement
        return judgement


def read_sent(adapter: TypeAdapter[Told], sent: Any, noun: str) -> Told:
    """What a page sent, checked.

    Raises:
        RoomtourError: One line on the first field that does not fit.
    """
    try:
        return adapter.validate_python(sent)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise RoomtourError(f"{noun}: {'.'.join(map(str, first['loc']))}: {first['msg'].lower()}") from error
