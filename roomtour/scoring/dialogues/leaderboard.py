"""Several players on one benchmark of dialogues: their mean over the tasks, and how sure their order is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from roomtour.scoring.dialogues.tasks import MAIN, TASKS, find_unscored, join_answers, read_tasks
from roomtour.scoring.dialogues.words import find_lexicon
from roomtour.scoring.intervals import bootstrap, find_interval
from roomtour.scoring.records import Answers, Cell, ScoreReport, ScoreTable


def rank_by_scores(dataset: Path, players: Mapping[str, Answers], seed: int = 0) -> ScoreReport:
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
    left, unscored = find_unscored(tasks)
    told = {player: join_answers(dataset, tasks, answers) for player, answers in players.items()}
    rows = [
        {"tour": row["tour"], "task": name, "told": {player: told[player][name][place] for player in players}}
        for name, found in tasks.items()
        if name not in left
        for place, row in enumerate(found)
    ]

    def measure(drawn: Sequence[Mapping[str, Any]]) -> dict[str, float]:
        """The mean over the tasks of each player's main figure."""
        figures: dict[str, list[float]] = defaultdict(list)
        for name in dict.fromkeys(row["task"] for row in drawn):
            answered = [row["told"] for row in drawn if row["task"] == name]
            for player in players:
                scores = TASKS[name].right([by_player[player] for by_player in answered], words)
                figures[player].append(next(scores[key] for key in MAIN if key in scores))
        return {player: float(np.mean(values)) for player, values in figures.items()}

    means = measure(rows)
    order = sorted(players, key=lambda player: (-means[player], player))
    by_player = bootstrap(rows, measure, seed)
    drawn = np.array([by_player[player] for player in order])
    ranks = np.argsort(np.argsort(-drawn, axis=0, kind="stable"), axis=0) + 1.0
    lines: list[tuple[Cell, ...]] = []
    figure: dict[str, Any] = {}
    for place, player in enumerate(order):
        mine, below = drawn[place], drawn[place + 1 : place + 2]
        better = float(((mine > below) + (mine == below) / 2).mean()) if below.size else None
        low, high = find_interval(mine)
        best, worst = (float(value) for value in np.percentile(ranks[place], [2.5, 97.5], method="nearest"))
        lines.append((player, place + 1, means[player], low, high, f"{best:.0f} to {worst:.0f}", better))
        figure[player] = {
            "rank": place + 1, "mean": means[player], "interval": [low, high], "ranks": [best, worst],
            "better_than_next": better,
        }  # fmt: skip
    title = f"ranking over {len(tasks) - len(left)} tasks, {len(rows)} rows, right"
    columns = ("player", "rank", "mean", "low", "high", "ranks (95 %)", "better than the next")
    table = ScoreTable(title, columns, tuple(lines), ("mean", "low", "high", "better than the next"))
    return ScoreReport("dialogues", (table,), {"ranking": figure}, (*notes, *unscored))
