"""Trajectories: view changes, walks and candidates, and the walks cut for training."""

from __future__ import annotations

from recon.upright.scene_io import read_scene
from roomtour.files.records import write_jsonl
from roomtour.stages.context import Counts, Stage, StageContext, StageResult
from trajectories.build import build_trajectories
from trajectories.records import DecisionPoint, TrainingTrajectory, Trajectory, ViewChange
from trajectories.training import cut_for_training, label_balance


def _run(context: StageContext) -> StageResult:
    scene = read_scene(context.run / "scene")
    trajectories, findings = build_trajectories(scene, context.config.trajectory)
    folder = context.part / "trajectories"
    folder.mkdir()
    write_jsonl(folder / "trajectories.jsonl", trajectories, Trajectory)
    changes = [change for trajectory in trajectories for change in trajectory.view_changes]
    decisions = [decision for trajectory in trajectories for decision in trajectory.decisions]
    write_jsonl(folder / "view_changes.jsonl", changes, ViewChange)
    write_jsonl(folder / "candidates.jsonl", decisions, DecisionPoint)
    training: list[TrainingTrajectory] = []
    metre_of = {model.name: model.nominal_metre for model in scene.models}
    for trajectory in trajectories:
        pieces, found = cut_for_training(
            trajectory, context.config.trajectory.training, metre=metre_of[trajectory.model]
        )
        training += pieces
        findings += found
    write_jsonl(folder / "training.jsonl", training, TrainingTrajectory)
    counts: Counts = {"walks": len(trajectories), "view changes": len(changes), "decisions": len(decisions)}
    counts["training trajectories"] = len(training)
    counts |= {f"steps {action}": count for action, count in label_balance(training).most_common()}
    return StageResult(counts, tuple(findings))


STAGE = Stage(
    name="trajectories",
    title="Trajectories",
    version=3,
    needs=("scene",),
    outputs=("trajectories",),
    options=lambda config: config.trajectory,
    run=_run,
)
