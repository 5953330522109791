"""Into which phases the stages of a tour fall: children with different needs, each of which resumes by itself."""

from __future__ import annotations

from dataclasses import replace

from roomtour.batch.records import Need, Phase
from roomtour.config import Config
from roomtour.stages.table import STAGE_NAMES

_WAITING_CORES = 0.1
"""Of a child that mostly waits for a language server."""


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
