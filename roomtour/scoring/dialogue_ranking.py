"""Several players on one benchmark of dialogues: their mean over the tasks, and how sure their order is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from instructions.dialogues.benchmark.words import find_lexicon
from roomtour.scoring.dialogues import TASKS, Score, find_unscored, join_answers, read_tasks
from roomtour.scoring.intervals import bootstrap, find_interval
from roomtour.scoring.records import Answers, Cell, ScoreReport, ScoreTable

MAIN = ("acc", "acc50", "F1", "exact", "within", "PCK20", "BLEU4")
"""What counts of a task's scores: the first of these that it has."""


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
    score_of = {name: TASKS[name].right(words) for name in tasks}
    rows = [
        {"tour": row["tour"], "task": name, "told": {player: by_task[name][place] for player, by_task in told.items()}}
        for name, found in tasks.items()
        for place, row in enumerate(found)
    ]

    def measure(drawn: Sequence[Mapping[str, Any]]) -> dict[str, float]:
        by_task: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for one in drawn:
            by_task[one["task"]].append(one["told"])
        return {
            player: float(np.mean([_score(score_of[name], player, found) for name, found in by_task.items()]))
            for player in players
        }

    means = measure(rows)
    drawn = np.array(list(bootstrap(rows, measure, seed).values()))
    order = sorted(players, key=lambda player: (-means[player], player))
    ranks = np.argsort(np.argsort(-drawn, axis=0, kind="stable"), axis=0) + 1.0
    lines: list[tuple[Cell, ...]] = []
    figure: dict[str, Any] = {}
    names = list(players)
    for place, player in enumerate(order, start=1):
        row = names.index(player)
        low, high = find_interval(drawn[row])
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


def _score(score: Score, player: str, told: Sequence[Mapping[str, Any]]) -> float:
    """The main figure of a player on the rows of one task."""
    scores = score([one[player] for one in told])
    return next(scores[key] for key in MAIN if key in scores)
