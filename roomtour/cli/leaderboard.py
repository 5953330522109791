"""`roomtour leaderboard`: how often the programs of language models are right."""

from __future__ import annotations

from pathlib import Path

import tyro
from rich.table import Table

from roomtour.cli.console import OUT
from roomtour.cli.parsing.flags import require_runs
from roomtour.errors import RoomtourError


def leaderboard(runs: tyro.conf.Positional[tuple[Path, ...]], /) -> int:
    """Show how often programs that language models wrote are right, by model, prompt and type of question.

    Every program of every row counts, of kept and of rejected ones; what is right is said by our reference programs.

    Args:
        runs: Run folders with `--data programs --writer llm`.
    """
    from instructions.programs.asked.leaderboard import score_programs
    from roomtour.run import Run

    require_runs("leaderboard", runs)
    opened = [Run(folder) for folder in runs]
    rows = [row for run in opened for row in (*run.rows("programs"), *run.rejected_rows("programs"))]
    scores = score_programs(rows)
    if not scores:
        raise RoomtourError(
            "leaderboard: no row of these runs has programs; make them with --data programs --writer llm"
        )
    table = Table("model", "prompt", "type", "programs", "ran", "right", box=None, pad_edge=False)
    for one in scores:
        share = f"{one.right} ({one.share_right:.0%})"
        table.add_row(one.model, one.prompt, one.type, str(one.programs), str(one.ran), share)
    OUT.print(table)
    return 0
