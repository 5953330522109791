"""One rater's way through the sample: what is judged already, what comes next, and taking an answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from roomtour.errors import RoomtourError
from roomtour.files.ratings import Rating, Score, append_rating, load_ratings, text_key
from roomtour.review.causes import words_of
from roomtour.review.page import draw_item, script
from roomtour.review.sample import ReviewItem
from roomtour.review.scores import MAX_NOTE


@dataclass(frozen=True)
class Answer:
    """What the page sends."""

    score: Score
    accurate: bool
    wrong_words: tuple[int, ...]
    note: str


_ANSWER = TypeAdapter(Answer)


class ReviewSession:
    """The sample for one rater. Safe to use from several threads."""

    def __init__(self, items: Sequence[ReviewItem], run_folders: Mapping[str, Path], rater: str) -> None:
        """Take up where the rater stopped: earlier ratings are read from the runs.

        Args:
            items: The sample.
            run_folders: Run folder by `ReviewItem.run`.
            rater: Name that the ratings carry.

        Raises:
            RoomtourError: If ratings in a run cannot be read.
        """
        self.items = tuple(items)
        self.rater = rater
        self._folders = run_folders
        self._lock = threading.Lock()
        self._shown_at: dict[int, float] = {}
        self._given: dict[int, Rating] = {}
        row_of = {(item.run, item.instruction.id): row for row, item in enumerate(self.items)}
        for run, folder in run_folders.items():
            for rating in load_ratings(folder):
                row = row_of.get((run, rating.instruction))
                if row is not None and rating.rater == rater and rating.text_key == self._text_key(row):
                    self._given[row] = rating

    @property
    def done(self) -> int:
        """How many of the sample this rater has judged."""
        return len(self._given)

    def given(self, row: int) -> Rating | None:
        """The rater's rating of an item, if any."""
        return self._given.get(row)

    def draw(self, row: int, token: str) -> str:
        """The page of an item."""
        item, given = self.items[row], self.given(row)
        return draw_item(item, row, len(self.items), self.done, self.rater, token, given)

    @property
    def script(self) -> str:
        """What the page runs."""
        return script()

    def next_open(self, after: int = -1) -> int | None:
        """The next item without a rating, going round; None if all are judged."""
        rows = [*range(after + 1, len(self.items)), *range(after + 1)]
        return next((row for row in rows if row not in self._given), None)

    def show(self, row: int) -> None:
        """Note when an item was shown."""
        self._shown_at[row] = time.monotonic()

    def take(self, row: int, sent: Any) -> Rating:
        """Check and keep an answer; when this returns it is on the disk.

        Raises:
            RoomtourError: If the answer does not fit its item, or cannot be written.
        """
        item = self.items[row]
        try:
            answer = _ANSWER.validate_python(sent)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise RoomtourError(f"answer: {'.'.join(map(str, first['loc']))}: {first['msg'].lower()}") from error
        words = len(words_of(item.instruction.text))
        if not all(0 <= word < words for word in answer.wrong_words) or len(answer.note) > MAX_NOTE:
            raise RoomtourError(f"answer: marked words must be below {words} and the note at most {MAX_NOTE} letters")
        rating = Rating(
            instruction=item.instruction.id,
            text_key=self._text_key(row),
            rater=self.rater,
            score=answer.score,
            wrong_words=tuple(sorted(set(answer.wrong_words))),
            note=answer.note.strip(),
            rated=datetime.now(UTC).isoformat(timespec="seconds"),
            seconds=round(time.monotonic() - self._shown_at.get(row, time.monotonic()), 1),
            accurate=answer.accurate,
        )
        with self._lock:
            append_rating(self._folders[item.run], rating)
            self._given[row] = rating
        return rating

    def _text_key(self, row: int) -> str:
        return text_key(self.items[row].instruction.text)
