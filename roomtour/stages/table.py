"""The stages in run order: the one place of their names, of what they need, and of what decides their results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roomtour.errors import UsageError, did_you_mean
from roomtour.kinds import KIND_NAMES, KINDS, DataKind
from roomtour.stages.context import Stage, stage_module

if TYPE_CHECKING:
    from roomtour.config import Config


def _require_models(config: Config, run: Path) -> None:
    stage_module("vision").require_models(config)


def _require_hiding(config: Config, run: Path) -> None:
    stage_module("report").require_hiding(config)


def _require_learned(config: Config, run: Path) -> None:
    stage_module("features").require_learned(config, run)


def _options_of(kind: DataKind, config: Config) -> object:
    folder = kind.counted(config)
    if folder is None:
        return kind.options(config)
    from roomtour.counted_runs import count_kinds

    return [kind.options(config), ["counted", sorted(count_kinds(folder)[1].items())]]


def _stage_of(kind: DataKind) -> Stage:
    return Stage(
        name=kind.name,
        title=kind.title,
        needs=kind.needs,
        outputs=(kind.name,),
        options=lambda config: _options_of(kind, config),
        is_kind=True,
        require=kind.require,
    )


STAGES: tuple[Stage, ...] = (
    Stage(
        name="sample",
        title="Decode and sample",
        needs=(),
        outputs=("frames", "source.json", "mask.png"),
        options=lambda config: [config.input, config.sample, config.shots, config.transitions],
    ),
    Stage(
        name="clips",
        title="Shots and clips",
        needs=("sample",),
        outputs=("frames.parquet", "clips.json"),
        options=lambda config: config.clips,
    ),
    Stage(
        name="features",
        title="Features and matches",
        needs=("sample", "clips"),
        outputs=("recon/database.db",),
        options=lambda config: stage_module("features").identity(config),
        options_elsewhere=lambda config: stage_module("features").identity_elsewhere(config),
        require=_require_learned,
    ),
    Stage(
        name="sfm",
        title="Structure from motion",
        needs=("features",),
        outputs=("recon/clips",),
        options=lambda config: stage_module("sfm").identity(config),
        options_elsewhere=lambda config: stage_module("sfm").identity_elsewhere(config),
    ),
    Stage(
        name="merge",
        title="Merge sub-models",
        needs=("sfm",),
        outputs=("recon/merged", "recon/merge_log.jsonl"),
        options=lambda config: stage_module("merge").identity(config),
    ),
    Stage(
        name="vision",
        title="Models on frames",
        needs=("sample",),
        outputs=("vision/index.json",),
        options=lambda config: stage_module("vision").identity(config),
        require=_require_models,
    ),
    Stage(
        name="scene",
        title="Upright scene",
        needs=("merge", "vision"),
        outputs=("scene",),
        options=lambda config: stage_module("scene").identity(config),
    ),
    Stage(
        name="trajectories",
        title="Trajectories",
        needs=("scene",),
        outputs=("trajectories",),
        options=lambda config: config.trajectory,
    ),
    Stage(
        name="perception",
        title="Perception",
        needs=("scene", "vision", "trajectories"),
        outputs=("perception",),
        options=lambda config: stage_module("perception").identity(config),
    ),
    Stage(
        name="plan",
        title="Floor plan and rooms",
        needs=("trajectories", "perception"),
        outputs=("plan",),
        options=lambda config: [config.plan, config.seed],
    ),
    *(_stage_of(kind) for kind in KINDS),
    Stage(
        name="report",
        title="Report",
        needs=("plan", *(kind.name for kind in KINDS)),
        outputs=("report.html",),
        options=lambda config: [config.hide, config.tour, config.navigation.naming],
        require=_require_hiding,
    ),
)
"""In run order. A stage needs only stages above it; of kinds of data, those that the run has."""

STAGE_NAMES = tuple(stage.name for stage in STAGES)


def require_stage(flag: str, name: str) -> None:
    """Refuse a stage that does not exist, naming the nearest.

    Raises:
        RoomtourError: Naming the known ones.
    """
    if name not in STAGE_NAMES:
        known = ", ".join(STAGE_NAMES)
        raise UsageError(f"{flag} {name}: no such stage.{did_you_mean(name, STAGE_NAMES)} Known: {known}")


def list_dependents(name: str) -> tuple[str, ...]:
    """Stages whose results rest on this one, directly or not, in run order."""
    reached = {name}
    for stage in STAGES:
        if reached.intersection(stage.needs):
            reached.add(stage.name)
    return tuple(stage.name for stage in STAGES if stage.name in reached and stage.name != name)


def needed_by(name: str) -> tuple[str, ...]:
    """Stages that have to be done before this one, in run order; kinds of data are no such need."""
    reached = {name}
    for stage in reversed(STAGES):
        if stage.name in reached:
            reached.update(need for need in stage.needs if need not in KIND_NAMES)
    return tuple(stage.name for stage in STAGES if stage.name in reached and stage.name != name)
