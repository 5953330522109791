"""What a job took, out of its ledger and runs: by stage, tour and accepted instruction, and lost to failed attempts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from instructions.language.budget import Usage
from instructions.language.cache import ReplyCache
from instructions.language.options import LanguageOptions
from roomtour.batch.cost import Prices, format_money
from roomtour.batch.records import JobStatus
from roomtour.batch.status import find_runs
from roomtour.errors import USER_ERRORS
from roomtour.kinds import REPLIES
from roomtour.run import Run


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
            told = entry.counts.get("instructions", 0) if name == "navigation" else 0
            instructions += int(told) if isinstance(told, int | float) else 0
        spent = ReplyCache(run.path / REPLIES).sum_spent()
        usage = Usage(
            prompt_tokens=usage.prompt_tokens + spent.prompt_tokens,
            reply_tokens=usage.reply_tokens + spent.reply_tokens,
        )
        size += sum(path.stat().st_size for path in run.path.rglob("*") if path.is_file())
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
