"""Into which children the stages of a tour fall, each with needs of its own, and what each of them is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace

from roomtour.batch.job_options import JobOptions
from roomtour.batch.records import Attempt, Need, Phase
from roomtour.config import Config
from roomtour.stages.table import STAGE_NAMES

_WAITING_CORES = 0.1
"""Of a child that mostly waits for a language server."""


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
        "source": str(task.tour.source.absolute()),
        "facts": asdict(task.tour.facts),
        "run": str(attempt.folder.absolute()),
        "config": _adapt_config(config, attempt).to_dict(),
        "until": attempt.phase.until,
        "keys": keys,
        "attempt": attempt.number,
        "outcome": str(attempt.outcome.absolute()),
        "events": str(attempt.events.absolute()),
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
    """The module of a child: one that works on another disk or stays with its models, or a plain one."""
    is_plain = phase.name != "look" and scratch is None
    return f"roomtour.batch.children.{'phase' if is_plain else 'staged'}"


def list_phases(config: Config, until: str | None) -> tuple[Phase, ...]:
    """The phases of a tour, in order; one for all stages where neither large models nor a language model take part.

    Args:
        config: With the perception that was chosen.
        until: Last stage of the job; all by default.
    """
    cuts: list[Phase] = []
    if config.perception == "models":
        cuts += [Phase("shape", "merge"), Phase("look", "vision")]
    if config.writer == "llm":
        cuts += [Phase("finish", "plan"), Phase("write", None)]
    elif cuts:
        cuts += [Phase("finish", None)]
    if not cuts:
        return (Phase("all", until),)
    before = [phase for phase in cuts if _place(phase.until) < _place(until)]
    return (*before, Phase(cuts[len(before)].name, until))


def adapt_need(phase: Phase, need: Need, gpu_share: float) -> Need:
    """What a phase of a tour takes, out of what a whole tour does."""
    if phase.name == "look":
        return replace(need, gpu=gpu_share)
    return replace(need, cores=_WAITING_CORES, workers=1, slots=1) if phase.name == "write" else need


def _place(stage: str | None) -> int:
    return len(STAGE_NAMES) if stage is None else STAGE_NAMES.index(stage)
