"""The stages in run order: the one place of their names, of what they need, and of what decides their results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from roomtour.errors import UsageError, did_you_mean
from roomtour.kinds import KIND_NAMES, KINDS, DataKind, require_language
from roomtour.stages.context import Stage, stage_module

if TYPE_CHECKING:
    from roomtour.config import Config


def _require_server(config: Config, run: Path) -> None:
    if config.perception == "server":
        require_language(replace(config, writer="llm"), run)


def _stage_of(kind: DataKind) -> Stage:
    return Stage(
        name=kind.name,
        title=kind.title,
        needs=kind.needs,
        outputs=(kind.name,),
        reads=kind.reads,
        share=1.0,
        is_kind=True,
        require=kind.require,
    )


STAGES: tuple[Stage, ...] = (
    Stage(
        name="sample",
        title="Decode and sample",
        needs=(),
        outputs=("frames", "source.json", "mask.png"),
        reads=("input", "sample", "transitions"),
        checks=("poses", "pose_source"),
        share=9.0,
    ),
    Stage(
        name="clips",
        title="Shots and clips",
        needs=("sample",),
        outputs=("frames.parquet", "clips.json"),
        reads=("clips",),
        share=1.0,
    ),
    Stage(
        name="features",
        title="Features and matches",
        needs=("sample", "clips"),
        outputs=("recon/database.db",),
        reads=("features", "seed", "vision.folder"),
        require=lambda config, run: stage_module("features").require_learned(config, run),
        share=46.0,
    ),
    Stage(
        name="sfm",
        title="Structure from motion",
        needs=("features",),
        outputs=("recon/clips",),
        reads=("recon", "poses", "pose_source", "input", "features", "seed", "vision.folder"),
        networks=lambda config: (
            ("keypoints", "floors") if config.poses is None and config.features.kind == "auto" else ()
        ),
        share=25.0,
    ),
    Stage(
        name="merge",
        title="Merge sub-models",
        needs=("sfm",),
        outputs=("recon/merged", "recon/merge_log.jsonl"),
        reads=("poses", "features.kind", "seed", "vision.folder"),
        networks=lambda config: ("floors",) if config.poses is None else (),
        share=5.0,
    ),
    Stage(
        name="vision",
        title="Models on frames",
        needs=("sample",),
        outputs=("vision/index.json",),
        reads=("perception", "vision"),
        networks=lambda config: ("names",) if config.perception == "server" else (),
        require=lambda config, run: stage_module("vision").require_models(config),
    ),
    Stage(
        name="scene",
        title="Upright scene",
        needs=("merge", "vision"),
        outputs=("scene",),
        reads=("scene", "poses", "pose_source", "seed"),
        share=2.0,
    ),
    Stage(
        name="trajectories",
        title="Trajectories",
        needs=("scene",),
        outputs=("trajectories",),
        reads=("trajectory",),
        share=2.0,
    ),
    Stage(
        name="perception",
        title="Perception",
        needs=("scene", "vision", "trajectories"),
        outputs=("perception",),
        reads=(
            *("perception", "landmarks", "objects", "seed", "vision.folder"),
            *("poses", "pose_source", "input.fps"),
            *("language", "hide"),
        ),
        require=_require_server,
        share=5.0,
    ),
    Stage(
        name="plan",
        title="Floor plan and rooms",
        needs=("trajectories", "perception"),
        outputs=("plan",),
        reads=("plan", "seed"),
        share=1.0,
    ),
    *(_stage_of(kind) for kind in KINDS),
    Stage(
        name="report",
        title="Report",
        needs=("plan", *(kind.name for kind in KINDS)),
        outputs=("report.html",),
        reads=("hide", "vision.folder", "tour"),
        require=lambda config, run: stage_module("report").require_hiding(config),
        share=1.0,
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
