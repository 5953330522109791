"""Commands that bring finished runs further: `roomtour make` and `roomtour check`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import tyro

from roomtour.cli.console import ERR, UNFINISHED, complain, tell
from roomtour.cli.parsing.flags import require_runs
from roomtour.cli.parsing.settings import build_config, read_settings
from roomtour.errors import USER_ERRORS, Unfinished, UsageError


def make(
    runs: tyro.conf.Positional[tuple[Path, ...]] = (),
    /,
    data: tuple[str, ...] = (),
    writer: str = "",
    config: Path | None = None,
    set: tyro.conf.UseAppendAction[tuple[str, ...]] = (),
    dry_run: bool = False,
) -> int:
    """Make kinds of training data from finished runs, with the options they were made with.

    Rows lie in RUN/KIND/. Neither the video nor the reconstruction is touched; other kinds of the run stay.

    Args:
        runs: Run folders made by `roomtour process`.
        data: Kinds of data, such as `navigation`.
        writer: What writes the texts: `embedded` (grammar and templates) or `llm`; as in the run if not given.
        config: YAML file with options that differ from those of the run, such as `language`.
        set: Any option by its dotted name, such as `--set language.model=NAME`; repeatable, wins over --config.
        dry_run: Only say how many tokens the language model (--writer llm) would take; run and ask nothing.
    """
    from roomtour.kinds import KIND_NAMES, require_kinds

    require_runs("make", runs, "RUN... --data KIND...")
    if not data:
        raise UsageError(f"make: what? give --data KIND...; known: {', '.join(KIND_NAMES)}")
    from roomtour.pipeline import make_data, run_config
    from roomtour.progress import Bars
    from roomtour.run import Run

    kinds, settings = require_kinds(data), read_settings((*set, *([f"writer={writer}"] if writer else [])))
    failed = unfinished = 0
    for folder in runs:
        try:
            own = run_config(Run(folder))
            options = replace(build_config(config, settings, base=own), data=tuple(kinds))
            if dry_run:
                from roomtour.cli.running.estimate import print_estimate

                print_estimate(str(folder), folder, options)
                continue
            with Bars(ERR) as bars:
                made = make_data(folder, kinds, options, observer=bars)
            for kind in kinds:
                rejected = len(made.rejected_rows(kind))
                tell(f"{folder}: {kind} {len(made.rows(kind))} kept, {rejected} rejected")
        except Unfinished as error:
            unfinished += 1
            complain(error)
        except USER_ERRORS as error:
            if len(runs) == 1:
                raise
            failed += 1
            complain(error)
    return 1 if failed else UNFINISHED if unfinished else 0


def check(runs: tyro.conf.Positional[tuple[Path, ...]] = (), /, repair: bool = False) -> int:
    """Read every result of finished stages and say which are missing or not as they were written.

    Exit code 1 if any are. `roomtour process` finds most damage itself, by number and size of files.

    Args:
        runs: Run folders made by `roomtour process`.
        repair: Make anew what is damaged, from the tour's own source and with the options of the run.
    """
    require_runs("check", runs)
    failed = 0
    for folder in runs:
        try:
            damage = _damage(folder)
            for fault in damage:
                tell(f"{folder}: {fault}")
            if damage and repair:
                _repair(folder)
                damage = _damage(folder)
        except USER_ERRORS as error:
            if len(runs) == 1:
                raise
            complain(error)
            failed += 1
            continue
        failed += bool(damage)
        tell(f"{folder}: {f'{len(damage)} damaged' if damage else 'sound'}")
    if failed and not repair:
        complain("repair with: roomtour check RUN --repair")
    return 1 if failed else 0


def _damage(folder: Path) -> Sequence[str]:
    from roomtour.run import Run
    from roomtour.stages.table import STAGES
    from roomtour.store import RunStore

    store = RunStore(Run(folder).path)
    return [
        f"{stage.name}: {fault}"
        for stage in STAGES
        if stage.name in store.stages
        for fault in store.list_damage(stage.name, stage.outputs, by_content=True)
    ]


def _repair(folder: Path) -> None:
    from roomtour.pipeline import process_tour, run_config
    from roomtour.progress import Bars
    from roomtour.run import Run
    from roomtour.sources import Tour
    from roomtour.store import RunStore

    run = Run(folder)
    keep = "exports" if RunStore(folder).has_dropped else "all"
    tour = Tour(str(run.manifest["tour"]), Path(str(run.manifest["source"])), folder)
    with Bars(ERR) as bars:
        process_tour(tour, run_config(run), until=list(run.stages)[-1], observer=bars, by_content=True, keep=keep)
