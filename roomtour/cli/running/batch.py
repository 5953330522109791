"""`roomtour batch`: many tours on one machine or many, each in a process of its own."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from contextlib import chdir
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import tyro

from recon.numerals import count
from roomtour.batch.job_options import Prices
from roomtour.cli.console import ERROR_FINDING, UNFINISHED, complain, tell
from roomtour.cli.parsing.flags import call
from roomtour.cli.parsing.help_text import HelpRow, describe_option, render_section, terminal_width
from roomtour.cli.parsing.process_flags import ProcessCall, parse_process
from roomtour.cli.parsing.settings import build_config
from roomtour.drawing.text import duration, printable
from roomtour.errors import RoomtourError, UsageError
from roomtour.options.fields import Option, options_of

if TYPE_CHECKING:
    from roomtour.batch.driver import Job
    from roomtour.batch.engines.engine import Engine
    from roomtour.batch.job_options import JobOptions, RunOptions
    from roomtour.batch.records import JobStatus, LedgerRow
    from roomtour.config import Config

_USAGE = """usage: roomtour batch plan INPUT... --out JOB [--price.cpu-hour P] [--price.gb-month P] [options of run]
       roomtour batch run INPUT... --out JOB [--engine local|ray] [--slots N] [options of process]
       roomtour batch status JOB [--watch] [--json] [--rebuild]
       roomtour batch cost JOB [--price.cpu-hour P] [--price.gpu-hour P] [--price.gb-month P]
       roomtour batch retry JOB [--state STATE]... [--tour NAME]... [--later]
       roomtour batch forget JOB --tour NAME [--video]

