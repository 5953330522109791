"""One rater's way through a sample of texts of walks: what is judged already, the pages, and taking an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from instructions.navigation.records import ViewDescription
from roomtour.drawing.thumbnails import spread
from roomtour.errors import RoomtourError
from roomtour.files.ratings import RATINGS, Rating, Score, text_key
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
    """The sample of texts for one rater."""

    judgements, page, noun = RATINGS, "item", "text"

    @staticmethod
    def name_item(item: ReviewItem) -> tuple[str, str]:
        """Its id, and what it says."""
        return item.instruction.id, text_key(item.instruction.text)

    def describe(self, item: ReviewItem, given: Rating | None) -> dict[str, Any]:
        """The text, its frames and its way, and what the rater said before."""
        told = item.instruction
        shown = () if item.is_way_back else spread(told.views, MAX_FRAMES)
        return dict(
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

    def judge(self, item: ReviewItem, given: Any, signed: Mapping[str, Any]) -> Rating:
        """The rating that a page sent."""
        answer = read_sent(_ANSWER, given, "answer")
        words = len(words_of(item.instruction.text))
        if not all(0 <= word < words for word in answer.wrong_words) or len(answer.note) > MAX_NOTE:
            raise RoomtourError(f"answer: marked words must be below {words} and the note at most {MAX_NOTE} letters")
        return Rating(
            **signed,
            instruction=item.instruction.id,
            text_key=text_key(item.instruction.text),
            score=answer.score,
            wrong_words=tuple(sorted(set(answer.wrong_words))),
            note=answer.note.strip(),
            accurate=answer.accurate,
        )
