"""What a job will take, and what it took: cores, GPUs, disk and tokens, and in money where prices are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import floor, log10
from pathlib import Path
from statistics import median

from instructions.language.budget import Usage, sum_usage
from instructions.language.options import LanguageOptions
from instructions.language.requests import ReplyCache
from roomtour.batch.job_options import Prices
from roomtour.batch.plan import estimate_cpu_s, estimate_disk_mb, estimate_memory_mb
from roomtour.batch.records import GIVEN_UP, JobPlan, JobStatus, LedgerRow, TourTask
from roomtour.batch.status import find_runs
from roomtour.errors import USER_ERRORS
from roomtour.files.disk import count_bytes
from roomtour.kinds import REPLIES
from roomtour.run import Run

_LEAST_TOURS = 20
"""Tours that have to be done before their cost is believed more than our estimate."""


def format_money(amount: float) -> str:
    """Two decimals, or as many as show two digits of an amount below one: 12.50, 0.0032."""
    decimals = 1 - floor(log10(amount)) if 0.0 < amount < 0.1 else 2
    return f"{amount:.{decimals}f}"


def plan_job(
    tasks: Iterable[TourTask], rows: Iterable[LedgerRow], done: Mapping[str, str], slots: int, prices: Prices = Prices()
) -> JobPlan:
    """What is left of a job, and what it will take.

    Args:
        tasks: Its tours.
        rows: Of its ledger, which tells what tours like these took.
        done: Tours that are done, with the key under which they are.
        slots: Tours at once.
        prices: Of a core, and of a gigabyte.
    """
    tasks = tuple(tasks)
    unreadable = tuple(task.fault for task in tasks if task.fault)
    left = [task for task in tasks if done.get(task.tour.name) != task.key and not task.fault]
    factor = learn_factor(tasks, rows)
    work = sorted((factor * estimate_cpu_s(task.seconds) for task in left), reverse=True)
    cpu_s, gb = sum(work), sum(estimate_disk_mb(task.seconds) for task in left) / 1000
    return JobPlan(
        tours=len(tasks),
        done=len(tasks) - len(left) - len(unreadable),
        unknown_lengths=sum(task.seconds == 0 for task in left),
        unreadable=unreadable,
        tour_s=sum(task.seconds for task in left),
        cpu_s=cpu_s,
        measured_over_estimated=factor,
        wall_s=_pack(work, slots),
        longest=left[0].tour.name if left else "",
        memory_mb=max((estimate_memory_mb(task.seconds) for task in left), default=0.0),
        gb=gb,
        money=prices.of(cpu_s, 0.0, gb),
    )


def learn_factor(tasks: Iterable[TourTask], rows: Iterable[LedgerRow]) -> float:
    """By how much tours that are done took more than estimated: the median, once enough of them are."""
    spent: dict[str, float] = {}
    whole: set[str] = set()
    for row in rows:
        if row.event == "ended" and row.state not in GIVEN_UP:
            spent[row.tour] = spent.get(row.tour, 0.0) + row.cpu_s
            whole |= {row.tour} if row.state.startswith("done") else set()
    lengths = {task.tour.name: task.seconds for task in tasks if task.seconds}
    ratios = [spent[name] / estimate_cpu_s(lengths[name]) for name in whole if name in lengths and spent[name] > 0]
    return median(ratios) if len(ratios) >= _LEAST_TOURS else 1.0


def _pack(work: Iterable[float], slots: int) -> float:
    """Wall clock of tours one core each, longest first, each on the slot that is free first."""
    ends = [0.0] * slots
    for seconds in work:
        first = min(range(slots), key=ends.__getitem__)
        ends[first] += seconds
    return max(ends)


@dataclass(frozen=True)
class JobCost:
    """Of everything so far."""

    cpu_s: float
    gpu_s: float
    lost_cpu_s: float
    """Of attempts that gave no result."""
    gb: float
    """Of the run folders here; 0 for results in a bucket that were not fetched."""
    tours: int
    """That are done."""
    instructions: int
    """Accepted ones of the runs here."""
    prompt_tokens: int
    reply_tokens: int
    language_money: float
    money: float
    """All of it, with a month of storage."""
    cpu_s_by_stage: dict[str, float] = field(default_factory=dict)
    gpu_s_by_stage: dict[str, float] = field(default_factory=dict)


def measure_cost(
    job: Path, status: JobStatus, prices: Prices = Prices(), language: LanguageOptions = LanguageOptions()
) -> JobCost:
    """Add up what a job took.

    Args:
        job: Its folder.
        status: Where it stands.
        prices: Of cores, GPUs and storage.
        language: With the prices of tokens.

    Raises:
        RoomtourError: If the folder is not one of a job.
    """
    cpu: dict[str, float] = {}
    gpu: dict[str, float] = {}
    instructions, size, usage = 0, 0, Usage()
    for run in _list_runs(find_runs(job)):
        for name, entry in run.stages.items():
            cpu[name] = cpu.get(name, 0.0) + entry.cpu_seconds
            gpu[name] = gpu.get(name, 0.0) + entry.gpu_seconds
            written = entry.counts.get("instructions", 0) if name == "navigation" else 0
            instructions += int(written) if isinstance(written, int | float) else 0
        spent = ReplyCache(run.path / REPLIES).sum_spent()
        usage = sum_usage(usage, spent)
        size += count_bytes(run.path)
    paid = usage.cost(language) or 0.0
    return JobCost(
        cpu_s=status.cpu_s,
        gpu_s=status.gpu_s,
        lost_cpu_s=status.lost_cpu_s,
        gb=size / 1e9,
        tours=sum(number for state, number in status.states.items() if state in ("done", "done-with-errors")),
        instructions=instructions,
        prompt_tokens=usage.prompt_tokens,
        reply_tokens=usage.reply_tokens,
        language_money=paid,
        money=prices.of(status.cpu_s, status.gpu_s, size / 1e9) + paid,
        cpu_s_by_stage=cpu,
        gpu_s_by_stage={name: seconds for name, seconds in gpu.items() if seconds},
    )


def describe_cost(cost: JobCost) -> Iterable[str]:
    """In lines for people."""
    lost = f", {cost.lost_cpu_s / 3600:.2f} CPU-hours of it in attempts without a result" if cost.lost_cpu_s else ""
    yield f"{cost.cpu_s / 3600:.2f} CPU-hours{lost}; {cost.gpu_s / 3600:.2f} GPU-hours; {cost.gb:.2f} GB of run folders"
    if cost.prompt_tokens or cost.reply_tokens:
        yield f"{cost.prompt_tokens} tokens of prompts, {cost.reply_tokens} of replies"
    if cost.tours:
        yield f"{cost.cpu_s / cost.tours:.0f} CPU-s per tour that is done ({cost.tours})"
    if cost.instructions:
        yield f"{cost.cpu_s / cost.instructions:.1f} CPU-s per accepted instruction ({cost.instructions})"
    stages = sorted(cost.cpu_s_by_stage.items(), key=lambda item: -item[1])
    if stages:
        yield "CPU-s by stage: " + ", ".join(f"{name} {seconds:.0f}" for name, seconds in stages)
    if cost.gpu_s_by_stage:
        yield "GPU-s by stage: " + ", ".join(f"{name} {seconds:.0f}" for name, seconds in cost.gpu_s_by_stage.items())
    if cost.money:
        tokens = f" ({format_money(cost.language_money)} for tokens)" if cost.language_money else ""
        yield f"{format_money(cost.money)} in the currency of your prices{tokens}"


def _list_runs(runs: Path) -> Iterator[Run]:
    for path in sorted(runs.iterdir()) if runs.is_dir() else ():
        try:
            run = Run(path)
            _ = run.stages
        except USER_ERRORS:  # given up before it had a manifest
            continue
        yield run
