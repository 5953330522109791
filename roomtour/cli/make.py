"""`roomtour make`: kinds of training data from runs that are finished."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import tyro

from roomtour.cli.console import ERR, complain, tell
from roomtour.cli.estimate import print_estimate
from roomtour.errors import USER_ERRORS, RoomtourError


def make(
    runs: tyro.conf.Positional[tuple[Path, ...]],
    /,
    data: tuple[str, ...],
    writer: Literal["embedded", "llm"] | None = None,
    dry_run: bool = False,
) -> int:
    """Make kinds of training data from finished runs, with the options they were made with.

    Rows lie in RUN/KIND/. Neither the video nor the reconstruction is touched; other kinds of the run stay.

    Args:
        runs: Run folders made by `roomtour process`.
        data: Kinds of data.
        writer: What writes the texts: the built-in grammar and templates, or a language model; as in the run if not
            given.
        dry_run: Only say how many tokens the language model (--writer llm) would take; run and ask nothing.
    """
    if not runs:
        raise RoomtourError("no run given; name at least one run folder")
    return _make(runs, data, writer, dry_run)


def _make(
    runs: Sequence[Path], kinds: Sequence[str], writer: Literal["embedded", "llm"] | None, only_estimate: bool
) -> int:
    from roomtour.pipeline import make_data, run_config
    from roomtour.progress import Bars
    from roomtour.run import Run

    failed = 0
    for folder in runs:
        try:
            run = Run(folder)
            config = replace(run_config(run), data=tuple(kinds))
            if writer is not None:
                config = replace(config, writer=writer)
            if only_estimate:
                print_estimate(str(folder), folder, config)
                continue
            with Bars(ERR) as bars:
                made = make_data(folder, kinds, config, observer=bars)
            counted = (f"{len(made.rows(kind))} kept, {len(made.rejected_rows(kind))} rejected" for kind in kinds)
            tell(f"{folder}: " + "; ".join(f"{kind} {words}" for kind, words in zip(kinds, counted, strict=True)))
        except USER_ERRORS as error:
            if len(runs) == 1:
                raise
            failed += 1
            complain(error)
    return 1 if failed else 0
