"""One rater's way through a sample of texts of walks: what is judged already, the pages, and taking an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from instructions.navigation.records import ViewDescription
from roomtour.drawing.pages import read_asset, render
from roomtour.drawing.thumbnails import spread
from roomtour.errors import RoomtourError
from roomtour.files.ratings import Rating, Score, append_rating, load_ratings, text_key
from roomtour.review.causes import words_of
from roomtour.review.path_picture import draw_path_picture
from roomtour.review.sample import ReviewItem
from roomtour.review.sampled import SampledSession, read_sent
from roomtour.review.scores import ACCURACY_WORDS, MAX_NOTE, SCORE_WORDS

MAX_FRAMES = 8


@dataclass(frozen=True)
class Answer:
    """What the page sends."""

    score: Score
    accurate: bool
    wrong_words: tuple[int, ...]
    note: str


_ANSWER = TypeAdapter(Answer)


class ReviewSession(SampledSession[ReviewItem, Rating]):
    """The sample for one rater; see `Reviewing`."""

    def __init__(self, items: Sequence[ReviewItem], run_folders: Mapping[str, Path], rater: str) -> None:
        """Take up where the rater stopped: earlier ratings are read from the runs.

        Raises:
            RoomtourError: If ratings in a run cannot be read.
        """
        super().__init__(items, run_folders, rater)
        self._take_up(
            load_ratings,
            lambda item: (item.instruction.id, text_key(item.instruction.text)),
            lambda rating: (rating.rater, (rating.instruction, rating.text_key)),
        )

    @property
    def script(self) -> str:
        """What the page runs: keys, marks and sending."""
        return read_asset("review/review.js")

    def draw(self, row: int, token: str) -> str:
        """The page of one text: it, its frames and its way, and what the rater said before."""
        item, given = self.items[row], self._given.get(row)
        told = item.instruction
        shown = () if item.is_way_back else spread(told.views, MAX_FRAMES)
        return render(
            "review/item.html",
            **self._describe_page(row, token, "review"),
            kind=told.kind,
            words=words_of(told.text),
            question=told.question if isinstance(told, ViewDescription) else None,
            is_way_back=item.is_way_back,
            frames=[item.tour.frames[frame] for frame in shown if frame in item.tour.frames],
            way=draw_path_picture(item.tour, told, is_way_back=item.is_way_back),
            score_words=SCORE_WORDS,
            accuracy_words=ACCURACY_WORDS,
            max_note=MAX_NOTE,
            score=given.score if given else None,
            accurate=given.accurate if given else None,
            wrong_words=given.wrong_words if given else (),
            note=given.note if given else "",
        )

    def take(self, row: int, sent: Any) -> Rating:
        """Check and keep an answer; when this returns it is on the disk.

        Raises:
            RoomtourError: If the answer does not fit its item, or cannot be written.
        """
        item = self.items[row]
        answer = read_sent(_ANSWER, sent, "answer")
        words = len(words_of(item.instruction.text))
        if not all(0 <= word < words for word in answer.wrong_words) or len(answer.note) > MAX_NOTE:
            raise RoomtourError(f"answer: marked words must be below {words} and the note at most {MAX_NOTE} letters")
        rating = Rating(
            instruction=item.instruction.id,
            text_key=text_key(item.instruction.text),
            rater=self.rater,
            score=answer.score,
            wrong_words=tuple(sorted(set(answer.wrong_words))),
            note=answer.note.strip(),
            rated=datetime.now(UTC).isoformat(timespec="seconds"),
            seconds=self._seconds_shown(row),
            accurate=answer.accurate,
        )
        return self._keep(row, rating, append_rating)
