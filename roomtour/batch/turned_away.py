"""Tours of a job that are not started at all, and why: told before the first one is."""

from __future__ import annotations

from roomtour.batch.plan import estimate_memory_mb
from roomtour.batch.records import Outcome, TourTask
from roomtour.config import Config
from roomtour.drawing.text import duration
from roomtour.errors import USER_ERRORS
from roomtour.keys import gather_facts
from roomtour.sources import Tour


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
    if tour.address:
        return config.tour.or_else(tour.facts).consent == "refused"
    try:
        return gather_facts(tour, config).consent == "refused"
    except USER_ERRORS:  # a file of facts that cannot be read: its child says so
        return False
