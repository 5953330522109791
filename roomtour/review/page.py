"""The pages of a review: one text to judge with its frames and its way, and the end."""

from __future__ import annotations

from instructions.navigation.records import ViewDescription
from roomtour.drawing.pages import read_asset, render
from roomtour.drawing.thumbnails import spread
from roomtour.files.ratings import Rating
from roomtour.review.causes import words_of
from roomtour.review.path_picture import draw_path_picture
from roomtour.review.sample import ReviewItem
from roomtour.review.scores import ACCURACY_WORDS, MAX_NOTE, SCORE_WORDS

MAX_FRAMES = 8


def style() -> str:
    """The stylesheet: the report's, for its colours and its map, and what a review has of its own."""
    return read_asset("drawing/style.css") + read_asset("review/review.css")


def script() -> str:
    """The script: keys, marks and sending."""
    return read_asset("review/review.js")


def draw_item(item: ReviewItem, row: int, total: int, done: int, rater: str, token: str, given: Rating | None) -> str:
    """The page of one text.

    Args:
        item: What is judged.
        row: Its place in the sample, from 0.
        total: Size of the sample.
        done: How many are judged.
        rater: Who judges.
        token: What the page must send along with an answer.
        given: What the rater said before, shown again.
    """
    told = item.instruction
    shown = () if item.is_way_back else spread(told.views, MAX_FRAMES)
    return render(
        "review/item.html",
        title=f"{row + 1} of {total} – review",
        token=token,
        row=row,
        total=total,
        done=done,
        rater=rater,
        tour=item.tour.name,
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


def draw_end(total: int, open_row: int | None) -> str:
    """The page after the last text."""
    return render("review/end.html", title="Review", token="", total=total, open_row=open_row)
