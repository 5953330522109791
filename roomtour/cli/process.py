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
from roomtour.cli.exit_codes import ERROR_FINDING, UNFINISHED
from roomtour.cli.parsing.process_flags import parse_process, render_help
from roomtour.cli.parsing.settings import build_config
from roomtour.cli.show import print_run
from roomtour.errors import USER_ERRORS, Unfinished, UsageError

if TYPE_CHECKING:
    from roomtour.config import Config

T = TypeVar("T")


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
    from roomtour.run import Run
    from roomtour.sources import plan_tours
    from roomtour.stages.table import require_stage
    from roomtour.store import LOG
    from roomtour.workers.local import LocalWorkers
    from roomtour.workers.machine import count_cores

    require_kinds(config.data)
    for flag, name in (("--until", until), ("--force", force)):
        if name is not None:
            require_stage(flag, name)
    failed: list[str] = []
    wrong = unfinished = 0
    tours = plan_tours(inputs, out, config.poses)
    if len(tours) > 1 and (config.tour.title or config.tour.url):
        raise UsageError("--tour.title and --tour.url belong to one tour; several say theirs in a list or beside them")
    with LocalWorkers(config.workers or count_cores()) as workers:  # closed here, so that Ctrl-C stops them at once
        how = partial(process_tour, config=config, until=until, force=force, workers=workers, models=ModelShelf())
        for tour in tours:
            try:
                with Bars(ERR) as bars:
                    run = _interruptible(partial(how, tour, observer=bars))
                wrong += not print_run(run)
            except Unfinished as error:
                unfinished += 1
                wrong += not print_run(Run(error.run))
                complain(error)
            except USER_ERRORS as error:
                if len(tours) == 1:
                    raise
                failed.append(f"{tour.name}: {error}")
                complain(error)
            except Exception as error:  # our own mistake: it costs this tour, not those after it
                if len(tours) == 1:
                    raise
                complain(f"{tour.name}: stopped by a fault of roomtour itself, please report it:")
                from rich.traceback import Traceback

                ERR.print(Traceback.from_exception(type(error), error, error.__traceback__))
                failed.append(f"{tour.name}: {type(error).__name__}: {error} (log: {tour.run / LOG})")
    if len(tours) > 1:
        _close(len(tours), failed, wrong, unfinished)
    return 1 if failed else ERROR_FINDING if wrong else UNFINISHED if unfinished else 0


def _close(tours: int, failed: Sequence[str], wrong: int, unfinished: int) -> None:
    """The last lines of a batch: how many came out how, and every tour that failed with its reason."""
    counts = {"with errors": wrong, "unfinished": unfinished}
    tell(", ".join([f"{tours - len(failed)} of {tours} tours done", *(f"{n} {how}" for how, n in counts.items() if n)]))
    for reason in failed:
        tell(f"failed: {reason}")


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
