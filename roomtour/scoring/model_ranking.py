"""Several players on one benchmark of dialogues, ranked by a language model that is shown what is true."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from instructions.dialogues.benchmark.junk import say_truth
from instructions.dialogues.benchmark.ranking import LEAST_LAST, count_ranking, judge_ballots, make_ballots
from instructions.language.model import TextModel
from instructions.language.options import LanguageOptions
from roomtour.scoring.dialogues import TASKS, join_answers, read_tasks
from roomtour.scoring.intervals import bootstrap, find_interval
from roomtour.scoring.records import Answers, Cell, ScoreReport, ScoreTable


def rank_by_model(
    dataset: Path,
    players: Mapping[str, Answers],
    *,
    replies: Path,
    options: LanguageOptions,
    connect: Callable[[], TextModel],
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> ScoreReport:
    """Have a model rank the answers of every row twice, in an order by lot and in its reverse.

    Args:
        dataset: Folder of the benchmark.
        players: Answers by name, at least two.
        replies: Folder that keeps the model's replies.
        options: Model and budget.
        connect: Makes the model.
        seed: Of the orders and of the rows with a planted bad answer.
        progress: Told the fraction answered.

    Returns:
        Mean ranks with intervals over tours, ties, contradictions; void where the planted answers were not last.

    Raises:
        RoomtourError: As `score` does, for the answers of any of them.
        ServerUnusable: If the model cannot be asked.
    """
    tasks = {name: found for name, found in read_tasks(dataset).items() if found}
    told = {player: join_answers(dataset, tasks, answers) for player, answers in players.items()}
    rows = {str(row["id"]): (name, row) for name, found in tasks.items() for row in found}
    answers: dict[str, dict[str, str]] = {row: {} for row in rows}
    for player, by_task in told.items():
        for found in by_task.values():
            for row in found:
                answers[str(row["id"])][player] = row["answer"]
    asked = {row: (str(one["query"]), say_truth(TASKS[name].form, one, TASKS[name].size or 4))
             for row, (name, one) in rows.items()}  # fmt: skip
    judged = judge_ballots(
        make_ballots(answers, seed), asked, replies=replies, options=options, connect=connect, seed=seed,
        progress=progress,
    )  # fmt: skip
    found = count_ranking(judged.ballots, judged.orders)
    by_tour = [{"tour": rows[row][1]["tour"], **ranks} for row, ranks in found.by_row.items()]
    drawn = bootstrap(
        by_tour, lambda drawn: {name: sum(one[name] for one in drawn) / len(drawn) for name in players}, seed
    )
    intervals = {name: find_interval(values) for name, values in drawn.items()}
    order = sorted(found.mean_rank, key=lambda player: (found.mean_rank[player], player))
    lines: list[tuple[Cell, ...]] = [(player, found.mean_rank[player], *intervals[player]) for player in order]
    title = f"ranking by {options.model}, {len(found.by_row)} rows" + (", VOID" if found.is_void else "")
    figure = {
        "mean_rank": dict(found.mean_rank), "intervals": {name: list(pair) for name, pair in intervals.items()},
        "rows": len(found.by_row), "ties": found.ties, "contradictions": found.contradictions,
        "planted_last": found.planted_last, "void": found.is_void,
        "left_out": judged.left_out, "model": options.model, "prompt": judged.prompt,
    }  # fmt: skip
    notes = [
        f"the two orders contradict each other in {found.contradictions:.0%} of the pairs; ties in {found.ties:.0%} of "
        "the rows"
    ]
    if found.planted_last is None:
        notes.append("no planted bad answer was judged, so nothing shows that this ranker tells good from bad")
    else:
        last = f"the planted bad answer was last in {found.planted_last:.0%} of its ballots, {LEAST_LAST:.0%} needed"
        notes.append(f"the ranking is void: {last}" if found.is_void else last)
    if judged.left_out:
        notes.append(f"{judged.left_out} rows are left out: {judged.open.tell(options)}")
    columns = ("player", "mean rank", "low", "high")
    return ScoreReport(
        "dialogues", (ScoreTable(title, columns, tuple(lines)),), {"model ranking": figure}, tuple(notes)
    )
