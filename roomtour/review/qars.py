"""Rows of region knowledge before a person: 1 rejects, 2 doubts, 3 accepts the answer, and then the rationale."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from instructions.perception.draw import find_colours
from instructions.records import Box
from instructions.regions.clusters import pick_roots
from instructions.regions.dedup import SentenceEncoder
from instructions.regions.records import Qar, Rating3, RegionView
from roomtour.drawing.colors import text_on
from roomtour.errors import RoomtourError
from roomtour.files.reviews import QAR_RATINGS, find_qar_key
from roomtour.review.sampled import Item, SampledSession, draw_lot, read_sent, require_marks, words_of
from roomtour.view.tour import TourView


@dataclass(frozen=True)
class DrawnRegion:
    """A box with its colour, and its number where the texts use numbers."""

    box: Box
    number: int | None
    colour: str
    ink: str
    """Of the number on the colour."""
    is_named: bool = True
    """The row is about it; the others are drawn fainter."""


def find_drawn(row: Qar, view: RegionView) -> list[DrawnRegion]:
    """What is drawn for a row: all regions with their numbers, or, for one told in words, those it is about, without.

    Args:
        row: Told by numbers or by words.
        view: That it is about.
    """
    named = {one.number for one in row.regions}
    out = []
    for one in view.regions:
        if row.mode == "id" or one.number in named:
            colour = "#{:02x}{:02x}{:02x}".format(*_find_colour(one.number))
            number = one.number if row.mode == "id" else None
            out.append(DrawnRegion(one.box_xyxy, number, colour, text_on(colour), one.number in named))
    return out


def _find_colour(number: int) -> tuple[int, int, int]:
    """The clear palette has ten; a view with more regions goes on with the paper's."""
    return find_colours(number, "clear" if number < 10 else "paper")[0]


ROWS_PER_VIEW = 5
NO_ENCODERS: Mapping[str, SentenceEncoder] = {}
RATING_WORDS = {1: "no", 2: "maybe", 3: "yes"}
Drawn = Literal["random", "uncertain"]


@dataclass(frozen=True, eq=False)
class QarItem(Item[Qar]):
    """One row with its view."""

    view: RegionView
    drawn: Drawn

    @property
    def words(self) -> tuple[list[str], list[str], list[str]]:
        """Of question, answer and rationale, as a person sees and marks them."""
        return words_of(self.row.question), words_of(self.row.answer), words_of(self.row.rationale)


@dataclass(frozen=True)
class Answer:
    """What the page sends."""

    qa: Literal[1, 2, 3]
    rationale: Literal[1, 2, 3]
    wrong_words: tuple[int, ...]
    note: str


def draw_qars(
    runs: Mapping[str, tuple[TourView, Sequence[RegionView], Sequence[Qar]]],
    size: int,
    seed: int = 0,
    encoders: Mapping[str, SentenceEncoder] = NO_ENCODERS,
) -> list[QarItem]:
    """Rows to judge, five of a view after each other, over all runs alike.

    Views come by a lot that hangs on seed, tour and view alone, with rows that differ: the roots of five clusters.
    Where a critic has scored rows, every other view comes with the rows that it doubts most instead.

    Args:
        runs: The view of each run, its views with regions, and the rows to judge, by key of the run.
        size: At most so many rows.
        seed: Another one draws others.
        encoders: What tells unlike rows apart, by key of the run; words and parts of words where there is none.
    """
    groups: list[tuple[str, TourView, RegionView, list[Qar]]] = []
    for run, (tour, views, rows) in runs.items():
        of_view: dict[str, list[Qar]] = defaultdict(list)
        for row in rows:
            of_view[row.view].append(row)
        groups += [(run, tour, view, of_view[view.id]) for view in views if of_view[view.id]]
    by_lot = sorted(groups, key=lambda one: draw_lot(seed, one[1].name, one[2].id))
    doubted = sorted((one for one in by_lot if _find_doubts(one[3])), key=lambda one: _find_doubts(one[3])[0][0])
    out: list[QarItem] = []
    taken: set[tuple[str, str]] = set()
    while len(out) < size and len(taken) < len(groups):
        is_doubted = bool(doubted) and len(taken) % 2 == 1
        run, tour, view, rows = (doubted if is_doubted else by_lot).pop(0)
        if (run, view.id) in taken:
            continue
        taken.add((run, view.id))
        if is_doubted:
            picked, drawn = [row for _, row in _find_doubts(rows)[:ROWS_PER_VIEW]], "uncertain"
        else:
            roots = pick_roots(
                [row.text for row in rows],
                ROWS_PER_VIEW,
                encoders.get(run),
                [row.mentioned for row in rows],
                [{one.claim.kind for one in row.verdicts} for row in rows],
            )
            picked, drawn = [rows[place] for place in roots], "random"
        out += [QarItem(run, tour, row, view, drawn) for row in picked]
    return out[:size]


def _find_doubts(rows: Sequence[Qar]) -> list[tuple[float, Qar]]:
    """Scored rows with how far the critic is from undecided, the nearest first."""
    scored = [(abs(row.score - 0.5), row) for row in rows if row.score is not None]
    return sorted(scored, key=lambda one: (one[0], one[1].id))


class QarSession(SampledSession[QarItem, Rating3]):
    """The sample of rows for one person."""

    judgements, page, noun = QAR_RATINGS, "qar", "row"

    def describe(self, item: QarItem, given: Rating3 | None) -> dict[str, Any]:
        """The picture with its regions, the three parts, and nothing that was measured."""
        return dict(
            frame=item.tour.frames.get(item.row.views[0]),
            regions=find_drawn(item.row, item.view),
            parts=list(zip(("Question", "Answer", "Rationale"), item.words, strict=True)),
            rating_words=RATING_WORDS,
            note=given.note if given else "",
        )

    def judge(self, item: QarItem, given: Any, signed: Mapping[str, Any]) -> Rating3:
        """The rating that a page sent."""
        told = read_sent(Answer, given, "answer")
        marked = require_marks(told.wrong_words, sum(map(len, item.words)), told.note)
        if told.qa == 1 and told.rationale != 1:
            raise RoomtourError(
                "answer: rationale: whoever rejects the answer has rejected its rationale; send 1 for both"
            )
        return Rating3(
            **signed,
            qar=item.row.id,
            text_key=find_qar_key(item.row),
            qa=told.qa,
            rationale=told.rationale,
            note=told.note.strip(),
            wrong_words=marked,
            drawn=item.drawn,
        )
