"""`roomtour dialogues pilot`: a few rows of a language model for people to rate, before it may write all."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import tyro

from roomtour.cli.console import tell
from roomtour.cli.parsing.settings import build_config, read_settings
from roomtour.errors import UsageError


def dialogues(
    action: tyro.conf.Positional[Literal["pilot"]],
    runs: tyro.conf.Positional[tuple[Path, ...]] = (),
    /,
    config: Path | None = None,
    set: tyro.conf.UseAppendAction[tuple[str, ...]] = (),
) -> int:
    """Have the language model write a pilot: at most 50 rows per kind, medium and version of a prompt.

    They lie in RUN/dialogues_pilot.jsonl, apart from all data, and no export reads them. Ratings go into
    RUN/reviews/dialogue_ratings.jsonl: {row, rater, stratum, accepted}. Once the lower 95 % bound of what people
    accept is 0.8, `roomtour make --data dialogues --writer llm` writes all rows of that kind.

    Args:
        action: pilot.
        runs: Run folders made by `roomtour process`.
        config: YAML file with options that differ from those of the run, such as `language`.
        set: Any option by its dotted name, such as `--set language.model=NAME`; repeatable, wins over --config.
    """
    if not runs:
        raise UsageError("dialogues: no run given: roomtour dialogues pilot RUN...; see roomtour dialogues --help")
    from roomtour.pipeline import run_config
    from roomtour.run import Run
    from roomtour.stages.dialogues import write_pilot

    for folder in runs:
        options = build_config(config, read_settings((*set, "writer=llm")), base=run_config(Run(folder)))
        rows = write_pilot(folder, options)
        kept = sum(row.accepted for row in rows)
        tell(f"{folder / 'dialogues_pilot.jsonl'}: {kept} rows to rate, {len(rows) - kept} rejected by the checks")
    return 0
