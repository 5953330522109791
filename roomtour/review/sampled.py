"""What the sessions of every kind of row share: where one person stands in a sample, and what was shown when."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from roomtour.drawing.pages import read_asset, render
from roomtour.errors import RoomtourError
from roomtour.files.appended import Judgement, Judgements
from roomtour.view.tour import TourView

Row = TypeVar("Row")
Told = TypeVar("Told")
MAX_NOTE = 2000
"""Letters of what a person writes."""


@dataclass(frozen=True, eq=False)
class Item(Generic[Row]):
    """One row to judge."""

    run: str
    """Key of the run it lies in."""
    tour: TourView
    row: Row


AnyItem = TypeVar("AnyItem", bound=Item[Any])


def draw_by_lot(items: Iterable[AnyItem], size: int, seed: int) -> list[AnyItem]:
    """At most so many items, over all runs alike.

    The lot rests on the seed, the tour's name and the row's id only, so all people get the same rows in the same order:
    which runs stand beside it, or in which order, does not move a row before or behind another.
    """
    return sorted(items, key=lambda item: draw_lot(seed, item.tour.name, item.row.id))[:size]


def draw_lot(*words: object) -> bytes:
    """A place in a random order that these words decide."""
    return sha256("/".join(map(str, words)).encode()).digest()


class SampledSession(ABC, Generic[AnyItem, Judgement]):
    """One person's way through a sample; safe to use from several threads."""

    judgements: Judgements[Judgement, Any]
    """Where what is said is kept."""
    page: str
    """Name of the page's template and script."""
    noun: str
    """What is judged."""

    def __init__(self, items: Sequence[AnyItem], run_folders: Mapping[str, Path], rater: str) -> None:
        """Begin where the person stopped: what lies in the runs of this person and of these texts is given already.

        Raises:
            RoomtourError: If judgements in a run cannot be read.
        """
        self.items = tuple(items)
        self.rater = rater
        self._folders = run_folders
        self._lock = threading.Lock()
        self._shown_at: dict[int, float] = {}
        self._given: dict[int, Judgement] = {}
        names = self.judgements.names_of
        row_of = {(item.run, name): row for row, item in enumerate(self.items) for name in names(item.row)[:1]}
        for run, folder in run_folders.items():
            for judgement in self.judgements.load(folder):
                row = row_of.get((run, self.judgements.of(judgement)))
                if row is not None and judgement.rater == rater:
                    self._given[row] = judgement

    @abstractmethod
    def describe(self, item: AnyItem, given: Judgement | None) -> dict[str, Any]:
        """What the page of an item shows besides what all pages do."""

    @abstractmethod
    def judge(self, item: AnyItem, given: Any, signed: Mapping[str, Any]) -> Judgement:
        """The judgement that a page sent.

        The fields `rater`, `rated` and `seconds` of every judgement are in `signed`.

        Raises:
            RoomtourError: If what was sent does not fit the item.
        """

    @property
    def script(self) -> str:
        """What the page runs: keys, marks and sending."""
        return read_asset("review/common.js") + read_asset(f"review/{self.page}.js")

    def draw(self, row: int, token: str) -> str:
        """The page of an item; an answer must send the token along."""
        item, given = self.items[row], self._given.get(row)
        around = {
            "title": f"{row + 1} of {len(self.items)} – {self.noun}",
            "token": token,
            "row": row,
            "total": len(self.items),
            "done": self.done,
            "rater": self.rater,
            "tour": item.tour.name,
            "given": given,
            "max_note": MAX_NOTE,
        }
        return render(f"review/{self.page}.html", **around, **self.describe(item, given))

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


def words_of(text: str) -> list[str]:
    """The words of a text as raters see and mark them."""
    return text.split()


def read_sent(kind: type[Told], sent: Any, noun: str) -> Told:
    """What a page sent, checked.

    Raises:
        RoomtourError: One line on the first field that does not fit.
    """
    try:
        return TypeAdapter(kind).validate_python(sent)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise RoomtourError(f"{noun}: {'.'.join(map(str, first['loc']))}: {first['msg'].lower()}") from error


def require_marks(marked: Iterable[int], most: int, note: str, noun: str = "answer: marked words") -> tuple[int, ...]:
    """What a person marked in a row, each once and in order.

    Raises:
        RoomtourError: If a mark is none of `most`, or the note is too long.
    """
    places = tuple(sorted(set(marked)))
    if not all(0 <= place < most for place in places) or len(note) > MAX_NOTE:
        raise RoomtourError(f"{noun} must be below {most} and the note at most {MAX_NOTE} letters")
    return places
