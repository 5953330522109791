"""What a child is told: a file that says which tour it works on, where, with what options, and how far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

from roomtour.batch.job_options import JobOptions
from roomtour.batch.records import Attempt, Phase
from roomtour.batch.results.objects import SOURCES
from roomtour.config import Config


def describe_child(
    attempt: Attempt,
    config: Config,
    options: JobOptions,
    keys: Mapping[str, str] | None,
    storage: str | None = None,
    helpers: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """The specification of an attempt.

    Args:
        attempt: The tour, and the phase that is to be made.
        config: Options of every tour.
        options: How the job runs.
        keys: Names of the tour's results; the child works them out if None.
        storage: Where results go, if not into the folder of the attempt alone.
        helpers: How the child gives out tasks to other machines.
    """
    task = attempt.task
    return {
        "tour": task.tour.name,
        "source": str(_place_source(attempt)),
        "address": task.tour.address,
        "fetches": bool(task.tour.address) and attempt.phase.name in ("all", "shape"),
        "version": task.version,
        "source_key": task.tour.key,
        "facts": asdict(task.tour.facts),
        "run": str(attempt.folder.absolute()),
        "config": _adapt_config(config, attempt).to_dict(),
        "until": attempt.phase.until,
        "keys": keys,
        "attempt": attempt.number,
        "outcome": str(attempt.outcome.absolute()),
        "progress": str(attempt.progress.absolute()),
        "storage": storage,
        "scratch": options.scratch,
        "helpers": helpers,
        "keep": options.keep,
    }


def _adapt_config(config: Config, attempt: Attempt) -> Config:
    """The options with what an attempt may use; nothing of it changes a result."""
    parts = attempt.need.batch_parts
    smaller = {
        name: replace(choice, batch=max(1, choice.batch // parts)) for name, choice in config.vision.chosen().items()
    }
    vision = replace(config.vision, **smaller) if parts > 1 else config.vision
    return replace(config, workers=attempt.need.workers, vision=vision)


def choose_child(phase: Phase, scratch: str | None) -> str:
    """The module of a child: one that stays with its models, one that works on another disk, or a plain one."""
    if phase.name == "look":
        return "roomtour.batch.children.looker"
    return "roomtour.batch.children.phase" if scratch is None else "roomtour.batch.children.staged"


def _place_source(attempt: Attempt) -> Path:
    """Where the tour is, or comes to lie when it is fetched: beside the attempts."""
    tour = attempt.task.tour
    if not tour.address:
        return tour.source.absolute()
    return attempt.folder.absolute().parent.parent / SOURCES / tour.name / tour.source.name
