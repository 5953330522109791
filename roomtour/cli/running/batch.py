"""`roomtour batch`: many tours on one machine, each in a process of its own."""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import chdir
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from recon.numerals import count
from roomtour.cli.console import complain, tell
from roomtour.cli.exit_codes import ERROR_FINDING, UNFINISHED
from roomtour.cli.parsing.process_flags import ProcessCall, parse_process
from roomtour.cli.parsing.settings import build_config
from roomtour.drawing.text import duration, printable
from roomtour.errors import RoomtourError, UsageError

if TYPE_CHECKING:
    from roomtour.batch.driver import Job
    from roomtour.batch.engines.engine import Engine
    from roomtour.batch.records import JobStatus, LedgerRow
    from roomtour.config import Config

_HELP = """usage: roomtour batch plan INPUT... --out JOB [options of run]
       roomtour batch run INPUT... --out JOB [--engine local|ray] [--slots N] [options of process]
       roomtour batch status JOB [--watch] [--json] [--rebuild]
       roomtour batch cost JOB [--price-cpu-hour P] [--price-gpu-hour P] [--price-gb-month P]
       roomtour batch retry JOB [--state STATE]... [--tour NAME]... [--later]
       roomtour batch forget JOB --tour NAME [--video]

Process many tours on one machine or many, each in a process of its own: what crashes, hangs or eats memory costs that
tour alone. The same command again goes on where it stopped. Results: JOB/runs/NAME, as `roomtour process` makes them.

run:
  INPUT...             Videos, folders of videos or of images, and lists: `*.jsonl` with
                       {"source": ..., "licence": ...} per line, `*.txt` with a path per line.
  --out JOB            Folder of the job: runs/, logs/, ledger.jsonl, status.json. Needed.
  --slots N            Tours at once; by default as many as cores and memory allow.
  --engine ENGINE      local (this machine) or ray (all machines of a Ray cluster that see JOB and the tours).
  --address ADDRESS    Of the Ray cluster; auto, that of this machine, by default.
  --gpu-share S        Part of a GPU that a tour takes while large models look at it (--engine ray); 1 by default.
  --storage PLACE      Keep results in a folder that all machines share, or in a bucket (s3://BUCKET/PREFIX), not in
                       JOB, which they then need not see; roomtour fetch JOB NAME unpacks one of a bucket. Keys come
                       from the environment or the machine's role alone.
  --scratch FOLDER     Work on a disk of each machine's own, and send what is finished. By default in JOB itself, with
                       --storage in the folder for temporary files.
  --shard K/N          Only the tours whose names hash to K of 1 to N: for several machines that share JOB.
  --memory-mb MB       Resident memory at which one tour is stopped; by its length if not given.
  --idle-minutes M     A tour without progress for so long is stopped; 30 by default.
  --stop-share S       Stop the job when more than this share of the last 50 tours crashed; 0.2 by default.
  and all options of `roomtour process`, for every tour; --workers is 1 unless given.
status:                where a job stands, while it runs and after. --watch shows it anew every 10 s until nothing is
                       left to do; --rebuild writes a ledger that was lost out of the runs that are there.
cost:                  what the job took so far, by stage, tour and accepted instruction, and in money.
plan:                  says what is left, and how many CPU-hours, GB and (--price-cpu-hour, --price-gb-month) how much
                       money it will take; starts nothing.
retry:                 gives tours that were given up new attempts, all of them or those named, by the same command that
                       ran the job; with --later, or for a job of shards, the next `run` does. A refused input is as it
                       was: only --state refused or its name tries it again.
forget:                removes run, attempts and logs of a tour, and names exports that hold it: for a takedown. --video
                       removes its video too, what a downloader or you wrote beside it, and what roomtour collect made
                       of a video that it fetched.
"""
_WATCH_S = 10.0
_RETRIED = ("crashed", "out-of-memory", "timed-out", "failed", "lost")
_STATES = ("refused", *_RETRIED)
"""Of tours that were given up; another attempt finds a refused input as it was."""


def main(args: Sequence[str]) -> int:
    """Process many tours, each in a process of its own: plan, run, status, cost, retry, forget."""
    if not args or args[0] in ("-h", "--help"):
        print(_HELP, end="")
        return 0
    action, *rest = args
    actions = {"plan": _plan, "run": _run, "status": _status, "cost": _cost, "retry": _retry, "forget": _forget}
    if action not in actions:
        raise UsageError(f"batch: no action {action}; one of {', '.join(actions)}; see roomtour batch --help")
    return actions[action](rest)


