"""`roomtour check`: whether a run folder still holds what was written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import tyro

from roomtour.cli.console import ERR, complain, tell
from roomtour.cli.parsing.flags import require_runs
from roomtour.errors import USER_ERRORS


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
            for one in damage:
                tell(f"{folder}: {one}")
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
        f"{stage.name}: {one}"
        for stage in STAGES
        if stage.name in store.stages
        for one in store.list_damage(stage.name, stage.outputs, by_content=True)
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
