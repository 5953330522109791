"""What a job takes: cores, GPUs, disk and tokens, and in money where prices are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import floor, log10
from statistics import median

from roomtour.batch.plan import estimate_cpu_s, estimate_disk_mb, estimate_memory_mb
from roomtour.batch.records import GIVEN_UP, JobPlan, LedgerRow, TourTask

_LEAST_TOURS = 20
"""Tours that have to be done before their cost is believed more than our estimate."""


@dataclass(frozen=True, kw_only=True)
class Prices:
    """Of a machine's parts, in any one currency."""

    cpu_hour: float = 0.0
    gpu_hour: float = 0.0
    gb_month: float = 0.0

    def of(self, cpu_s: float, gpu_s: float, gb: float) -> float:
        """Of work and a month of what it leaves."""
        return cpu_s / 3600 * self.cpu_hour + gpu_s / 3600 * self.gpu_hour + gb * self.gb_month


def format_money(amount: float) -> str:
    """Two decimals, or as many as show two digits of an amount below one: 12.50, 0.0032."""
    decimals = 1 - floor(log10(amount)) if 0.0 < amount < 0.1 else 2
    return f"{amount:.{decimals}f}"


def plan_job(
    tasks: Iterable[TourTask],
    rows: Iterable[LedgerRow],
    done: Mapping[str, str],
    slots: int,
    prices: Prices = Prices(),
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
