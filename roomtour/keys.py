"""The names of a tour's results: worked out where the models are, used on machines that have none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from roomtour.config import Config
from roomtour.kinds import require_kinds
from roomtour.run import Run
from roomtour.sources import Tour, source_key
from roomtour.stages.context import Stage, stage_module
from roomtour.stages.table import STAGE_NAMES, STAGES
from roomtour.store import MANIFEST, RunStore, result_key
from roomtour.tour_facts import TourFacts, read_facts_beside


def list_identities(config: Config) -> dict[str, object]:
    """What decides the results of each stage besides its inputs; learned models are read for it.

    Args:
        config: With the perception that was chosen (`choose_perception`).

    Raises:
        InstructionError: If a model that is asked for is not on this machine.
    """
    return {stage.name: stage.identify(config) for stage in list_stages(require_kinds(config.data), None)}


def result_keys(tour: Tour, config: Config, identities: Mapping[str, object]) -> dict[str, str]:
    """The names of a tour's results, by stage: where they are known, nothing else is needed to tell what is done.

    Args:
        tour: Its run folder tells its facts.
        config: As `list_identities` got it.
        identities: Of this configuration; the same for every tour.

    Raises:
        RoomtourError: If the source cannot be read.
    """
    config = replace(config, tour=gather_facts(tour, config))
    source, keys = [tour.name, source_key(tour.source)], {}
    for stage in STAGES:
        if stage.name in identities:
            inputs = [keys[name] for name in stage.needs if name in keys] or source
            about = stage.identify(config) if "tour" in stage.reads else identities[stage.name]
            keys[stage.name] = result_key(stage.name, stage.code, inputs, about)
    return keys


def choose_perception(config: Config) -> Config:
    """The options with `auto` replaced by what this machine has."""
    return stage_module("vision").choose_perception(config)


def list_stages(kinds: Sequence[str], until: str | None) -> list[Stage]:
    """Up to `until`; of the kinds of data those asked for."""
    last = STAGE_NAMES.index(until) if until is not None else len(STAGES)
    return [
        stage for number, stage in enumerate(STAGES) if number <= last and (not stage.is_kind or stage.name in kinds)
    ]


def gather_facts(tour: Tour, config: Config) -> TourFacts:
    """What the command line says of a tour, then its row in a list, the file beside it, and the run as it is."""
    said = config.tour.or_else(tour.facts).or_else(read_facts_beside(tour.source))
    return said.or_else(Run(tour.run).facts) if (tour.run / MANIFEST).is_file() else said


@dataclass(frozen=True)
class GivenKeys:
    """How a run is continued: what is believed of its stages."""

    keys: Mapping[str, str]
    attempt: int = 0
    by_content: bool = False

    def has_done(self, stage: Stage, run: Path) -> bool:
        """Whether a run holds the result of a stage under the key that was given for it."""
        if stage.name not in self.keys or not (run / MANIFEST).is_file():
            return False
        return RunStore(run).is_done(stage.name, self.keys[stage.name])

    def name_result(self, stage: Stage, inputs: Sequence[str], config: Config) -> str:
        """The key of a result: the one given where it was worked out from the same inputs, else our own."""
        expected = [self.keys[name] for name in stage.needs if name in self.keys]
        if stage.needs and stage.name in self.keys and list(inputs) == expected:
            return self.keys[stage.name]
        return result_key(stage.name, stage.code, inputs, stage.identify(config))
