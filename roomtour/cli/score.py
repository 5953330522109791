"""`roomtour score` and `roomtour leaderboard`: how often answers, and programs of language models, are right."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import tyro
from rich.table import Table

from roomtour.cli.console import OUT, tell
from roomtour.cli.parsing.flags import require_runs
from roomtour.cli.parsing.settings import build_config, read_settings
from roomtour.errors import RoomtourError, UsageError


def score(
    answers: tyro.conf.Positional[tuple[Path, ...]],
    /,
    data: Path,
    mode: Literal["right", "compat", "both"] = "right",
    json: Path | None = None,
    explain: Path | None = None,
    ranker: Literal["scores", "llm"] = "scores",
    replies: Path = Path("replies"),
    config: Path | None = None,
    set: tyro.conf.UseAppendAction[tuple[str, ...]] = (),
) -> int:
    """Score answers against the truth of an exported dataset; several files are ranked.

    Args:
        answers: Files of answers (.jsonl, .json, .csv, .tsv) with two fields per row: `id`, that of the dataset's row,
            and `answer`, the text. Several, of a benchmark of dialogues, are ranked: mean over the tasks, with
            intervals, and how sure their order is.
        data: The dataset, a folder made by `roomtour export`.
        mode: compat measures as published code does, where a kind has such, so that old tables can be compared.
        json: Write all figures to this file too.
        explain: Folder for a picture of each answer that loses points, of a benchmark of dialogues: what is true, what
            was said, and how both modes read it.
        ranker: What several files are ranked by: their scores, or a language model that is shown what is true and puts
            the answers to each row in order, twice.
        replies: Folder that keeps the replies of a ranking model; asked again, they cost nothing.
        config: YAML file with options of the language model.
        set: An option by its dotted name, such as `--set language.model=NAME`; repeatable, wins over --config.
    """
    from roomtour.scoring import explain_answers, rank_answers, score_answers
    from roomtour.scoring.score import table_of, write_json

    if not answers:
        raise UsageError(
            "score: no file of answers given: roomtour score ANSWERS --data DATASET; see roomtour score --help"
        )
    first, *others = answers
    if others and explain is not None:
        raise UsageError("--explain: lost points are those of one file of answers; give one")
    if ranker == "llm" and not others:
        raise UsageError("--ranker llm: ranks the answers of at least two files; give two or more")
    language = build_config(config, read_settings(set)).language if ranker == "llm" else None
    reports = [rank_answers([first, *others], data, language, replies)] if others else score_answers(first, data, mode)
    for report in reports:
        for table in report.tables:
            OUT.print(table_of(table), width=max(OUT.width, 100), crop=False)
        for note in report.notes:
            tell(note)
    if explain is not None:
        from roomtour.explain.pictures import draw_answer

        lost, notes = explain_answers(first, data)
        for point in lost:
            target = explain / point.task / f"{point.row}.png"
            draw_answer(point.medium, point.truths, point.told, point.lines, target)
        tell(f"{explain}: {len(lost)} answers that lose points")
        for note in notes:
            tell(note)
    if json is not None:
        write_json(reports, json)
        tell(str(json))
    return 0


def leaderboard(runs: tyro.conf.Positional[tuple[Path, ...]], /) -> int:
    """Show how often programs that language models wrote are right, by model, prompt and type of question.

    Every program of every row counts, of kept and of rejected ones; what is right is said by our reference programs.

    Args:
        runs: Run folders with `--data programs --writer llm`.
    """
    from instructions.programs.asked.believing import score_programs
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
    for score in scores:
        share = f"{score.right} ({score.share_right:.0%})"
        table.add_row(score.model, score.prompt, score.type, str(score.programs), str(score.ran), share)
    OUT.print(table)
    return 0
