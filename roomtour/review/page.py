"""The pages of a review: one text to judge with its frames and its way, and the end."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from recon.records import Frame
from roomtour.drawing.markup import Child, Markup, tag
from roomtour.drawing.text import clock, count, printable
from roomtour.drawing.thumbnails import spread
from roomtour.files.ratings import Rating
from roomtour.review.causes import words_of
from roomtour.review.path_picture import draw_path_picture
from roomtour.review.sample import ReviewItem
from roomtour.review.scores import MAX_NOTE, SCORE_WORDS

MAX_FRAMES = 8


def style() -> str:
    """The stylesheet: the report's, for its colours and its map, and what a review has of its own."""
    report = files("roomtour.drawing").joinpath("style.css").read_text(encoding="utf-8")
    return report + files("roomtour.review").joinpath("review.css").read_text(encoding="utf-8")


def script() -> str:
    """The script: keys, marks and sending."""
    return files("roomtour.review").joinpath("review.js").read_text(encoding="utf-8")


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
    shown = [item.tour.frames[frame] for frame in spread(told.frames, MAX_FRAMES) if frame in item.tour.frames]
    back = tag("a", "← Back", href=f"/item/{row - 1}", id="back") if row else tag("span", "← Back", class_="none")
    on = tag("a", "Skip →", href=f"/item/{row + 1}" if row + 1 < total else "/end", id="skip")
    way = draw_path_picture(item.tour, told) or tag("p", "No picture: the model is not there.", class_="none")
    body = [
        tag(
            "header",
            tag(
                "p",
                tag("strong", f"{row + 1} of {total}"),
                tag("span", f"{done} judged by {printable(rater)}"),
                tag("span", f"{printable(item.tour.name)}, {told.kind}"),
                class_="meta",
            ),
            tag("progress", value=done, max=total, aria_label=f"{done} of {total} judged"),
        ),
        tag(
            "main",
            tag("p", _words(told.text, given), id="text", aria_label="The text; press a word to mark it as wrong"),
            tag(
                "div",
                tag("section", tag("h2", "What the camera saw"), _frames(shown, row), class_="seen"),
                tag("section", tag("h2", "The way from above"), way, class_="way"),
                class_="both",
            ),
        ),
        tag(
            "footer",
            tag("div", [_score(score, word, given) for score, word in SCORE_WORDS.items()], id="scores"),
            tag("label", "Note", for_="note", class_="hidden"),
            tag("textarea", given.note if given else "", id="note", rows=1, maxlength=MAX_NOTE, placeholder="Note (n)"),
            tag("p", "", id="status", role="status"),
            tag(
                "p",
                back,
                tag("span", "keys 1–4 judge, ← back, → skip, n note", class_="none keys-help"),
                on,
                class_="ways",
            ),
        ),
    ]
    return _document(f"{row + 1} of {total} – review", body, token)


def draw_end(total: int, open_row: int | None) -> str:
    """The page after the last text."""
    left = tag("p", "Some texts are not judged yet. ", tag("a", "Go to the next one", href=f"/item/{open_row}"))
    done = tag("p", "Every text of the sample is judged. You can close this page; `roomtour review --summary` counts.")
    content = tag("p", "There is no text to judge in these runs.") if not total else done if open_row is None else left
    again = tag("p", tag("a", "Look at the first one again", href="/item/0")) if total else None
    return _document("Review", [tag("main", tag("h1", "Thank you"), content, again, class_="end")], "")


def _words(text: str, given: Rating | None) -> list[Child]:
    wrong = set(given.wrong_words) if given else set()
    return [
        [
            tag("button", printable(word), type="button", class_="word", aria_pressed=str(place in wrong).lower()),
            " ",
        ]
        for place, word in enumerate(words_of(text))
    ]


def _frames(shown: Sequence[Frame], row: int) -> Markup:
    cells = [
        tag(
            "li",
            tag(
                "a",
                tag(
                    "img", src=f"/frame/{row}/{frame.index}.jpg", alt=f"Frame at {clock(frame.time_s)}", loading="lazy"
                ),
                href=f"/frame/{row}/{frame.index}.jpg",
                target="_blank",
            ),
            tag("span", clock(frame.time_s), class_="when"),
        )
        for frame in shown
    ]
    return tag("ol", cells, aria_label=count(len(shown), "frame"))


def _score(score: int, word: str, given: Rating | None) -> Markup:
    return tag(
        "button", tag("strong", score), " ", word, type="button", class_=f"score score-{score}", value=score,
        aria_pressed=str(given is not None and given.score == score).lower(),
    )  # fmt: skip


def _document(title: str, body: Sequence[Markup], token: str) -> str:
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="review-token", content=token),
        tag("title", title),
        tag("link", rel="icon", href="data:,"),
        tag("link", rel="stylesheet", href="/style.css"),
        tag("script", src="/review.js", defer=True),
    )
    return f'<!doctype html>\n<html lang="en">{head}{tag("body", list(body), class_="review")}</html>\n'
