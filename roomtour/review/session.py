"""Texts about walks and views before a person, who says how well each fits, and whether all of it is true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from instructions.navigation.records import Instruction, NavigationText, ViewDescription
from roomtour.drawing.thumbnails import spread
from roomtour.files.reviews import RATINGS, Rating, Score, text_key
from roomtour.review.path_picture import draw_path_picture
from roomtour.review.sampled import Item, SampledSession, draw_by_lot, read_sent, require_marks, words_of
from roomtour.view.tour import TourView

MAX_FRAMES = 8
SCORE_WORDS = {1: "totally irrelevant", 2: "partially relevant", 3: "mostly relevant", 4: "perfect match"}
"""How well a text fits its way; the words of RoomTour3D (CVPR 2025), so that means can be compared with the paper's."""
ACCURACY_WORDS = {True: "all true", False: "something is false"}
"""Asked beside the score: a text may fit its way and still say one thing that is not so."""
What = Literal["instructions", "further", "views"]
"""Texts about walks; about parts of them and ways back; about single views."""


class TextItem(Item[NavigationText]):
    """One text to judge."""

    @property
    def is_way_back(self) -> bool:
        """Whether the text tells a way that no frame looks along."""
        return isinstance(self.row, Instruction) and self.row.trajectory in self.tour.ways_back


def texts_of(tour: TourView, what: What) -> tuple[NavigationText, ...]:
    """The accepted texts of one sort."""
    return {"instructions": tour.instructions, "further": tour.further, "views": tour.view_descriptions}[what]


def draw_sample(tours: Mapping[str, TourView], size: int, seed: int = 0, what: What = "instructions") -> list[TextItem]:
    """Texts to judge, of tours by the key of their run."""
    items = (TextItem(run, tour, told) for run, tour in tours.items() for told in texts_of(tour, what))
    return draw_by_lot(items, size, seed)


@dataclass(frozen=True)
class Answer:
    """What the page sends."""

    score: Score
    accurate: bool
    wrong_words: tuple[int, ...]
    note: str


class ReviewSession(SampledSession[TextItem, Rating]):
    """The sample of texts for one rater."""

    judgements, page, noun = RATINGS, "item", "text"

    def describe(self, item: TextItem, given: Rating | None) -> dict[str, Any]:
        """The text, its frames and its way, and what the rater said before."""
        told = item.row
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
            note=given.note if given else "",
        )

    def judge(self, item: TextItem, given: Any, signed: Mapping[str, Any]) -> Rating:
        """The rating that a page sent."""
        answer = read_sent(Answer, given, "answer")
        marked = require_marks(answer.wrong_words, len(words_of(item.row.text)), answer.note)
        return Rating(
            **signed,
            instruction=item.row.id,
            text_key=text_key(item.row.text),
            score=answer.score,
            wrong_words=marked,
            note=answer.note.strip(),
            accurate=answer.accurate,
        )
