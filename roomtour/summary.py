"""The headline figures of a run, which every place that tells of it counts alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recon.findings import Finding, count_by_severity
from recon.numerals import percent
from recon.records import ScaleStatus, Scene, measure_span_s, say_scale_gap
from recon.upright.outline import SceneOutline
from roomtour.export.core.records import RunData
from roomtour.kinds import count_families
from trajectories.records import Action, TrainingTrajectory, Trajectory
from trajectories.training import label_balance

SCALE_WORDS: dict[ScaleStatus, str] = {
    "metric": "metric: lengths are metres",
    "assumed": "assumed: metres rest on a prior, not on a measurement",
    "relative": "relative",
}


@dataclass(frozen=True)
class RunSummary:
    """What a run got, in numbers."""

    scene: str
    source: str
    duration_s: float
    frames: int
    """Sampled frames."""
    registered: int
    """Frames with a pose in any model."""
    registered_share: float
    """Of the sampled frames, 0 to 1; 0 for no frames."""
    models: int
    largest_model_share: float
    """Share of the sampled frames in the largest model, 0 to 1."""
    scale_status: ScaleStatus
    """The weakest among the models."""
    unit: str
    """`m`, or `unit` where the scale is relative."""
    path_length: float | None
    """Metres walked over all models; None where the scale is relative."""
    view_changes: int
    turns_on_the_spot: int
    decisions: int
    objects: int
    instructions_accepted: int
    instructions_rejected: int
    findings: Mapping[str, int]
    """Count by severity: error, warning, info; zeros included."""
    training: int = 0
    """Training trajectories."""
    actions: Mapping[Action, int] = field(default_factory=dict)
    """Steps of the training trajectories by action, most frequent first; empty where the scale is relative."""
    scale_sigma: float | None = None
    """Relative standard deviation of the least sure scale; None where it is relative."""
    span_s: float = 0.0
    """From the first sampled frame to the last."""
    families: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Accepted rows by kind of data and family, of kinds that have rows."""
    scale_gap: str = ""
    """That there are no metres, and in how many of the models; empty where every model has a scale."""


def summarize(data: RunData) -> RunSummary:
    """Count what a run got. A run without frames, models or instructions gives zeros."""
    accepted = sum(instruction.accepted for instruction in data.instructions)
    return count_figures(
        data.scene,
        data.scene.findings,
        data.trajectories,
        data.training,
        objects=len(data.objects),
        accepted=accepted,
        rejected=len(data.instructions) - accepted,
        families={kind: count_families(rows) for kind, rows in data.rows.items()},
    )


def count_figures(
    scene: Scene | SceneOutline,
    findings: Sequence[Finding],
    trajectories: Sequence[Trajectory],
    training: Sequence[TrainingTrajectory],
    *,
    objects: int,
    accepted: int,
    rejected: int,
    families: Mapping[str, Mapping[str, int]],
) -> RunSummary:
    """Count what a run got from its small files: the points of a long tour take seconds to read."""
    frames = len(scene.frames)
    status = scene.scale_status
    changes = [change for trajectory in trajectories for change in trajectory.view_changes]
    largest = max((len(model.frames) for model in scene.models), default=0)
    relative = status == "relative"
    return RunSummary(
        scene=scene.id,
        source=scene.source.path,
        duration_s=scene.source.duration_s,
        frames=frames,
        registered=scene.registered,
        registered_share=scene.registered / frames if frames else 0.0,
        models=len(scene.models),
        largest_model_share=largest / frames if frames else 0.0,
        scale_status=status,
        unit="unit" if relative else "m",
        path_length=None if relative else float(sum(model.path_length for model in scene.models)),
        view_changes=len(changes),
        turns_on_the_spot=sum(change.on_the_spot for change in changes),
        decisions=sum(len(trajectory.decisions) for trajectory in trajectories),
        objects=objects,
        instructions_accepted=accepted,
        instructions_rejected=rejected,
        findings=count_by_severity(findings),
        training=len(training),
        actions=dict(label_balance(training).most_common()),
        scale_sigma=None if relative else max(model.scale.sigma for model in scene.models),
        span_s=measure_span_s(scene.frames),
        families={kind: dict(counts) for kind, counts in families.items() if counts},
        scale_gap=say_scale_gap([model.scale for model in scene.models]),
    )


def say_yield(families: Mapping[str, Mapping[str, int]], span_s: float) -> str:
    """Rows per minute of tour by kind of data, and by family where a kind has several; empty without rows or time."""
    if span_s <= 0:
        return ""
    phrases = []
    for kind, counts in families.items():
        words = f"{kind} {_per_minute(sum(counts.values()), span_s)}"
        if len(counts) > 1:
            parts = [f"{name.replace('_', ' ')} {_per_minute(count, span_s)}" for name, count in counts.items()]
            words += f" ({', '.join(parts)})"
        phrases.append(words)
    return f"rows per minute of tour: {'; '.join(phrases)}" if phrases else ""


def _per_minute(count: int, span_s: float) -> str:
    return f"{60 * count / span_s:.0f}"


def scale_phrase(summary: RunSummary) -> str:
    """The scale status in words; says so where there is no model to have one."""
    if not summary.models:
        return "none: there is no model"
    words = SCALE_WORDS[summary.scale_status]
    if summary.scale_sigma is None:
        return f"{words}: {summary.scale_gap}"
    return f"{words}; good to {percent(summary.scale_sigma)}"
