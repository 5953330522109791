"""`roomtour process`: tours to run folders."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from recon.numerals import count
from roomtour.cli.console import ERR, ERROR_FINDING, UNFINISHED, complain, tell
from roomtour.cli.looking.show import print_run
from roomtour.cli.parsing.process_flags import ProcessCall, parse_process, render_help
from roomtour.cli.parsing.settings import build_config
from roomtour.errors import Unfinished, UsageError

if TYPE_CHECKING:
    from roomtour.config import Config
    from roomtour.sources import Tour

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
    return _process(given, config)


def _process(given: ProcessCall, config: Config) -> int:
    from instructions.perception.models.shelf import ModelShelf
    from roomtour.kinds import require_kinds
    from roomtour.pipeline import process_tour
    from roomtour.progress import Bars
    from roomtour.run import Run
    from roomtour.sources import plan_tours
    from roomtour.stages.table import require_stage
    from roomtour.workers.local import LocalWorkers
    from roomtour.workers.machine import count_cores

    require_kinds(config.data)
    for flag, name in (("--until", given.until), ("--force", given.force)):
        if name is not None:
            require_stage(flag, name)
    tours = plan_tours(given.inputs, given.out, config.poses)
    if len(tours) > 1 and (config.tour.title or config.tour.url):
        raise UsageError("--tour.title and --tour.url belong to one tour; several say theirs in a list or beside them")
    if len(tours) > 1:
        return _process_each(tours, given, config)
    with LocalWorkers(config.workers or count_cores()) as workers:  # closed here, so that Ctrl-C stops them at once
        shared = {"workers": workers, "models": ModelShelf(), "keep": given.keep}
        how = partial(process_tour, config=config, until=given.until, force=given.force, **shared)
        try:
            with Bars(ERR) as bars:
                run = _interruptible(partial(how, tours[0], observer=bars))
            return 0 if print_run(run) else ERROR_FINDING
        except Unfinished as error:
            is_right = print_run(Run(error.run))
            complain(error)
            return UNFINISHED if is_right else ERROR_FINDING


def _process_each(tours: Sequence[Tour], given: ProcessCall, config: Config) -> int:
    """Each in a process of its own, one after the other: what ends one costs that tour alone."""
    from roomtour.batch.one_by_one import OneByOne
    from roomtour.progress import Bars
    from roomtour.run import Run
    from roomtour.store import LOG

    failed: list[str] = []
    wrong = unfinished = 0
    with OneByOne(config, given.until, given.force, given.keep) as slot:
        for tour in tours:
            with Bars(ERR) as bars:
                ended = slot.process(tour, bars)
            state, reason = ended.outcome.state, ended.outcome.reason
            if state in ("done", "done-with-errors", "unfinished"):
                wrong += not print_run(Run(tour.run))
            if state == "unfinished":
                unfinished += 1
                complain(reason)
            elif state == "failed":  # our own mistake
                complain(f"{tour.name}: stopped by a fault of roomtour itself, please report it:\n{ended.log}")
                failed.append(f"{tour.name}: {reason} (log: {tour.run / LOG})")
            elif state not in ("done", "done-with-errors"):
                complain(reason if state == "refused" else f"{tour.name}: {state}: {reason}")
                failed.append(f"{tour.name}: {reason if state == 'refused' else f'{state}: {reason}'}")
    _close(len(tours), failed, wrong, unfinished)
    return 1 if failed else ERROR_FINDING if wrong else UNFINISHED if unfinished else 0


def _close(tours: int, failed: Sequence[str], wrong: int, unfinished: int) -> None:
    """The last lines of a batch: how many came out how, and every tour that failed with its reason."""
    counts = {"with errors": wrong, "unfinished": unfinished}
    tell(
        ", ".join(
            [f"{tours - len(failed)} of {count(tours, 'tour')} done", *(f"{n} {how}" for how, n in counts.items() if n)]
        )
    )
    for reason in failed:
        tell(f"failed: {reason}")


def _estimate(inputs: Sequence[Path], out: Path, config: Config) -> int:
    from roomtour.cli.running.estimate import print_estimate
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
