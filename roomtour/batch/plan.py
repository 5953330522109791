"""What a job has to do: its tours with their keys, what each may need, and which are not started at all."""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path

from recon.video.container import require_video
from recon.video.image_folder import FolderSource, image_files
from roomtour.batch.records import Need, Outcome, TourTask
from roomtour.batch.status import RUNS
from roomtour.config import Config
from roomtour.drawing.text import duration
from roomtour.errors import USER_ERRORS, RoomtourError
from roomtour.keys import gather_facts
from roomtour.sources import Tour, plan_tours, source_key

_START_CPU_S, _CPU_S_PER_S = 10.0, 1.3
_START_MB, _MB_PER_S = 700.0, 2.0
_DISK_MB_PER_S = 1.7
"""CPU-seconds, resident memory and disk of a tour, at the start and per second of it; measured on tours of 10 s to 10
minutes.
"""
_SPARE = 2.0
"""A child may take so many times the memory that is expected: limits are against runaways, not against sound tours."""
_LEAST_LIMIT_MB = 2500.0
_OUTLASTS, _MOST_SHARE = 1.15, 16
"""A tour that alone would take so many times what all take together on all cores is given more, up to so many."""
_MB_PER_PROCESS = 300.0
"""Of each process inside a tour besides the first."""
_UNKNOWN_S = 300.0
"""A tour of unknown length is taken to be so long."""


def plan_tasks(inputs: Sequence[Path], job: Path, config: Config, until: str | None, shard: str = "") -> list[TourTask]:
    """The tours of a job, longest first, so that none is left to run alone at the end.

    Args:
        inputs: Videos, folders of images, and lists (`*.jsonl`).
        job: Folder of the job.
        config: Options of every tour.
        until: Last stage.
        shard: `K/N` takes the tours whose names hash to K of 1 to N; empty takes all.

    Raises:
        RoomtourError: As `plan_tours` does, or for a shard that is none.
    """
    tours = plan_tours(inputs, job / RUNS, config.poses)
    if len(inputs) == 1 and len(tours) == 1 and tours[0].run == job / RUNS:  # one tour has a folder of its own here
        tours = [replace(tours[0], run=job / RUNS / tours[0].name)]
    which, parts = _read_shard(shard)
    chosen = [tour for tour in tours if parts == 1 or _draw(tour.name, parts) == which]
    tasks = [_task(tour, config, until) for tour in chosen]
    return sorted(tasks, key=lambda task: (-task.seconds, task.tour.name))


def need_of(task: TourTask, memory_mb: float | None = None, workers: int = 1, share: int = 1) -> Need:
    """What an attempt may use.

    Args:
        task: The tour.
        memory_mb: Memory at which it is stopped; by its length if None.
        workers: Processes inside it, for each slot.
        share: Slots that it takes.
    """
    expected = estimate_memory_mb(task.seconds) + _MB_PER_PROCESS * (workers * share - 1)
    limit = max(_LEAST_LIMIT_MB, _SPARE * expected) if memory_mb is None else memory_mb
    return Need(estimate_cpu_s(task.seconds), limit, workers * share, slots=share)


def choose_shares(tasks: Sequence[TourTask], slots: int, most: int) -> dict[str, int]:
    """How many slots a tour takes, by name: 1, doubled as long as it alone would outlast what all have to do.

    Where every tour has a slot, only those that are left over are given out: none waits for another's second.

    Args:
        tasks: All tours of the job, longest first.
        slots: Of all machines.
        most: Of one machine.
    """
    fair_s = _OUTLASTS * sum(estimate_cpu_s(task.seconds) for task in tasks) / max(slots, 1)
    shares, left = {}, slots - len(tasks)
    for task in tasks:
        share = 1
        while estimate_cpu_s(task.seconds) / share > fair_s and 2 * share <= min(most, _MOST_SHARE):
            if len(tasks) <= slots and share > left:
                break
            left -= share
            share *= 2
        shares[task.tour.name] = share
    return shares


def estimate_cpu_s(length_s: float) -> float:
    """CPU-seconds of a tour; 0 for an unknown length."""
    return _START_CPU_S + _CPU_S_PER_S * (length_s or _UNKNOWN_S)


def estimate_memory_mb(length_s: float) -> float:
    """Most resident memory of a tour."""
    return _START_MB + _MB_PER_S * (length_s or _UNKNOWN_S)


def estimate_disk_mb(length_s: float) -> float:
    """Size of a run folder."""
    return _DISK_MB_PER_S * (length_s or _UNKNOWN_S)


def _read_shard(shard: str) -> tuple[int, int]:
    if not shard:
        return 1, 1
    which, slash, parts = shard.partition("/")
    if not (slash and which.isdecimal() and parts.isdecimal() and 1 <= int(which) <= int(parts)):
        raise RoomtourError(f"--shard {shard}: need K/N with K from 1 to N, such as 3/16")
    return int(which), int(parts)


def _draw(name: str, parts: int) -> int:
    return 1 + int.from_bytes(sha256(name.encode()).digest()[:8], "big") % parts


def _key(tour: Tour, config: Config, until: str | None) -> str:
    """What the result of a tour hangs on; a source that cannot be read gets a key too, and is refused by its child."""
    try:
        source = source_key(tour.source)
    except USER_ERRORS as error:
        source = str(error)
    options = {name: value for name, value in config.to_dict().items() if name != "workers"}
    identity = [tour.name, source, options, asdict(tour.facts), until, importlib.metadata.version("roomtour")]
    return sha256(json.dumps(identity, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _task(tour: Tour, config: Config, until: str | None) -> TourTask:
    seconds, fault = 0.0, ""
    try:
        seconds = _measure_s(tour.source, config.input.fps)
    except (*USER_ERRORS, OSError) as error:
        fault = str(error)
    return TourTask(tour, _key(tour, config, until), tour.seconds or seconds, fault)


def _measure_s(source: Path, fps: float | None) -> float:
    """Length of a tour by its head, or by its number of images; 0 where a head does not say."""
    if not source.is_dir():
        return require_video(source)
    with FolderSource(source, short_side=1, fps=fps):  # refuses what its child would
        return len(image_files(source)) / (fps or 1.0)


def why_not_started(task: TourTask, config: Config, limit_mb: float | None, most_memory_mb: float) -> Outcome | None:
    """Why a tour is not started; None if it may be.

    Args:
        task: The tour.
        config: Options of every tour.
        limit_mb: Memory at which every tour is stopped, so that none needs more; by its length if None.
        most_memory_mb: Of the largest machine.
    """
    if _is_refused(task.tour, config):
        return Outcome("skipped", "those whose home it shows refused its use (consent); another consent starts it")
    if not task.seconds:
        return None  # nobody knows what it needs
    need_mb = min(estimate_memory_mb(task.seconds), limit_mb or float("inf"))
    if need_mb > most_memory_mb:
        return Outcome(
            "refused",
            f"{duration(task.seconds)} of tour need about {need_mb:.0f} MB of memory, and no machine here has more "
            f"than {most_memory_mb:.0f}; the same command starts it where one has, --memory-mb with less tries it here",
        )
    return None


def _is_refused(tour: Tour, config: Config) -> bool:
    """Whether those whose home it shows refused, as far as this machine is told."""
    try:
        return gather_facts(tour, config).consent == "refused"
    except USER_ERRORS:  # a file of facts that cannot be read: its child says so
        return False
