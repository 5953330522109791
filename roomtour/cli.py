"""The command line: builds inputs, calls one function, prints what was made where."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import tyro
from rich.console import Console
from tyro.extras import SubcommandApp

from roomtour.config import Config, load_config
from roomtour.errors import USER_ERRORS, RoomtourError
from roomtour.export import export_runs
from roomtour.export.options import parse_options
from roomtour.export.registry import FORMATS, get_format
from roomtour.export.validate import validate_export
from roomtour.pipeline import process_tour
from roomtour.progress import Bars
from roomtour.report import render_summary
from roomtour.run import Run
from roomtour.sources import plan_tours

StageName = Literal[
    "sample",
    "clips",
    "features",
    "sfm",
    "merge",
    "scene",
    "trajectories",
    "perception",
    "instructions",
    "report",
]
_OUT = Console(highlight=False)
_ERR = Console(stderr=True, highlight=False)
T = TypeVar("T")
_DESCRIPTION = "Room-tour videos to 3D scenes, trajectories, navigation instructions and training data."


def build_app(defaults: Config = Config()) -> SubcommandApp:
    """The commands; `defaults` are the option values before flags, from a `--config` file."""
    app = SubcommandApp()

    @app.command
    def process(
        inputs: tyro.conf.Positional[tuple[Path, ...]],
        /,
        out: Path,
        config: Path | None = None,
        until: StageName | None = None,
        force: StageName | None = None,
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
            options: Options of the stages.
        """
        return _process(inputs, out, options, until, force)

    @app.command
    def show(run: tyro.conf.Positional[Path], /) -> int:
        """Print the summary of a run again.

        Args:
            run: A run folder made by `roomtour process`.
        """
        _show(Run(run))
        return 0

    @app.command
    def export(
        runs: tyro.conf.Positional[tuple[Path, ...]] = (),
        /,
        format: str | None = None,
        out: Path | None = None,
        options: tuple[str, ...] = (),
        list: bool = False,
    ) -> int:
        """Write runs as a dataset that training code loads.

        Args:
            runs: Run folders made by `roomtour process`.
            format: Name of a format; `--list` tells them.
            out: Where the dataset goes; a new folder, or an earlier export.
            options: Options of the format as `name=value`, such as `val_share=0.1`; `--list` tells them.
            list: Print the formats with what each needs, what loads it and its options; write nothing.
        """
        return _list_formats() if list else _export(runs, format, out, options)

    @app.command
    def validate(path: tyro.conf.Positional[Path], /, format: str | None = None) -> int:
        """Check an exported dataset against the rules of its format.

        Args:
            path: A folder made by `roomtour export`.
            format: Its format; read from the folder if not given.
        """
        return _validate(path, format)

    return app


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. One line and 1 for what a user can mend."""
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        app = build_app(_config_defaults(args))
        return int(app.cli(prog="roomtour", description=_DESCRIPTION, args=args) or 0)
    except USER_ERRORS as error:
        _ERR.print(f"roomtour: {error}", markup=False, soft_wrap=True)
        return 1
    except BrokenPipeError:  # the reader of our output (`| head`) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        _ERR.print("roomtour: interrupted; finished stages are kept, run the same command again to continue")
        # A stage may still be inside a library call that cannot be stopped. Nothing of it counts before its commit.
        sys.stderr.flush()
        os._exit(130)


def _config_defaults(args: Sequence[str]) -> Config:
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
    tours = plan_tours(inputs, out)
    for tour in tours:
        try:
            with Bars(_ERR) as bars:
                run = _interruptible(partial(process_tour, tour, config, until=until, force=force, observer=bars))
            failed += not _show(run)
        except USER_ERRORS as error:
            if len(tours) == 1:
                raise
            failed += 1
            _ERR.print(f"roomtour: {error}", markup=False, soft_wrap=True)
    if len(tours) > 1:
        _OUT.print(f"{len(tours) - failed} of {len(tours)} tours done")
    return 1 if failed else 0


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


def _show(run: Run) -> bool:
    """Print the summary, or what is done so far. False if there is no reconstruction to speak of."""
    if "instructions" not in run.stages:
        done = ", ".join(run.stages) or "none"
        _OUT.print(f"{run.path}: stages done: {done}", markup=False)
        for finding in run.findings:
            _OUT.print(f"  {finding}", markup=False, soft_wrap=True)
        return True
    _OUT.print(render_summary(run.summary(), run.files))
    serious = [finding for finding in run.findings if finding.severity != "info"]
    if serious:
        _OUT.print()
    for finding in serious[:8]:
        _OUT.print(f"{finding}", markup=False, soft_wrap=True)
    if len(serious) > 8:
        _OUT.print(f"and {len(serious) - 8} more in the report")
    if not run.scene.models:
        _ERR.print(
            f"roomtour: {run.path}: no part of the tour could be reconstructed; {_reason(run)}",
            markup=False,
            soft_wrap=True,
        )
        return False
    return True


def _reason(run: Run) -> str:
    errors = [finding for finding in run.findings if finding.severity == "error"]
    return errors[0].message if errors else "see the findings"


def _export(runs: Sequence[Path], format: str | None, out: Path | None, given: Sequence[str]) -> int:
    if not runs:
        raise RoomtourError("no run given; name at least one run folder")
    if format is None or out is None:
        raise RoomtourError("export needs --format and --out; `roomtour export --list` tells the formats")
    options = parse_options(get_format(format), given)
    report = export_runs((Run(run).data for run in runs), format, out, options)
    counts = ", ".join(f"{count} {name}" for name, count in report.counts.items())
    _OUT.print(f"{format}: {counts} -> {out}", markup=False, soft_wrap=True)
    for reason, count in report.dropped.items():
        _OUT.print(f"  dropped {count}: {reason}", markup=False, soft_wrap=True)
    return 0


def _list_formats() -> int:
    for kind in FORMATS.values():
        _OUT.print(kind.name, style="bold", markup=False)
        for label, text in (
            ("", kind.summary),
            ("needs: ", kind.needs),
            ("loaded by: ", kind.client),
            ("options: ", ", ".join(f"{name}={value}" for name, value in asdict(kind.options()).items())),
        ):
            _OUT.print(f"  {label}{text}", markup=False, soft_wrap=True)
    return 0


def _validate(path: Path, format: str | None) -> int:
    problems = validate_export(path, format)
    for problem in problems:
        _OUT.print(str(problem), markup=False, soft_wrap=True)
    if problems:
        _ERR.print(f"roomtour: {path}: {len(problems)} problems", markup=False, soft_wrap=True)
        return 1
    _OUT.print(f"{path}: valid", markup=False, soft_wrap=True)
    return 0
