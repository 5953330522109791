"""What people made of dialogues: by stratum how many they accept and whether it may leave, why not, and agreement."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text

from instructions.dialogues.records import Dialogue
from instructions.dialogues.talks.pilot import Rating, count_to_check
from recon.numerals import percent
from roomtour.drawing.text import printable
from roomtour.files.reviews import DIALOGUE_RATINGS, Stratum, count_strata
from roomtour.review.summaries.agreement import Agreement, compare_raters
from roomtour.review.summaries.rendering import make_table, tell_left_out


@dataclass(frozen=True)
class DialogueSummary:
    """The ratings of some runs together; strata stay apart by run, as exports withhold them."""

    strata: tuple[tuple[str, Stratum], ...]
    """With the name of the tour; only those that somebody judged."""
    reasons: Mapping[str, int]
    raters: Mapping[str, int]
    agreements: tuple[Agreement, ...]
    outdated: int


def summarize_dialogues(runs: Iterable[tuple[str, Sequence[Dialogue], Sequence[Rating]]]) -> DialogueSummary:
    """Count what was said in runs.

    Args:
        runs: Name of the tour, its rows with those of a pilot, its ratings.
    """
    strata: list[tuple[str, Stratum]] = []
    by_rater: dict[str, dict[Hashable, object]] = defaultdict(dict)
    reasons: Counter[str] = Counter()
    outdated = 0
    for number, (tour, rows, ratings) in enumerate(runs):
        matched, left = DIALOGUE_RATINGS.match(ratings, rows)
        outdated += left
        strata += [(tour, one) for one in count_strata(rows, matched).values() if one.rated]
        for rating, row in matched:
            by_rater[rating.rater][number, row.id, rating.stratum] = rating.accepted
            reasons.update([rating.reason] if rating.reason else [])
    return DialogueSummary(
        tuple(strata),
        dict(reasons.most_common()),
        {name: len(given) for name, given in sorted(by_rater.items())},
        compare_raters(by_rater, (False, True)),
        outdated,
    )


def render_dialogues(summary: DialogueSummary) -> RenderableType:
    """A table of strata, the reasons, and a line per pair of people."""
    left = tell_left_out(summary.outdated)
    if not summary.strata:
        return Group(Text("no dialogue judged yet; judge some with: roomtour review RUNS --what dialogues"), *left)
    table = make_table("tour", "stratum", "rows", "judged", "needed", "accepted", "at least (95 %)", "leaves")
    words = {"open": "not decided", "passed": "yes", "failed": "withheld"}
    for tour, one in summary.strata:
        table.add_row(
            Text(printable(tour)), one.name, str(one.rows), str(one.rated), str(count_to_check(one.rows)),
            percent(one.accepted / one.rated), percent(one.bound), words[one.standing],
        )  # fmt: skip
    lines = [f"judged by {', '.join(f'{printable(name)} {given}' for name, given in summary.raters.items())}"]
    if summary.reasons:
        lines.append(f"rejected: {', '.join(f'{given} {name}' for name, given in summary.reasons.items())}")
    lines += [pair.tell("row") for pair in summary.agreements]
    return Group(table, Text(), *map(Text, lines), *left)
