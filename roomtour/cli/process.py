"""`roomtour process`: tours to run folders."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from roomtour.cli.console import ERR, complain, tell
from roomtour.cli.estimate import print_estimate
from roomtour.cli.parsing.process_flags import parse_process, render_help
from roomtour.cli.parsing.settings import build_config
from roomtour.cli.show import print_run
from roomtour.errors import USER_ERRORS

if TYPE_CHECKING:
    from roomtour.config import Config

T = TypeVar("T")
ERROR_FINDING = 3
"""Exit code of a tour that was processed and came out wrong, or as nothing."""


def main(args: Sequence[str]) -> int:
    """Turn room tours into 3D scenes, trajectories and instructions."""
    given = parse_process(args)
    if given is None:
        print(render_help())
        return 0
    config = build_config(given.config, given.set_options, given.flag_options)
    if given.dry_run:
        return _estimate(given.inputs, given.out, config)
    return _process(given.inputs, given.out, config, given.until, given.force)


def _process(inputs: Sequence[Path], out: Path, config: Config, until: str | None, force: str | None) -> int:
    from instructions.perception.models.shelf import ModelShelf
    from roomtour.kinds import require_kinds
    from roomtour.pipeline import process_tour
    from roomtour.progress import Bars
    from roomtour.sources import plan_tours
    from roomtour.stages.table import require_stage
    from roomtour.workers.local import LocalWorkers

    require_kinds(config.data)
    for flag, name in (("--until", until), ("--force", force)):
        if name is not None:
            require_stage(flag, name)
    failed = wrong = 0
    tours = plan_tours(inputs, out, config.poses)
    with LocalWorkers(config.workers) as workers:  # closed here, so that Ctrl-C stops them at once
        how = partial(process_tour, config=config, until=until, force=force, workers=workers, models=ModelShelf())
        for tour in tours:
            try:
                with Bars(ERR) as bars:
                    run = _interruptible(partial(how, tour, observer=bars))
                wrong += not print_run(run)
            except USER_ERRORS as error:
                if len(tours) == 1:
                    raise
                failed += 1
                complain(error)
    if len(tours) > 1:
        tell(f"{len(tours) - failed} of {len(tours)} tours done" + (f", {wrong} with errors" if wrong else ""))
    return 1 if failed else ERROR_FINDING if wrong else 0


def _estimate(inputs: Sequence[Path], out: Path, config: Config) -> int:
    from roomtour.sources import plan_tours

    for tour in plan_tours(inputs, out, config.poses):
        print_estimate(tour.name, tour.run, config)
    return 0


def _interruptible(call: Callable[[], T]) -> T:
    """Run `call` in a thread, so that Ctrl-C is heard while a library holds on to its own loop."""
    outcome: Future[T] = Future()

    def target() -> None:
        try:
            outcome.set_result(call())
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=target, daemon=True).start()
    return outcome.result()
