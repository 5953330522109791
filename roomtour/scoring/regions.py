"""Scores of comparison tasks about regions: VCR, Sherlock's comparison, Acc@50, and votes on pairs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isfinite
from pathlib import Path
from typing import Any

from instructions.regions.records import Vote
from roomtour.errors import RoomtourError
from roomtour.export.core.streams import read_row_files
from roomtour.scoring.answers import require_rows
from roomtour.scoring.intervals import estimate_mean
from roomtour.scoring.records import Answers, Cell, DatasetRow, Mode, Scorer, ScoreReport, ScoreTable

Row = Mapping[str, Any]
Values = dict[str, list[float]]
"""A value per row, by figure."""
CHANCE = {
    "Q->A": 0.25, "QA->R": 0.25, "Q->AR": 0.0625, "comparison": 0.0, "Acc@50": 0.02, "recall@5": 0.1,
    "mean reciprocal rank": sum(1 / rank for rank in range(1, 51)) / 50,
}  # fmt: skip
"""What drawing lots would get, with as many options as the tasks have."""
_COLUMNS = ("figure", "value", "low", "high", "chance", "rows", "tours")


def takes(dataset: Path, rows: Sequence[DatasetRow]) -> bool:
    """Whether the folder holds a comparison task."""
    return any((dataset / f"{task}.jsonl").is_file() for task in _SCORES)


def score(dataset: Path, rows: Sequence[DatasetRow], answers: Answers, mode: Mode) -> ScoreReport:
    """Score every task that has answers; the modes do not differ.

    Raises:
        RoomtourError: For an answer without a row, a task that is answered in part, scores of the wrong number or form,
            or a damaged file.
    """
    tasks = {task: _read(dataset, task) for task in _SCORES}
    require_rows(answers, tasks.values(), dataset)
    tables: list[ScoreTable] = []
    figures: dict[str, Any] = {}
    notes: list[str] = []
    for task, found in tasks.items():
        missing = [row["id"] for row in found if row["id"] not in answers]
        if found and len(missing) == len(found):
            notes.append(f"{task}: none of its {len(found)} rows has an answer, so it is not scored")
        elif missing:
            raise RoomtourError(
                f"{task}: {len(missing)} of {len(found)} rows have no answer, first {missing[0]}; answer all or none"
            )
        elif found:
            told = [(row, answers[row["id"]]["answer"]) for row in found]
            table, figure, more = _SCORES[task](told)
            tables.append(table)
            figures[task] = figure
            notes += more
    return ScoreReport("regions", tuple(tables), figures, tuple(notes))


def _read(dataset: Path, task: str) -> list[dict[str, Any]]:
    file = f"{task}.jsonl"
    try:
        return [
            {**row, "id": str(row["id"]), "tour": str(row.get("tour") or row["image"])}
            for _, row in read_row_files(dataset, file)
        ]
    except KeyError as error:
        raise RoomtourError(f"{dataset / file}: is damaged ({error}); try roomtour validate {dataset}") from error


_Scored = tuple[ScoreTable, dict[str, Any], list[str]]


def _score_vcr(told: Sequence[tuple[Row, Any]]) -> _Scored:
    """Choices by the highest score; a tie for the highest is a wrong choice."""
    values: Values = {"Q->A": [], "QA->R": [], "Q->AR": []}
    for row, said in told:
        given = said if isinstance(said, Mapping) else {}
        answer, rationale = (
            _find_rank(row, _scores(row, given.get(name), 4, name), row[right]) == 1
            for name, right in (("answers", "right_answer"), ("rationales", "right_rationale"))
        )
        for name, value in zip(values, (answer, rationale, answer and rationale), strict=True):
            values[name].append(float(value))
    return _table("VCR", told, values, shares=True)


def _score_comparison(told: Sequence[tuple[Row, Any]]) -> _Scored:
    """Of the pairs that people tell apart, concordant minus discordant in percent; a tie of the model adds nothing."""
    kept, values = [], []
    for row, said in told:
        model, people = _scores(row, said, len(row["human"])), row["human"]
        pairs = [(a, b) for a, b in combinations(range(len(people)), 2) if people[a] != people[b]]
        orders = [(model[a] - model[b]) * (people[a] - people[b]) for a, b in pairs]
        if pairs:
            kept.append((row, said))
            values.append(100.0 * sum((order > 0) - (order < 0) for order in orders) / len(pairs))
    table, figure, _ = _table("Sherlock comparison", kept, {"comparison": values}, shares=False)
    equal = len(told) - len(kept)
    return table, figure, [f"comparison: {equal} rows left out, people tell no two apart"] if equal else []


def _score_ranking(told: Sequence[tuple[Row, Any]]) -> _Scored:
    ranks = [_find_rank(row, _scores(row, said, len(row["candidates"])), row["right"]) for row, said in told]
    values: Values = {
        "Acc@50": [float(rank == 1) for rank in ranks],
        "recall@5": [float(rank <= 5) for rank in ranks],
        "mean reciprocal rank": [1 / rank for rank in ranks],
    }
    return _table("one of fifty", told, values, shares=True)


def _find_rank(row: Row, scores: Sequence[float], right: int) -> int:
    """Rank of the right option from 1; what ties with it stands before it.

    Raises:
        RoomtourError: If the right option is none of them.
    """
    if not 0 <= right < len(scores):
        raise RoomtourError(f"{row['id']}: the right option is number {right} of {len(scores)}, counted from 0")
    return sum(score >= scores[right] for score in scores)


@dataclass(frozen=True)
class PairwiseScore:
    """Votes on pairs of answers, for one criterion."""

    pairs: int
    wins_a: int
    wins_b: int
    ties: int
    no_majority: int
    """Left out."""

    @property
    def share_a(self) -> float | None:
        """Of the pairs with a winner."""
        decided = self.wins_a + self.wins_b
        return self.wins_a / decided if decided else None


def score_pairwise(votes: Mapping[str, Sequence[Sequence[Vote]]]) -> dict[str, PairwiseScore]:
    """By criterion: the majority of the votes on each pair; pairs without one are left out and counted."""
    out = {}
    for criterion, pairs in votes.items():
        counts = Counter(find_majority(given) for given in pairs)
        out[criterion] = PairwiseScore(len(pairs), counts["A"], counts["B"], counts["tie"], counts[None])
    return out


def find_majority(votes: Sequence[Vote]) -> Vote | None:
    """What more than half of the votes say."""
    return next((vote for vote, count in Counter(votes).items() if 2 * count > len(votes)), None)


def _score_pairwise(told: Sequence[tuple[Row, Any]]) -> _Scored:
    """Wins of the first of the two systems by name, whichever side it stood on."""
    votes: dict[str, list[list[Any]]] = defaultdict(list)
    tours: dict[str, list[str]] = defaultdict(list)
    systems = sorted({name for row, _ in told for name in row["systems"]})
    if len(systems) != 2:
        raise RoomtourError(f"pairwise: {len(systems)} systems ({', '.join(systems)[:80]}), need 2")
    for row, said in told:
        if not isinstance(said, Mapping) or not said:
            raise RoomtourError(f"{row['id']}: need votes by criterion, such as {{'correct': ['A', 'B', 'tie']}}")
        flips = row["systems"][0] != systems[0]
        for criterion, given in said.items():
            if not isinstance(given, list) or not given or not set(given) <= {"A", "B", "tie"}:
                raise RoomtourError(f"{row['id']}: votes on {criterion} are {given!r:.60}, need a list of A, B, tie")
            votes[criterion].append([{"A": "B", "B": "A"}.get(one, one) if flips else one for one in given])
            tours[criterion].append(row["tour"])
    lines: list[tuple[Cell, ...]] = []
    figure: dict[str, Any] = {"systems": systems}
    for criterion, found in score_pairwise(votes).items():
        won = [(find_majority(given), tour) for given, tour in zip(votes[criterion], tours[criterion], strict=True)]
        decided = [(float(vote == "A"), tour) for vote, tour in won if vote in ("A", "B")]
        estimate = estimate_mean([value for value, _ in decided], [tour for _, tour in decided])
        low, high = (estimate.low, estimate.high) if estimate is not None else (None, None)
        wins, others = (found.wins_a, found.wins_b), (found.ties, found.no_majority, found.pairs)
        lines.append((criterion, found.share_a, low, high, *wins, *others))
        figure[criterion] = {
            "share": found.share_a, "low": low, "high": high, "wins": list(wins),
            "ties": found.ties, "no majority": found.no_majority, "pairs": found.pairs,
        }  # fmt: skip
    columns = ("criterion", f"{systems[0]} wins", "low", "high", *systems, "ties", "no majority", "pairs")
    return ScoreTable("pairwise", columns, tuple(lines), columns[1:4]), figure, []


def _scores(row: Row, said: Any, count: int, what: str = "candidates") -> list[float]:
    """A finite number per option.

    Raises:
        RoomtourError: Naming the row and what is there instead.
    """
    is_list = isinstance(said, list) and all(isinstance(one, int | float) and isfinite(one) for one in said)
    if not is_list or len(said) != count:
        found = f"{len(said)} values" if isinstance(said, list) else type(said).__name__
        raise RoomtourError(f"{row['id']}: {what}: need a list of {count} finite scores, found {found}")
    return [float(one) for one in said]


def _table(title: str, told: Sequence[tuple[Row, Any]], values: Values, *, shares: bool) -> _Scored:
    tours = [row["tour"] for row, _ in told]
    lines: list[tuple[Cell, ...]] = []
    figure: dict[str, Any] = {}
    for name, found in values.items():
        one = estimate_mean(found, tours)
        if one is None:
            continue
        lines.append((name, one.mean, one.low, one.high, CHANCE[name], one.rows, one.tours))
        figure[name] = {"value": one.mean, "low": one.low, "high": one.high, "rows": one.rows, "tours": one.tours}
    return ScoreTable(title, _COLUMNS, tuple(lines), _COLUMNS[1:5] if shares else ()), figure, []


_SCORES: Mapping[str, Callable[[Sequence[tuple[Row, Any]]], _Scored]] = {
    "vcr": _score_vcr,
    "comparison": _score_comparison,
    "acc50": _score_ranking,
    "pairwise": _score_pairwise,
}

SCORER = Scorer("regions", "comparison tasks about regions: VCR, Sherlock, Acc@50, votes on pairs", takes, score)
