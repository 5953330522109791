"""The summary of a review for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from recon.numerals import count, percent
from roomtour.drawing.text import printable
from roomtour.review.scores import OUTDATED, SCORE_WORDS
from roomtour.review.summaries.texts import Group, ReviewSummary


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
    if summary.outdated:
        parts.append(Text(f"left out: {count(summary.outdated, 'rating')} {OUTDATED}"))
    return Stack(*parts)


def _groups(title: str, groups: Sequence[Group]) -> Table:
    table = Table(title, "ratings", "mean", "3 or 4", "all true", box=None, padding=(0, 3, 0, 0), header_style="dim")
    for group in groups:
        true = "" if group.accurate_share is None else percent(group.accurate_share)
        name = Text(printable(group.name))
        table.add_row(name, str(group.ratings), f"{group.mean:.2f}", percent(group.good_share), true)
    return table
