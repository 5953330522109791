"""`roomtour process`: tours to run folders."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import tyro
from tyro.extras import SubcommandApp

from instructions.perception.models.shelf import ModelShelf
from roomtour.cli.console import ERR, complain, tell
from roomtour.cli.show import print_run
from roomtour.config import Config, load_config
from roomtour.errors import USER_ERRORS, RoomtourError
from roomtour.language_estimate import describe_estimate, estimate_language
from roomtour.pipeline import process_tour
from roomtour.progress import Bars
from roomtour.sources import plan_tours
from roomtour.workers.local import LocalWorkers

StageName = Literal[
    "sample",
    "clips",
    "features",
    "sfm",
    "merge",
    "vision",
    "scene",
    "trajectories",
    "perception",
    "plan",
    "instructions",
    "report",
]
T = TypeVar("T")


def register(app: SubcommandApp, defaults: Config) -> None:
    """Add the command; `defaults` are the option values before flags."""

    @app.command
    def process(
        inputs: tyro.conf.Positional[tuple[Path, ...]],
        /,
        out: Path,
        config: Path | None = None,
        until: StageName | None = None,
        force: StageName | None = None,
        dry_run: bool = False,
        options: Annotated[Config, tyro.conf.arg(name="")] = defaults,
    ) -> int:
        """Turn room tours into 3D scenes, trajectories and instructions.

        Makes a run folder, or continues one: finished stages whose inputs and options did not change are kept.

        Args:
            inputs: Videos, or folders of ordered images (then give --input.fps).
            out: The run folder; for several inputs a folder of run folders.
            config: YAML file with any of the options below; flags win over it.
            until: Stop after this stage.
            force: Run this stage, and all that rest on it, again.
            dry_run: Only say how many tokens the language model (--writer llm) would take; run and ask nothing.
            options: Options of the stages.
        """
        return _estimate(inputs, out, options) if dry_run else _process(inputs, out, options, until, force)


def config_defaults(args: Sequence[str]) -> Config:
    """The options of a `--config` file, read before the flags so that flags win."""
    if not args or args[0] != "process":
        return Config()
    for position, arg in enumerate(args):
        if arg == "--config" and position + 1 < len(args):
            return load_config(Path(args[position + 1]))
        if arg.startswith("--config="):
            return load_config(Path(arg.removeprefix("--config=")))
    return Config()


def _process(inputs: Sequence[Path], out: Path, config: Config, until: str | None, force: str | None) -> int:
    failed = 0
    tours = plan_tours(inputs, out, config.poses)
    with LocalWorkers(config.workers) as workers:  # closed here, so that Ctrl-C stops them at once
        how = partial(process_tour, config=config, until=until, force=force, workers=workers, models=ModelShelf())
        for tour in tours:
            try:
                with Bars(ERR) as bars:
                    run = _interruptible(partial(how, tour, observer=bars))
                failed += not print_run(run)
            except USER_ERRORS as error:
                if len(tours) == 1:
                    raise
                failed += 1
                complain(error)
    if len(tours) > 1:
        tell(f"{len(tours) - failed} of {len(tours)} tours done")
    return 1 if failed else 0


def _estimate(inputs: Sequence[Path], out: Path, config: Config) -> int:
    if config.writer != "llm":
        raise RoomtourError("--dry-run estimates what the language model costs; give --writer llm with it")
    for tour in plan_tours(inputs, out, config.poses):
        head, *details = describe_estimate(estimate_language(tour, config), config.language)
        tell(f"{tour.name}: {head}")
        for line in details:
            tell(line)
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
