"""What the ratings say: mean, share of good ones, agreement between raters, by kind and by cause."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from instructions.navigation.records import NavigationText
from recon.numerals import count, percent
from roomtour.drawing.text import printable
from roomtour.files.reviews import RATINGS, Rating
from roomtour.review.session import SCORE_WORDS
from roomtour.review.summaries.agreement import Agreement, compare_raters
from roomtour.review.summaries.rendering import OUTDATED, make_table, tell_left_out

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

    Args:
        runs: Per run its instructions and its ratings.

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
        **{f"by_{what}": tuple(_group(*one) for one in sorted(of.items())) for what, of in groups.items()},
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
