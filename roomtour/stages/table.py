"""The stages in run order, and which rest on which."""

from __future__ import annotations

from roomtour.stages import (
    clips,
    features,
    instructions,
    merge,
    perception,
    plan,
    report,
    sample,
    scene,
    sfm,
    trajectories,
    vision,
)
from roomtour.stages.context import Stage

STAGES: tuple[Stage, ...] = (
    sample.STAGE,
    clips.STAGE,
    features.STAGE,
    sfm.STAGE,
    merge.STAGE,
    vision.STAGE,
    scene.STAGE,
    trajectories.STAGE,
    perception.STAGE,
    plan.STAGE,
    instructions.STAGE,
    report.STAGE,
)
"""In run order. A stage needs only stages above it."""

STAGE_NAMES = tuple(stage.name for stage in STAGES)


def depending_on(name: str) -> tuple[str, ...]:
    """Stages whose results rest on this one, directly or not, in run order."""
    reached = {name}
    for stage in STAGES:
        if reached.intersection(stage.needs):
            reached.add(stage.name)
    return tuple(stage.name for stage in STAGES if stage.name in reached and stage.name != name)