class _Words(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise UsageError(f"batch: {message}; see roomtour batch --help")


def _plan(args: Sequence[str]) -> int:
    own = _Words(prog="roomtour batch plan", add_help=False, allow_abbrev=False)
    for name in ("cpu-hour", "gb-month"):
        own.add_argument(f"--price-{name}", f"--price.{name}", type=_positive, default=0.0)
    prices, others = own.parse_known_args(list(args))
    read = _read_run(others, "plan")
    if read is None:
        return 0
    call, given, config = read

    from roomtour.batch.cost import Prices, format_money, plan_job
    from roomtour.batch.ledger import list_done, read_rows
    from roomtour.batch.plan import plan_tasks
    from roomtour.batch.results.storage import open_storage
    from roomtour.workers.machine import count_cores

    tasks = plan_tasks(call.inputs, call.out, config, call.until, given.shard)
    slots = given.slots or count_cores()
    costs = Prices(cpu_hour=prices.price_cpu_hour, gb_month=prices.price_gb_month)
    done = list_done(call.out, open_storage(given.storage, call.out).survey().results)
    plan = plan_job(tasks, read_rows(call.out), done, slots, costs)
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


def _read_run(args: Sequence[str], command: str = "run") -> tuple[ProcessCall, argparse.Namespace, Config] | None:
    """The words of `run` and `plan`: those of process, our own, and the options; None if help was asked for."""
    own = _Words(prog="roomtour batch", add_help=False, allow_abbrev=False)
    own.add_argument("--slots", type=_whole)
    own.add_argument("--shard", default="")
    own.add_argument("--engine", choices=("local", "ray"), default="local")
    own.add_argument("--address", default="auto")
    own.add_argument("--gpu-share", "--vision.gpu-share", type=_part, default=1.0)
    own.add_argument("--storage")
    own.add_argument("--scratch", type=Path)
    own.add_argument("--memory-mb", type=_positive)
    own.add_argument("--idle-minutes", type=_positive, default=30.0)
    own.add_argument("--stop-share", type=_share, default=0.2)
    given, others = own.parse_known_args(list(args))
    call = parse_process(others, f"batch {command}", "JOB")
    if call is None:
        print(_HELP, end="")
        return None
    if call.force is not None or call.dry_run:
        raise UsageError("batch: --force and --dry-run are options of `roomtour process` alone")
    config = build_config(call.config, call.set_options, call.flag_options)

    from roomtour.kinds import require_kinds
    from roomtour.stages.table import require_stage

    require_kinds(config.data)
    if call.until is not None:
        require_stage("--until", call.until)
    return call, given, config


def _run(args: Sequence[str]) -> int:
    read = _read_run(args)
    if read is None:
        return 0
    call, given, config = read
    workers = config.workers or 1
    from instructions.language.gate import SharedGate
    from roomtour.batch.driver import Job, JobOptions
    from roomtour.batch.engines.local import LocalEngine
    from roomtour.batch.engines.ray_engine import RayEngine
    from roomtour.batch.plan import need_of, plan_tasks
    from roomtour.batch.results.storage import is_bucket
    from roomtour.keys import choose_perception
    from roomtour.workers.machine import count_cores, free_memory_mb

    tasks = plan_tasks(call.inputs, call.out, config, call.until, given.shard)
    options = JobOptions(
        command=tuple(args),
        cwd=str(Path.cwd()),
        until=call.until,
        workers=config.workers,
        memory_mb=given.memory_mb,
        stop_share=given.stop_share,
        gpu_share=given.gpu_share,
        shard=given.shard,
        storage=_place_storage(given.storage),
        scratch=_choose_scratch(given),
        keep=call.keep,
    )
    idle_s = 60.0 * given.idle_minutes
    language = config.language if config.writer == "llm" or config.perception == "server" else None
    if given.engine == "ray":
        share = given.gpu_share if choose_perception(config).perception == "models" else 0.0
        ray_engine = RayEngine(given.address, given.slots, workers, idle_s, options.storage, language, share)
        engine: Engine = ray_engine
        gate = ray_engine.gate
    else:
        memory = free_memory_mb()
        needs = [need_of(task, given.memory_mb).memory_mb for task in tasks if not task.fault]
        most = max(needs, default=1.0)
        slots = given.slots or max(1, min(count_cores() // workers, int(memory // most)))
        gate = SharedGate(language) if language else None
        engine = LocalEngine(slots, memory, idle_s, gate)
    tell(f"{count(len(tasks), 'tour')}, {count(engine.slots, 'slot')}: {call.out}")
    job = Job(call.out, tasks, config, options, engine, gate)
    status = job.run(_Teller(job))
    _print(status, call.out)
    if not given.shard and not is_bucket(given.storage or ""):
        _tell_page(call.out)
    return _exit_code(status, call.out)


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


def _choose_scratch(given: argparse.Namespace) -> str | None:
    if given.scratch is not None:
        return str(given.scratch.absolute())
    return tempfile.gettempdir() if given.storage and "://" in given.storage else None


def _status(args: Sequence[str]) -> int:
    own = _Words(prog="roomtour batch status", add_help=False, allow_abbrev=False)
    own.add_argument("job", type=Path)
    own.add_argument("--json", action="store_true")
    own.add_argument("--watch", action="store_true")
    own.add_argument("--rebuild", action="store_true")
    given = own.parse_args(list(args))
    if given.watch and given.json:
        raise UsageError("batch: --watch is for people, --json for programs: give one of them")
    if given.rebuild:
        from roomtour.batch.rebuild import rebuild_ledger

        names = rebuild_ledger(given.job)
        tell(f"{count(len(names), 'tour')} found done and written into the ledger: {', '.join(names) or '-'}")
    status = _read_status(given.job)
    while given.watch and status.is_driven and any(status.states.get(state) for state in ("waiting", "running")):
        _print(status, given.job)
        time.sleep(_WATCH_S)
        tell("")
        status = _read_status(given.job)
    if given.json:
        import json

        print(json.dumps(asdict(status), indent=2))
    else:
        _print(status, given.job)
    return 0


def _cost(args: Sequence[str]) -> int:
    own = _Words(prog="roomtour batch cost", add_help=False, allow_abbrev=False)
    own.add_argument("job", type=Path)
    for name in ("cpu-hour", "gpu-hour", "gb-month"):
        own.add_argument(f"--price-{name}", f"--price.{name}", type=_positive, default=0.0)
    given = own.parse_args(list(args))
    status = _read_status(given.job)

    from roomtour.batch.cost import Prices
    from roomtour.batch.spent import describe_cost, measure_cost
    from roomtour.batch.status import read_config

    prices = Prices(cpu_hour=given.price_cpu_hour, gpu_hour=given.price_gpu_hour, gb_month=given.price_gb_month)
    for line in describe_cost(measure_cost(given.job, status, prices, read_config(given.job).language)):
        tell(line)
    return 0


def _retry(args: Sequence[str]) -> int:
    own = _Words(prog="roomtour batch retry", add_help=False, allow_abbrev=False)
    own.add_argument("job", type=Path)
    own.add_argument("--state", action="append", choices=_STATES)
    own.add_argument("--tour", action="append", default=[])
    own.add_argument("--later", action="store_true")
    given = own.parse_args(list(args))
    status = _read_status(given.job)
    refused = status.states.get("refused", 0)
    from roomtour.batch.again import ask_again

    states = given.state or ([] if given.tour else _RETRIED)
    names = ask_again(given.job, states, given.tour)
    unknown = sorted(set(given.tour) - set(names))
    if unknown:
        ended = ", ".join(row.tour for row in status.tours if row.state not in ("waiting", "running")) or "none"
        raise RoomtourError(
            f"{given.job}: --tour {unknown[0]}: no tour of this name has ended; those that have: {ended}"
        )
    from roomtour.batch.status import read_command

    told, command = f"{count(len(names), 'tour')} will be tried again", read_command(given.job)
    if refused and not given.state and not given.tour:
        tell(
            f"{count(refused, 'refused tour')} left out: repair the input and run `roomtour batch run` again; "
            "--state refused tries it as it is"
        )
    if given.later or command is None or not names:
        tell(f"{told} by the next `roomtour batch run`: {', '.join(names)}" if names else told)
        return 0
    tell(f"{told}: {', '.join(names)}")
    out = ("--out", str(given.job.absolute()))  # wherever the folder was moved to
    with chdir(command.cwd):
        return _run([*command.words, *(out if command.words[-2:] != out else ())])


def _forget(args: Sequence[str]) -> int:
    own = _Words(prog="roomtour batch forget", add_help=False, allow_abbrev=False)
    own.add_argument("job", type=Path)
    own.add_argument("--tour", required=True)
    own.add_argument("--video", action="store_true")
    given = own.parse_args(list(args))
    from roomtour.batch.again import forget_tour, remove_source

    if given.tour not in {row.tour for row in _read_status(given.job).tours}:
        raise RoomtourError(f"{given.job}: no tour {given.tour}")
    from roomtour.batch.exported import find_exports
    from roomtour.batch.status import find_runs, read_storage, read_tours

    folders = {given.job, find_runs(given.job).parent}
    source = str(read_tours(given.job).get(given.tour, {}).get("source", ""))
    for removed in forget_tour(given.job, given.tour, read_storage(given.job)):
        tell(f"removed {removed}")
    if given.video:
        for removed in remove_source(source):
            tell(f"removed {removed}")
    elif source:
        tell(f"{source} is still there: it would be processed again; --video removes it")
    holding, gone = find_exports(folders, given.tour)
    for out in holding:
        tell(f"{out} holds it: export it again, and take it off your lists")
    for out in gone:
        tell(f"{out} is on record as an export of this job and is not there; copies of it may hold the tour")
    if not holding and not gone:
        tell("no dataset on record holds it; those of copied or fetched runs are not on record")
    return 0


def _read_status(job: Path) -> JobStatus:
    from roomtour.batch.status import read_status

    return read_status(job)


class _Teller:
    """Prints how each attempt of a job ended, how many tours are left and, once some are done, for how long."""

    def __init__(self, job: Job):
        self._job, self._begun = job, time.monotonic()
        self._spent = 0.0
        """By the estimate, of the tours that came to an end."""

    def __call__(self, row: LedgerRow) -> None:
        said = "tried again" if row.state == "waiting" else row.state
        why = f": {row.reason}" if row.reason else ""
        tell(
            f"{row.tour}: {said}, {row.cpu_s:.0f} CPU-s, {row.peak_mb:.0f} MB{printable(why)}{self._describe_left(row)}"
        )

    def _describe_left(self, row: LedgerRow) -> str:
        from roomtour.batch.plan import estimate_cpu_s
        from roomtour.time_left import describe_time_left

        left = [task for task in self._job.left if not task.fault]
        if row.state.startswith("done"):
            self._spent += estimate_cpu_s(row.tour_s)
        if row.state == "waiting" or not left:
            return ""
        told = f" ({count(len(left), 'tour')} left"
        if self._spent and all(task.seconds for task in left):
            took_s = time.monotonic() - self._begun
            seconds = took_s * sum(estimate_cpu_s(task.seconds) for task in left) / self._spent
            told += f", {describe_time_left(seconds).removesuffix(' left')}"
        return f"{told})"


def _print(status: JobStatus, job: Path) -> None:
    tell(", ".join(f"{number} {state}" for state, number in status.states.items()) or "no tours")
    done = status.tour_s_done
    _print_left(status, job)
    per = f", {status.cpu_s / done:.1f} per second of tour" if done else ""
    lost = f", {status.lost_cpu_s:.0f} CPU-s without a result" if status.lost_cpu_s >= 1 else ""
    tell(f"{duration(done)} of tour done, {status.cpu_s:.0f} CPU-s{per}{lost}, most memory {status.peak_mb:.0f} MB")
    reasons = Counter((row.state, _kind_of(row.reason)) for row in status.tours if row.state in (*_STATES, "skipped"))
    for (state, why), number in reasons.most_common():
        if number > 1:
            tell(f"{number} {state}: {printable(why)}")
    for row in status.tours:
        if row.state not in ("done", "waiting", "running"):
            tell(f"{row.state}: {row.tour}: {printable(row.reason)} (log: {job / 'logs' / row.tour}/{row.attempt}.log)")


def _kind_of(reason: str) -> str:
    """A reason without what differs from tour to tour: figures, and paths with the names of tours."""
    return re.sub(r"\d+(\.\d+)?", "N", re.sub(r"\S*/\S*", "...", reason))


def _print_left(status: JobStatus, job: Path) -> None:
    """What is left while a job runs: time by what its tours took so far, what runs, and the disk."""
    from roomtour.batch.status import describe_left

    for line in describe_left(status, job):
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


def _whole(words: str) -> int:
    value = int(words)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{words}: need at least 1")
    return value


def _positive(words: str) -> float:
    value = float(words)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{words}: need a number above 0")
    return value


def _part(words: str) -> float:
    value = float(words)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{words}: need more than 0, up to 1")
    return value


def _share(words: str) -> float:
    value = float(words)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{words}: need 0 to 1")
    return value
