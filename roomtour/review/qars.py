"""Rows of region knowledge before a person: 1 rejects, 2 doubts, 3 accepts the answer, and then the rationale."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.text import Text

from instructions.perception.draw import find_colours
from instructions.records import Box
from instructions.regions.clusters import pick_roots
from instructions.regions.critic.labels import find_targets
from instructions.regions.dedup import SentenceEncoder
from instructions.regions.records import Qar, Rating3, RegionView
from recon.numerals import count, percent
from roomtour.drawing.colors import text_on
from roomtour.drawing.text import printable
from roomtour.errors import RoomtourError
from roomtour.files.records import group_by
from roomtour.files.reviews import QAR_RATINGS, find_qar_key
from roomtour.review.agreement import Agreement, compare_raters, make_table, measure_most_judged, tell_left_out
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
    """What is drawn for a row: all regions with their numbers, or, of one told in words, those it is about, without."""
    named = {region.number for region in row.regions}
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
        of_view = group_by(rows, lambda row: row.view)
        groups += [(run, tour, view, of_view[view.id]) for view in views if view.id in of_view]
    by_lot = sorted(groups, key=lambda group: draw_lot(seed, group[1].name, group[2].id))
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
                [{verdict.claim.kind for verdict in row.verdicts} for row in rows],
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
        said = {**vars(told), "wrong_words": marked, "note": told.note.strip(), "drawn": item.drawn}
        return Rating3(**signed, **said, qar=item.row.id, text_key=find_qar_key(item.row))


RATINGS = (1, 2, 3)
CRITERIA = ("qa", "rationale")


@dataclass(frozen=True)
class Group:
    """Ratings of rows that have something in common."""

    name: str
    rows: int
    ratings: int
    qa: float
    """Mean, 1 to 3."""
    rationale: float
    """Mean, 1 to 3."""
    accepted_share: float
    """Of the rows: nobody rejected the answer or the rationale."""


@dataclass(frozen=True)
class QarSummary:
    """The ratings of some runs together."""

    overall: Group
    outdated: int
    """Ratings of rows that are not there any more; they count nowhere else."""
    uncertain: int
    """Ratings of rows that were shown because a critic was in doubt; they count nowhere else."""
    groups: Mapping[str, tuple[Group, ...]]
    """By rater, mode, type, writer, and tenth of the critic's score."""
    agreements: Mapping[str, tuple[Agreement, ...]]
    """By criterion."""
    fleiss: Mapping[str, tuple[int, int, float | None]]
    """By criterion: rows, people per row, and Fleiss' kappa, of the rows that the most people judged."""


_Judged = tuple[tuple[int, str], Qar, Rating3]
_KEYS: dict[str, Callable[[_Judged], str]] = {
    "rater": lambda one: one[2].rater,
    "mode": lambda one: one[1].mode,
    "type": lambda one: one[1].type,
    "writer": lambda one: one[1].writer,
    "critic": lambda one: _find_tenth(one[1].score),
}


def _find_tenth(score: float | None) -> str:
    if score is None:
        return "no score"
    low = min(int(score * 10), 9)
    return f"{low / 10:.1f} to {(low + 1) / 10:.1f}"


def summarize_qars(runs: Iterable[tuple[Sequence[Qar], Sequence[Rating3]]]) -> QarSummary:
    """Count the ratings of runs.

    Of each its rows, kept and rejected, and its ratings.

    Returns:
        Zeros and empty groups for no rating.
    """
    judged: list[_Judged] = []
    outdated = uncertain = 0
    for run, (rows, ratings) in enumerate(runs):
        matched, left = QAR_RATINGS.match(ratings, rows)
        outdated += left
        uncertain += sum(rating.drawn == "uncertain" for rating, _ in matched)
        judged += [((run, row.id), row, rating) for rating, row in matched if rating.drawn == "random"]
    groups = {
        name: tuple(_count(value, of) for value, of in sorted(group_by(judged, key).items()))
        for name, key in _KEYS.items()
    }
    given: dict[str, dict[str, dict[Hashable, object]]] = {name: defaultdict(dict) for name in CRITERIA}
    by_row: dict[str, dict[Hashable, list[object]]] = {name: defaultdict(list) for name in CRITERIA}
    for place, _, rating in judged:
        for name in CRITERIA:
            given[name][rating.rater][place] = getattr(rating, name)
            by_row[name][place].append(getattr(rating, name))
    return QarSummary(
        overall=_count("all", judged),
        outdated=outdated,
        uncertain=uncertain,
        groups=groups,
        agreements={name: compare_raters(of, RATINGS) for name, of in given.items()},
        fleiss={name: measure_most_judged(of.values()) for name, of in by_row.items()},
    )


def _count(name: str, judged: Sequence[_Judged]) -> Group:
    of_row = group_by(judged, lambda one: one[0])
    accepted = sum(find_targets([rating for *_, rating in of]).accepted for of in of_row.values())
    most = max(len(judged), 1)
    return Group(
        name,
        len(of_row),
        len(judged),
        sum(one.qa for *_, one in judged) / most,
        sum(one.rationale for *_, one in judged) / most,
        accepted / max(len(of_row), 1),
    )


def render_qars(summary: QarSummary) -> RenderableType:
    """A table for each way to group the ratings, and a line per pair of people and criterion."""
    overall = summary.overall
    doubted = "of rows that were shown because the critic doubted them"
    left = [*tell_left_out(summary.outdated), *tell_left_out(summary.uncertain, doubted)]
    if not overall.ratings:
        told = "no row judged yet; judge some with: roomtour review RUNS --what qar"
        return Stack(Text(told), *left)
    head = Text.assemble(
        (f"{percent(overall.accepted_share)} of {count(overall.rows, 'row')} accepted by all", "bold"),
        f"; mean of {count(overall.ratings, 'rating')}: answer {overall.qa:.2f}, rationale {overall.rationale:.2f}",
    )
    parts: list[RenderableType] = [head, Text()]
    for title, groups in summary.groups.items():
        table = make_table(title, "rows", "ratings", "answer", "rationale", "accepted")
        for group in groups:
            table.add_row(
                Text(printable(group.name)),
                str(group.rows),
                str(group.ratings),
                f"{group.qa:.2f}",
                f"{group.rationale:.2f}",
                percent(group.accepted_share),
            )
        parts += [table, Text()]
    parts += [Text(pair.tell("row", name)) for name, pairs in summary.agreements.items() for pair in pairs]
    for criterion, (rows, people, kappa) in summary.fleiss.items():
        if people > 2:
            told = "not defined (one rating throughout)" if kappa is None else f"{kappa:.2f}"
            parts.append(Text(f"{criterion}: Fleiss' kappa {told} of {people} people on {count(rows, 'row')}"))
    return Stack(*parts, *left)
