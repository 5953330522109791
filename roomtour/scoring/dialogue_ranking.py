"""Several players on one benchmark of dialogues: their mean over the tasks, and how sure their order is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from instructions.dialogues.benchmark.words import find_lexicon
from roomtour.scoring.dialogues import RIGHT, find_unscored, join_answers, read_tasks
from roomtour.scoring.records import Answers, Cell, ScoreReport, ScoreTable

MAIN = ("acc", "acc50", "F1", "exact", "within", "PCK20", "BLEU4")
"""What counts of a task's scores: the first of these that it has."""
_DRAWS = 200


def rank(dataset: Path, players: Mapping[str, Answers], seed: int = 0) -> ScoreReport:
    """Rank players by the mean of their main figures over the tasks, as `right` measures.

    Intervals are of a bootstrap that draws tours (rows, where there is one tour), the same for all players, so what is
    hard about a tour is hard for all and cancels.

    Args:
        dataset: Folder of the benchmark.
        players: Answers by name, at least two.
        seed: Of the draws.

    Raises:
        RoomtourError: As `score` does, for the answers of any of them.
    """
    words, notes = find_lexicon("right")
    tasks = {name: found for name, found in read_tasks(dataset).items() if found}
    told = {player: join_answers(dataset, tasks, answers) for player, answers in players.items()}
    left, unscored = find_unscored(tasks)
    tasks = {name: found for name, found in tasks.items() if name not in left}
    told = {player: {name: found for name, found in rows.items() if name in tasks} for player, rows in told.items()}
    score_of = {name: RIGHT[name](words) for name in tasks}
    means = {player: _mean(score_of, rows) for player, rows in told.items()}
    drawn = _bootstrap(score_of, told, seed)
    order = sorted(players, key=lambda player: (-means[player], player))
    ranks = np.argsort(np.argsort(-drawn, axis=0, kind="stable"), axis=0) + 1.0
    lines: list[tuple[Cell, ...]] = []
    figure: dict[str, Any] = {}
    names = list(players)
    for place, player in enumerate(order, start=1):
        row = names.index(player)
        low, high = (float(value) for value in np.percentile(drawn[row], [2.5, 97.5]))
        best, worst = (float(value) for value in np.percentile(ranks[row], [2.5, 97.5], method="nearest"))
        better = None
        if place < len(order):
            below = names.index(order[place])
            better = float((drawn[row] > drawn[below]).mean() + (drawn[row] == drawn[below]).mean() / 2)
        lines.append((player, place, means[player], low, high, f"{best:.0f} to {worst:.0f}", better))
        figure[player] = {
            "rank": place, "mean": means[player], "interval": [low, high], "ranks": [best, worst],
            "better_than_next": better,
        }  # fmt: skip
    count = sum(len(rows) for rows in tasks.values())
    title = f"ranking over {len(tasks)} tasks, {count} rows, right"
    columns = ("player", "rank", "mean", "low", "high", "ranks (95 %)", "better than the next")
    shares = ("mean", "low", "high", "better than the next")
    return ScoreReport(
        "dialogues", (ScoreTable(title, columns, tuple(lines), shares),), {"ranking": figure}, (*notes, *unscored)
    )


def _mean(score_of: Mapping[str, Any], rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> float:
    """Of the main figures of the tasks that have rows."""
    values = []
    for name, found in rows.items():
        if found:
            scores = score_of[name](found)
            values.append(next(scores[key] for key in MAIN if key in scores))
    return float(np.mean(values)) if values else 0.0


def _bootstrap(
    score_of: Mapping[str, Any], told: Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]], seed: int
) -> np.ndarray:
    """Means (players, draws) of the same drawn tours."""
    first = next(iter(told.values()))
    tours = {str(row["tour"]) for rows in first.values() for row in rows}
    by_unit: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for name, rows in first.items():
        for place, row in enumerate(rows):
            by_unit[str(row["tour"]) if len(tours) > 1 else str(row["id"])][name].append(place)
    units = [by_unit[unit] for unit in sorted(by_unit)]
    generator = np.random.default_rng(seed)
    out = np.zeros((len(told), _DRAWS))
    for draw in range(_DRAWS):
        places: dict[str, list[int]] = {name: [] for name in first}
        for unit in generator.integers(0, len(units), len(units)):
            for name, found in units[unit].items():
                places[name] += found
        for number, rows in enumerate(told.values()):
            out[number, draw] = _mean(
                score_of, {name: [rows[name][place] for place in chosen] for name, chosen in places.items()}
            )
    return out
