"""Trajectories: view changes, walks and candidates, and the walks cut for training."""

from __future__ import annotations

from recon.upright.scene_io import read_scene
from roomtour.artifacts import CANDIDATES, FURTHER_WALKS, SCENE, TRAINING, TRAJECTORIES, VIEW_CHANGES
from roomtour.stages.context import Counts, StageContext, StageResult
from trajectories.build import build_trajectories
from trajectories.records import TrainingTrajectory, Trajectory
from trajectories.training import cut_for_training, label_balance, reverse_walk, sub_walks


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    scene = read_scene(context.path(SCENE))
    trajectories, findings = build_trajectories(scene, context.config.trajectory)
    context.write(TRAJECTORIES, trajectories)
    changes = [change for trajectory in trajectories for change in trajectory.view_changes]
    decisions = [decision for trajectory in trajectories for decision in trajectory.decisions]
    context.write(VIEW_CHANGES, changes)
    context.write(CANDIDATES, decisions)
    training: list[TrainingTrajectory] = []
    parts: list[Trajectory] = []
    metre_of = {model.name: model.nominal_metre for model in scene.models}
    for trajectory in trajectories:
        pieces, piece_findings = cut_for_training(
            trajectory, context.config.trajectory.training, metre=metre_of[trajectory.model]
        )
        training += pieces
        parts += sub_walks(trajectory, pieces)
        findings += piece_findings
    context.write(TRAINING, training)
    context.write(FURTHER_WALKS, [*parts, *(reverse_walk(walk) for walk in trajectories)])
    counts: Counts = {"walks": len(trajectories), "view changes": len(changes), "decisions": len(decisions)}
    counts["training trajectories"] = len(training)
    counts |= {f"steps {action}": count for action, count in label_balance(training).most_common()}
    return StageResult(counts, tuple(findings))
