"""What the sessions of every kind of row share: where one person stands in a sample, and what was shown when."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

from roomtour.drawing.pages import read_asset, render
from roomtour.errors import RoomtourError
from roomtour.files.appended import Judgement, Judgements
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


Item = TypeVar("Item", bound=Reviewed)
Told = TypeVar("Told")


class SampledSession(ABC, Generic[Item, Judgement]):
    """One person's way through a sample; safe to use from several threads."""

    judgements: Judgements[Judgement]
    """Where what is said is kept."""
    page: str
    """Name of the page's template and script."""
    noun: str
    """What is judged."""

    def __init__(self, items: Sequence[Item], run_folders: Mapping[str, Path], rater: str) -> None:
        """Begin where the person stopped: what lies in the runs of this person and of these texts is given already.

        Args:
            items: The sample.
            run_folders: Run folder by `Item.run`.
            rater: Who judges.

        Raises:
            RoomtourError: If judgements in a run cannot be read.
        """
        self.items = tuple(items)
        self.rater = rater
        self._folders = run_folders
        self._lock = threading.Lock()
        self._shown_at: dict[int, float] = {}
        self._given: dict[int, Judgement] = {}
        row_of = {(item.run, self.name_item(item)): row for row, item in enumerate(self.items)}
        for run, folder in run_folders.items():
            for judgement in self.judgements.load(folder):
                row = row_of.get((run, self.judgements.of(judgement)))
                if row is not None and judgement.rater == rater:
                    self._given[row] = judgement

    @staticmethod
    @abstractmethod
    def name_item(item: Item) -> Hashable:
        """What judgements of an item name it by."""

    @abstractmethod
    def describe(self, item: Item, given: Judgement | None) -> dict[str, Any]:
        """What the page of an item shows besides what all pages do."""

    @abstractmethod
    def judge(self, item: Item, given: Any, signed: Mapping[str, Any]) -> Judgement:
        """The judgement that a page sent.

        Args:
            item: What is judged.
            given: What was sent.
            signed: The fields `rater`, `rated` and `seconds` of every judgement.

        Raises:
            RoomtourError: If what was sent does not fit the item.
        """

    @property
    def script(self) -> str:
        """What the page runs: keys, marks and sending."""
        return read_asset(f"review/{self.page}.js")

    def draw(self, row: int, token: str) -> str:
        """The page of an item; an answer must send the token along."""
        item = self.items[row]
        around = {
            "title": f"{row + 1} of {len(self.items)} – {self.noun}",
            "token": token,
            "row": row,
            "total": len(self.items),
            "done": self.done,
            "rater": self.rater,
            "tour": item.tour.name,
        }
        return render(f"review/{self.page}.html", **around, **self.describe(item, self._given.get(row)))

    def take(self, row: int, sent: Any) -> Judgement:
        """Check and keep an answer; when this returns it is on the disk.

        Raises:
            RoomtourError: If it does not fit its item, or cannot be written.
        """
        item, now = self.items[row], time.monotonic()
        signed = {
            "rater": self.rater,
            "rated": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": round(now - self._shown_at.get(row, now), 1),
        }
        judgement = self.judge(item, sent, signed)
        with self._lock:
            self.judgements.append(self._folders[item.run], judgement)
            self._given[row] = judgement
        return judgement

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