Process many tours on one machine or many, each in a process of its own: what crashes, hangs or eats memory costs that
tour alone. The same command again goes on where it stopped. Results: JOB/runs/NAME, as `roomtour process` makes them.
"""
_RUN_ROWS = (
    HelpRow(
        "INPUT...",
        'Videos, folders of videos or of images, and lists: `*.jsonl` with {"source": ..., "licence": ...} per line, '
        "`*.txt` with a path per line.",
    ),
    HelpRow("--out JOB", "Folder of the job: runs/, logs/, ledger.jsonl, status.json. Needed."),
)
_ACTION_ROWS = (
    HelpRow("plan", "What is left, and how many CPU-hours, GB and how much money it will take; starts nothing."),
    HelpRow("status, cost, retry, forget", "Each has its own help: roomtour batch status --help"),
    HelpRow("run", "All options of `roomtour process`, for every tour; --workers is 1 unless given."),
)
_SET_OTHERWISE = ("until", "workers", "keep", "command", "cwd")
"""Options of a job that follow from those of `roomtour process`."""
_WATCH_S = 10.0
_RETRIED = ("crashed", "out-of-memory", "timed-out", "failed", "lost")
"""States of tours that were given up, but for refused ones: another attempt finds that input as it was."""


def main(args: Sequence[str]) -> int:
    """Process many tours, each in a process of its own: plan, run, status, cost, retry, forget."""
    action, *rest = args or ["--help"]
    own = {"status": status, "cost": cost, "retry": retry, "forget": forget}
    if action in ("-h", "--help"):
        _print_help()
        return 0
    if action in own:
        return call(own[action], rest, f"batch {action}")
    if action not in ("plan", "run"):
        raise UsageError(f"batch: no action {action}; one of plan, run, {', '.join(own)}; see roomtour batch --help")
    return (_plan if action == "plan" else _run)(rest)


@cache
def _options() -> tuple[Option, ...]:
    """Those of `run` and `plan` besides the options of a tour."""
    options = options_of("roomtour.batch.job_options", "RunOptions")
    return tuple(option for option in options if option.name not in _SET_OTHERWISE)


def _print_help() -> None:
    width = terminal_width()
    print(_USAGE)
    for heading, rows in (("Actions", _ACTION_ROWS), ("Run", (*_RUN_ROWS, *map(describe_option, _options())))):
        print("\n".join(render_section(heading, rows, width)))


def _plan(args: Sequence[str]) -> int:
    read = _read_run(args, "plan")
    if read is None:
        return 0
    given, config, options = read
    from roomtour.batch.api import plan as plan_job
    from roomtour.batch.cost import format_money
    from roomtour.workers.machine import count_cores

    slots = options.slots or count_cores()
    plan = plan_job(given.inputs, given.out, config, slots=slots, options=options, prices=options.price)
    for fault in plan.unreadable:
        tell(f"cannot be read: {fault}")
    unread = f", {len(plan.unreadable)} cannot be read" if plan.unreadable else ""
    tell(f"{count(plan.tours, 'tour')}{unread}, {plan.done} done already; left: {duration(plan.tour_s)} of tour")
    if not plan.longest:
        return 0
    if plan.unknown_lengths:
        tell(f"{count(plan.unknown_lengths, 'tour')} of unknown length, counted as five minutes each")
    factor = plan.measured_over_estimated
    scaled = f" (scaled by {factor:.2f}, as the tours that are done took)" if factor != 1 else ""
    tell(f"about {duration(plan.cpu_s)} of CPU time{scaled}: {duration(plan.wall_s)} with {slots} at once")
    tell(f"about {plan.gb:.1f} GB of run folders, {plan.memory_mb:.0f} MB of memory for the longest: {plan.longest}")
    if plan.money:
        tell(f"about {format_money(plan.money)} in the currency of your prices, a month of storage included")
    if config.writer == "llm":
        tell("tokens: known after stage plan of a tour; roomtour process TOUR --out RUN --dry-run counts its questions")
    return 0


def _read_run(args: Sequence[str], command: str = "run") -> tuple[ProcessCall, Config, RunOptions] | None:
    """The words of `run` and `plan`: those of process, the options of tours and of the job; None for those of help."""
    given = parse_process(args, f"batch {command}", "JOB", _options())
    if given is None:
        _print_help()
        return None
    if given.force is not None or given.dry_run:
        raise UsageError("batch: --force and --dry-run are options of `roomtour process` alone")
    from roomtour.batch.job_options import RunOptions
    from roomtour.kinds import require_kinds
    from roomtour.stages.table import require_stage

    config = build_config(given.config, given.set_options, given.flag_options)
    require_kinds(config.data)
    if given.until is not None:
        require_stage("--until", given.until)
    base = RunOptions(until=given.until, workers=config.workers, keep=given.keep)
    options = given.others.apply(base, "batch")
    storage, scratch = _place_storage(options.storage), _choose_scratch(options)
    return given, config, replace(options, storage=storage, scratch=scratch)


def _run(args: Sequence[str]) -> int:
    read = _read_run(args)
    if read is None:
        return 0
    given, config, options = read
    options = replace(options, command=tuple(args), cwd=str(Path.cwd()))
    workers = config.workers or 1
    from instructions.language.gate import SharedGate
    from roomtour.batch.driver import Job
    from roomtour.batch.engines.local import LocalEngine
    from roomtour.batch.engines.ray_engine import RayEngine
    from roomtour.batch.plan import need_of, plan_tasks
    from roomtour.batch.results.storage import is_bucket
    from roomtour.keys import choose_perception
    from roomtour.workers.machine import count_cores, free_memory_mb

    tasks = plan_tasks(given.inputs, given.out, config, options.until, options.shard)
    idle_s = 60.0 * options.idle_minutes
    language = config.language if config.writer == "llm" or config.perception == "server" else None
    if options.engine == "ray":
        share = options.gpu_share if choose_perception(config).perception == "models" else 0.0
        engine: Engine = RayEngine(options.address, options.slots, workers, idle_s, options.storage, language, share)
        gate = engine.gate
    else:
        memory = free_memory_mb()
        needs = [need_of(task, options.memory_mb).memory_mb for task in tasks if not task.fault]
        most = max(needs, default=1.0)
        slots = options.slots or max(1, min(count_cores() // workers, int(memory // most)))
        gate = SharedGate(language) if language else None
        engine = LocalEngine(slots, memory, idle_s, gate)
    tell(f"{count(len(tasks), 'tour')}, {count(engine.slots, 'slot')}: {given.out}")
    job = Job(given.out, tasks, config, options, engine, gate)
    status = job.run(EndTeller(job))
    _print(status, given.out)
    if not options.shard and not is_bucket(options.storage or ""):
        _tell_page(given.out)
    return _exit_code(status, given.out)


def _tell_page(job: Path) -> None:
    """Write the page of a job that came to its end, and name it."""
    from roomtour.batch.status import write_page

    page = job / "index.html"
    try:
        write_page(job, page)
    except OSError as error:
        raise RoomtourError(f"{page}: cannot be written: {error.strerror or error}") from error
    tell(f"page: {page}")


def _place_storage(storage: str | None) -> str | None:
    """An address that means the same wherever it is read."""
    from roomtour.batch.results.storage import is_bucket

    if not storage:
        return None
    return storage.rstrip("/") if is_bucket(storage) else str(Path(storage).absolute())


def _choose_scratch(options: JobOptions) -> str | None:
    """A bucket is never worked in."""
    if options.scratch is not None:
        return str(Path(options.scratch).absolute())
    return tempfile.gettempdir() if options.storage and "://" in options.storage else None


def status(job: tyro.conf.Positional[Path], /, json: bool = False, watch: bool = False, rebuild: bool = False) -> int:
    """Say where a job stands, while it runs and after.

    Args:
        job: Folder of the job.
        json: For programs.
        watch: Show it anew every 10 s until nothing is left to do.
        rebuild: First write a ledger that was lost out of the runs that are there.
    """
    if watch and json:
        raise UsageError("batch: --watch is for people, --json for programs: give one of them")
    from roomtour.batch.status import read_status

    if rebuild:
        from roomtour.batch.again import rebuild_ledger

        names = rebuild_ledger(job)
        tell(f"{count(len(names), 'tour')} found done and written into the ledger: {', '.join(names) or '-'}")
    job_status = read_status(job)
    while watch and job_status.is_driven and any(job_status.states.get(state) for state in ("waiting", "running")):
        _print(job_status, job)
        time.sleep(_WATCH_S)
        tell("")
        job_status = read_status(job)
    if json:
        from json import dumps

        print(dumps(asdict(job_status), indent=2))
    else:
        _print(job_status, job)
    return 0


def cost(job: tyro.conf.Positional[Path], /, price: Prices = Prices()) -> int:
    """Say what a job took so far, by stage, tour and accepted instruction, and in money.

    Args:
        job: Folder of the job.
        price: In any one currency.
    """
    from roomtour.batch.cost import describe_cost, measure_cost
    from roomtour.batch.status import read_job, read_status
    from roomtour.config import config_from_dict

    language = config_from_dict(read_job(job).options).language
    for line in describe_cost(measure_cost(job, read_status(job), price, language)):
        tell(line)
    return 0


def retry(
    job: tyro.conf.Positional[Path],
    /,
    state: tyro.conf.UseAppendAction[
        tuple[Literal["refused", "crashed", "out-of-memory", "timed-out", "failed", "lost"], ...]
    ] = (),
    tour: tyro.conf.UseAppendAction[tuple[str, ...]] = (),
    later: bool = False,
) -> int:
    """Give tours that were given up new attempts, by the same command that ran the job.

    A refused input is as it was: only `--state refused` or its name tries it again.

    Args:
        job: Folder of the job.
        state: Tours that ended so; repeatable. All that were given up if neither this nor a tour is named.
        tour: A tour by its name; repeatable.
        later: Leave it to the next `roomtour batch run`, as for a job of shards.
    """
    from roomtour.batch.again import ask_again
    from roomtour.batch.status import read_command, read_status

    known = read_status(job)
    refused = known.states.get("refused", 0)
    names = ask_again(job, state or ([] if tour else _RETRIED), tour)
    unknown = sorted(set(tour) - set(names))
    if unknown:
        ended = ", ".join(row.tour for row in known.tours if row.state not in ("waiting", "running")) or "none"
        raise RoomtourError(f"{job}: --tour {unknown[0]}: no tour of this name has ended; those that have: {ended}")
    summary, command = f"{count(len(names), 'tour')} will be tried again", read_command(job)
    if refused and not state and not tour:
        tell(
            f"{count(refused, 'refused tour')} left out: repair the input and run `roomtour batch run` again; "
            "--state refused tries it as it is"
        )
    if later or command is None or not names:
        tell(f"{summary} by the next `roomtour batch run`: {', '.join(names)}" if names else summary)
        return 0
    tell(f"{summary}: {', '.join(names)}")
    out = ("--out", str(job.absolute()))  # wherever the folder was moved to
    with chdir(command.cwd):
        return _run([*command.command, *(out if command.command[-2:] != out else ())])


def forget(job: tyro.conf.Positional[Path], /, tour: str, video: bool = False) -> int:
    """Remove run, attempts and logs of a tour, and name the exports that hold it: for a takedown.

    Args:
        job: Folder of the job.
        tour: Its name.
        video: Remove its video too, what a downloader or you wrote beside it, and what roomtour collect made of a video
            that it fetched.
    """
    from roomtour.batch.again import find_exports, forget_tour, remove_source
    from roomtour.batch.status import find_runs, read_status, read_storage, read_tours

    if tour not in {row.tour for row in read_status(job).tours}:
        raise RoomtourError(f"{job}: no tour {tour}")
    folders = {job, find_runs(job).parent}
    source = known.source if (known := read_tours(job).get(tour)) else ""
    for removed in forget_tour(job, tour, read_storage(job)) + (remove_source(source) if video else []):
        tell(f"removed {removed}")
    if source and not video:
        tell(f"{source} is still there: it would be processed again; --video removes it")
    holding, gone = find_exports(folders, tour)
    for out in holding:
        tell(f"{out} holds it: export it again, and take it off your lists")
    for out in gone:
        tell(f"{out} is on record as an export of this job and is not there; copies of it may hold the tour")
    if not holding and not gone:
        tell("no dataset on record holds it; those of copied or fetched runs are not on record")
    return 0


class EndTeller:
    """Prints how each attempt of a job ended, how many tours are left and, once some are done, for how long."""

    def __init__(self, job: Job):
        self._job, self._begun_s = job, time.monotonic()
        self._spent_s = 0.0
        """CPU time by the estimate, of the tours that are done."""

    def __call__(self, row: LedgerRow) -> None:
        """Print how one attempt ended."""
        said = "tried again" if row.state == "waiting" else row.state
        why = f": {printable(row.reason)}" if row.reason else ""
        tell(f"{row.tour}: {said}, {row.cpu_s:.0f} CPU-s, {row.peak_mb:.0f} MB{why}{self._describe_left(row)}")

    def _describe_left(self, row: LedgerRow) -> str:
        from roomtour.batch.plan import estimate_cpu_s
        from roomtour.progress import describe_time_left

        left = [task for task in self._job.left if not task.fault]
        if row.state.startswith("done"):
            self._spent_s += estimate_cpu_s(row.tour_s)
        if row.state == "waiting" or not left:
            return ""
        told = f" ({count(len(left), 'tour')} left"
        if self._spent_s and all(task.seconds for task in left):
            share = sum(estimate_cpu_s(task.seconds) for task in left) / self._spent_s
            told += f", {describe_time_left((time.monotonic() - self._begun_s) * share).removesuffix(' left')}"
        return f"{told})"


def _print(status: JobStatus, job: Path) -> None:
    from roomtour.batch.status import describe_status

    for line in describe_status(status, job):
        tell(line)


def _exit_code(status: JobStatus, job: Path) -> int:
    refused, given_up = status.states.get("refused", 0), sum(status.states.get(state, 0) for state in _RETRIED)
    if refused:
        complain(
            f"{count(refused, 'tour')} refused, and trying again would not help: repair or remove the input as its "
            "line says, then run the same command again"
        )
    if given_up:
        complain(f"{count(given_up, 'tour')} given up; try again with: roomtour batch retry {job}")
    if refused or given_up:
        return 1
    return ERROR_FINDING if "done-with-errors" in status.states else UNFINISHED if "unfinished" in status.states else 0
