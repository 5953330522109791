"""The headline figures of a run, for the page and for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from recon.findings import Finding, count_by_severity
from recon.records import ScaleStatus
from recon.upright.outline import SceneOutline, outline_of
from roomtour.drawing.text import count, duration, percent, printable
from roomtour.export.core.records import RunData
from roomtour.run import Run
from trajectories.records import Action, TrainingTrajectory, Trajectory
from trajectories.training import label_balance

SCALE_WORDS: dict[ScaleStatus, str] = {
    "metric": "metric: lengths are metres",
    "assumed": "assumed: metres rest on a prior, not on a measurement",
    "relative": "relative: no scale, so no metres",
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


def summarize(data: RunData) -> RunSummary:
    """Count what a run got. A run without frames, models or instructions gives zeros."""
    accepted = sum(instruction.accepted for instruction in data.instructions)
    return _count(
        outline_of(data.scene),
        data.scene.findings,
        data.trajectories,
        data.training,
        objects=len(data.objects),
        accepted=accepted,
        rejected=len(data.instructions) - accepted,
    )


def summarize_run(run: Run) -> RunSummary:
    """The same of a run folder, from its small files: the points of a long tour take seconds to read."""
    outline = run.scene_outline
    if any(model.path_length is None for model in outline.models):  # a run of a version that did not write it
        outline = outline_of(run.scene)
    return _count(
        outline,
        run.findings,
        run.trajectories,
        run.training,
        objects=len(run.objects),
        accepted=len(run.instructions),
        rejected=len(run.rejected_instructions),
    )


def _count(
    scene: SceneOutline,
    findings: Sequence[Finding],
    trajectories: Sequence[Trajectory],
    training: Sequence[TrainingTrajectory],
    *,
    objects: int,
    accepted: int,
    rejected: int,
) -> RunSummary:
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
        path_length=None if relative else float(sum(model.path_length or 0.0 for model in scene.models)),
        view_changes=len(changes),
        turns_on_the_spot=sum(change.on_the_spot for change in changes),
        decisions=sum(len(trajectory.decisions) for trajectory in trajectories),
        objects=objects,
        instructions_accepted=accepted,
        instructions_rejected=rejected,
        findings=count_by_severity(findings),
        training=len(training),
        actions=dict(label_balance(training).most_common()),
    )


def scale_phrase(summary: RunSummary) -> str:
    """The scale status in words; says so where there is no model to have one."""
    return SCALE_WORDS[summary.scale_status] if summary.models else "none: there is no model"


def render_summary(summary: RunSummary) -> RenderableType:
    """The summary for the terminal: one aligned table of figures."""
    table = Table.grid(padding=(0, 3))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in _rows(summary):
        table.add_row(label, value)
    return Group(Text(printable(summary.scene), style="bold"), table)


def _rows(summary: RunSummary) -> list[tuple[str, Text]]:
    models = count(summary.models, "model")
    if summary.models > 1:
        models += f", the largest holds {percent(summary.largest_model_share)} of the frames"
    walked = ""
    if summary.path_length is not None:
        walked = f"{summary.path_length:.1f} m" + (" (assumed)" if summary.scale_status == "assumed" else "")
    turns = summary.turns_on_the_spot
    rejected = f", {summary.instructions_rejected} rejected" if summary.instructions_rejected else ""
    rows = [
        ("source", Text(f"{printable(summary.source)}, {duration(summary.duration_s)}")),
        ("frames", Text(f"{summary.frames}")),
        ("registered", _share(summary)),
        ("models", Text(models)),
        ("scale", Text(scale_phrase(summary))),
        ("walked", Text(walked)),
        ("view changes", Text(f"{summary.view_changes}" + (f", {turns} of them on the spot" if turns else ""))),
        ("decision points", Text(f"{summary.decisions}")),
        ("training", Text(_training(summary))),
        ("objects", Text(f"{summary.objects}")),
        ("instructions", Text(f"{summary.instructions_accepted} written{rejected}")),
        ("findings", _findings(summary.findings)),
    ]
    return [(label, value) for label, value in rows if value.plain]


def _training(summary: RunSummary) -> str:
    """How many trajectories, and how their steps divide among the actions: a policy learns what is frequent."""
    if not summary.training:
        return ""
    steps = sum(summary.actions.values())
    shares = ", ".join(f"{action} {percent(number / steps)}" for action, number in summary.actions.items())
    words = count(summary.training, "piece")
    return f"{words}, {steps} steps: {shares}" if steps else words


def _share(summary: RunSummary) -> Text:
    share = summary.registered_share
    style = "green" if share >= 0.9 else "yellow" if share >= 0.5 else "red"
    return Text.assemble(f"{summary.registered} ", (f"({percent(share)})", style))


def _findings(findings: Mapping[str, int]) -> Text:
    words = {"error": ("error", "red"), "warning": ("warning", "yellow"), "info": ("note", "")}
    parts = [(count(n, words[severity][0]), words[severity][1]) for severity, n in findings.items() if n]
    out = Text()
    for position, (text, style) in enumerate(parts):
        out.append(", " if position else "")
        out.append(text, style=style)
    return out if parts else Text("none")
