"""`roomtour dialogues`: a pilot for people to rate, and further templates, by a language model."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import tyro

from recon.numerals import count
from roomtour.cli.console import tell
from roomtour.cli.parsing.flags import require_runs
from roomtour.cli.parsing.settings import build_config, read_settings
from roomtour.errors import UsageError

if TYPE_CHECKING:
    from roomtour.config import Config


def dialogues(
    action: tyro.conf.Positional[Literal["pilot", "pool"]],
    names: tyro.conf.Positional[tuple[str, ...]] = (),
    /,
    out: Path | None = None,
    config: Path | None = None,
    set: tyro.conf.UseAppendAction[tuple[str, ...]] = (),
) -> int:
    """Have a language model write a pilot of dialogues for people to rate, or further templates of a task.

    `pilot RUN...` writes at most 50 rows per kind, medium and version of a prompt to RUN/dialogues_pilot.jsonl, apart
    from all data; no export reads them. Ratings go into RUN/reviews/dialogue_ratings.jsonl: {row, rater, stratum,
    accepted}. Once the lower 95 % bound of what people accept is 0.8, `roomtour make --data dialogues --writer llm`
    writes all rows of that kind.

    `pool TASK... --out FOLDER` asks for further questions and answers of tasks. What fails a test that our own
    sentences pass stays out and is told; the rest goes to FOLDER/TASK.toml, which `--dialogues.pools FOLDER` takes.

    Args:
        action: pilot or pool.
        names: Run folders made by `roomtour process`; for pool, tasks.
        out: For pool: the folder of the files; replies are kept in it too.
        config: YAML file with options that differ from those of the run, such as `language`.
        set: Any option by its dotted name, such as `--set language.model=NAME`; repeatable, wins over --config.
    """
    if action == "pool":
        if not names or out is None:
            raise UsageError("dialogues: roomtour dialogues pool TASK... --out FOLDER; see roomtour dialogues --help")
        _ask_pools(names, out, build_config(config, read_settings((*set, "writer=llm"))))
        return 0
    if out is not None:
        raise UsageError("dialogues: --out is for pool; a pilot lies in its run folder")
    require_runs("dialogues", [Path(name) for name in names], "pilot RUN...")
    from roomtour.pipeline import run_config
    from roomtour.run import Run
    from roomtour.stages.kinds.dialogues import write_pilot

    for folder in map(Path, names):
        options = build_config(config, read_settings((*set, "writer=llm")), base=run_config(Run(folder)))
        rows = write_pilot(folder, options)
        kept = sum(row.accepted for row in rows)
        tell(
            f"{folder / 'dialogues_pilot.jsonl'}: {count(kept, 'row')} to rate, "
            f"{len(rows) - kept} rejected by the checks"
        )
    return 0


def _ask_pools(tasks: tuple[str, ...], out: Path, options: Config) -> None:
    from instructions.dialogues.tasks.tasks import require_task
    from instructions.language.connect import connect_server
    from roomtour.scoring.dialogues.pools import ask_templates, write_pool

    for task in tasks:
        require_task(task, "dialogues pool")
    for task in tasks:
        pool, left = ask_templates(
            task,
            replies=out / "replies",
            options=options.language,
            connect=lambda: connect_server(options.language),
            seed=options.seed,
        )
        path = out / f"{task}.toml"
        count = write_pool(pool, path)
        tell(f"{path}: {count} sentences, {len(left)} left out")
        for why, texts in Counter(left.values()).most_common():
            example = next(text for text, reason in left.items() if reason == why)
            tell(f"  {texts} x {why}: {example!r}")
