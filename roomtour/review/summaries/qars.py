"""What people say of region knowledge: how much they accept, of what, and how far they agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.text import Text

from instructions.regions.critic.labels import find_targets
from instructions.regions.records import Qar, Rating3
from recon.numerals import count, percent
from roomtour.drawing.text import printable
from roomtour.files.reviews import QAR_RATINGS
from roomtour.review.summaries.agreement import Agreement, compare_raters, measure_most_judged
from roomtour.review.summaries.rendering import make_table, tell_left_out

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

    Args:
        runs: Per run its rows, kept and rejected, and its ratings.

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
    groups: dict[str, tuple[Group, ...]] = {}
    for name, key in _KEYS.items():
        of: dict[str, list[_Judged]] = defaultdict(list)
        for one in judged:
            of[key(one)].append(one)
        groups[name] = tuple(_count(value, of[value]) for value in sorted(of))
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
    of_row: dict[tuple[int, str], list[Rating3]] = defaultdict(list)
    for place, _, rating in judged:
        of_row[place].append(rating)
    accepted = sum(find_targets(ratings).accepted for ratings in of_row.values())
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
        for one in groups:
            table.add_row(
                Text(printable(one.name)), str(one.rows), str(one.ratings), f"{one.qa:.2f}", f"{one.rationale:.2f}",
                percent(one.accepted_share),
            )  # fmt: skip
        parts += [table, Text()]
    parts += [Text(pair.tell("row", name)) for name, pairs in summary.agreements.items() for pair in pairs]
    for criterion, (rows, people, kappa) in summary.fleiss.items():
        if people > 2:
            told = "not defined (one rating throughout)" if kappa is None else f"{kappa:.2f}"
            parts.append(Text(f"{criterion}: Fleiss' kappa {told} of {people} people on {count(rows, 'row')}"))
    return Stack(*parts, *left)
