"""Texts about walks and views before a person, who says how well each fits, and whether all of it is true."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from markupsafe import Markup
from rich.console import Group as Stack
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from instructions.navigation.records import Instruction, NavigationText, ViewDescription
from recon.geometry import Pose
from recon.numerals import count, percent
from roomtour.drawing.map import WIDTH, MapView, draw_points
from roomtour.drawing.map_marks import Place, draw_path, draw_scale_bar, find_heading
from roomtour.drawing.svg import LabelPlacer, element, number
from roomtour.drawing.text import printable
from roomtour.drawing.thumbnails import spread
from roomtour.files.reviews import RATINGS, Rating, Score, text_key
from roomtour.review.agreement import OUTDATED, Agreement, compare_raters, make_table, tell_left_out
from roomtour.review.sampled import Item, SampledSession, draw_by_lot, read_sent, require_marks, words_of
from roomtour.view.tour import TourView

_AROUND_SHARE = 0.35
"""How much more than the way itself is drawn, relative to its extent."""
_LEAST_SHARE = 0.12
"""A way on the spot still shows this much of the model around it."""


def draw_path_picture(tour: TourView, text: NavigationText, *, is_way_back: bool = False) -> Markup | None:
    """The way of a text from above; None where its model or its frames are not there.

    A way back is walked from its last frame to its first, each place faced the other way.
    """
    model = next((model for model in tour.models if model.name == text.model), None)
    if model is None or not text.views:
        return None
    first, last = min(text.views), max(text.views)
    way = [frame for frame in model.frames if first <= frame <= last]
    if not way:
        return None
    xy = model.centers[:, :2]
    stretch = np.array([model.world_from_cam[frame].center[:2] for frame in way])
    low, high = stretch.min(axis=0), stretch.max(axis=0)
    reach = max(_AROUND_SHARE * float(np.max(high - low)), _LEAST_SHARE * model.span)
    view = MapView(low - reach, high + reach)
    places = {frame: _place(view, model.world_from_cam[frame], is_way_back) for frame in way}
    if is_way_back:
        way = way[::-1]
    times = {frame: tour.frames[frame].time_s for frame in way}
    return element(
        "svg",
        element("g", draw_points(model.xyz, view), class_="layer-points"),
        element("path", d=_walk(model.frames, view.at(xy)), class_="whole-walk"),
        draw_path(way, places, times, LabelPlacer(WIDTH, view.height)),
        draw_scale_bar(model.scale, view.px_per_unit, view.height),
        class_="map",
        viewBox=f"0 0 {number(WIDTH)} {number(view.height)}",
        role="img",
        aria_label=f"The way from above, frames {way[0]} to {way[-1]}, from the circle to the square",
    )


def _place(view: MapView, pose: Pose, is_turned: bool) -> Place:
    (x, y), heading = view.at(pose.center)[0], find_heading(pose)
    return float(x), float(y), None if heading is None else heading + 180.0 * is_turned


def _walk(frames: tuple[int, ...], xy: np.ndarray) -> str:
    """The whole walk as lines; not drawn across frames without a pose."""
    parts = [f"M{number(float(xy[0, 0]))} {number(float(xy[0, 1]))}"]
    for row, (before, after) in enumerate(pairwise(frames), start=1):
        parts.append(f"{'L' if after == before + 1 else 'M'}{number(float(xy[row, 0]))} {number(float(xy[row, 1]))}")
    return "".join(parts)


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
        said = {**vars(answer), "wrong_words": marked, "note": answer.note.strip()}
        return Rating(**signed, **said, instruction=item.row.id, text_key=text_key(item.row.text))


NOTHING_MARKED, OTHER_WORDS = "nothing marked", "other words"
_GOOD_SCORES = (3, 4)


@dataclass(frozen=True)
class Group:
    """Ratings that have something in common."""

    name: str
    ratings: int
    mean: float
    good_share: float
    """Share of scores 3 and 4."""
    accurate_share: float | None
    """Share of those asked who found all of it true; None if nobody was asked."""


@dataclass(frozen=True)
class ReviewSummary:
    """The ratings of some runs together."""

    overall: Group
    texts: int
    """Texts that anybody judged."""
    outdated: int
    """Ratings of texts that have been written anew or are gone; they count nowhere else."""
    by_score: Mapping[int, int]
    by_rater: tuple[Group, ...]
    by_kind: tuple[Group, ...]
    by_cause: tuple[Group, ...]
    """A rating counts for each cause among its marked words, so these may add up to more than all."""
    agreements: tuple[Agreement, ...]


def summarize_ratings(runs: Iterable[tuple[Sequence[NavigationText], Sequence[Rating]]]) -> ReviewSummary:
    """Count the ratings of runs.

    Returns:
        Zeros and empty groups for no rating.
    """
    judged: list[tuple[tuple[int, str], NavigationText, Rating]] = []
    outdated = 0
    for run, (instructions, ratings) in enumerate(runs):
        matched, left = RATINGS.match(ratings, instructions)
        outdated += left
        judged += [((run, instruction.id), instruction, rating) for rating, instruction in matched]
    by_rater: dict[str, dict[Hashable, object]] = defaultdict(dict)
    groups: dict[str, dict[str, list[Rating]]] = {what: defaultdict(list) for what in ("rater", "kind", "cause")}
    for text, instruction, rating in judged:
        by_rater[rating.rater][text] = rating.score
        groups["rater"][rating.rater].append(rating)
        groups["kind"][instruction.kind].append(rating)
        for cause in causes_of(instruction, rating.wrong_words) or {NOTHING_MARKED}:
            groups["cause"][cause].append(rating)
    scores = [rating.score for *_, rating in judged]
    return ReviewSummary(
        overall=_group("all", [rating for *_, rating in judged]),
        texts=len({text for text, *_ in judged}),
        outdated=outdated,
        by_score={score: scores.count(score) for score in SCORE_WORDS},
        agreements=compare_raters(by_rater, list(SCORE_WORDS)),
        **{f"by_{what}": tuple(_group(*item) for item in sorted(of.items())) for what, of in groups.items()},
    )


def causes_of(instruction: NavigationText, wrong_words: tuple[int, ...]) -> set[str]:
    """Kinds of the claims (walk, turn, pass, ...) that hold a marked word; `other words` where no claim does.

    Claims stand in the order of the text, so each is looked for behind the one before.
    """
    spans = [match.span() for match in re.finditer(r"\S+", instruction.text)]
    marked = [spans[word] for word in wrong_words if word < len(spans)]
    claims, behind = [], 0
    for check in instruction.claims:
        at = instruction.text.lower().find(check.claim.text.lower(), behind)
        if at >= 0 and check.claim.text:
            claims.append((at, at + len(check.claim.text), check.claim.kind))
            behind = at + 1
    causes: set[str] = set()
    for first, last in marked:
        kinds = {kind for start, end, kind in claims if start < last and first < end}
        causes |= kinds or {OTHER_WORDS}
    return causes


def _group(name: str, ratings: Sequence[Rating]) -> Group:
    most = max(len(ratings), 1)
    total = sum(rating.score for rating in ratings)
    good = sum(rating.score in _GOOD_SCORES for rating in ratings)
    asked = [rating.accurate for rating in ratings if rating.accurate is not None]
    return Group(name, len(ratings), total / most, good / most, sum(asked) / len(asked) if asked else None)


def render_ratings(summary: ReviewSummary) -> RenderableType:
    """One table each for scores, raters, kinds and causes, and a line per pair of raters."""
    overall = summary.overall
    if not overall.ratings:
        outdated = f" that counts ({count(summary.outdated, 'rating')} {OUTDATED})" if summary.outdated else ""
        return Text(f"no rating yet{outdated}; judge some with: roomtour review RUNS")
    head = Text.assemble(
        (f"mean {overall.mean:.2f}", "bold"),
        f", {percent(overall.good_share)} of {count(overall.ratings, 'rating')} are 3 or 4, on "
        f"{count(summary.texts, 'text')}",
    )
    if overall.accurate_share is not None:
        head.append(f"; {percent(overall.accurate_share)} are all true")
    scores = ", ".join(f"{score} {SCORE_WORDS[score]}: {given}" for score, given in summary.by_score.items())
    parts: list[RenderableType] = [head, Text(scores), Text()]
    for title, groups in (("rater", summary.by_rater), ("kind", summary.by_kind), ("cause", summary.by_cause)):
        parts += [_groups(title, groups), Text()]
    parts += [Text(pair.tell("text")) for pair in summary.agreements]
    return Stack(*parts, *tell_left_out(summary.outdated))


def _groups(title: str, groups: Sequence[Group]) -> Table:
    table = make_table(title, "ratings", "mean", "3 or 4", "all true")
    for group in groups:
        true = "" if group.accurate_share is None else percent(group.accurate_share)
        name = Text(printable(group.name))
        table.add_row(name, str(group.ratings), f"{group.mean:.2f}", percent(group.good_share), true)
    return table
