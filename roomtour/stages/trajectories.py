"""Trajectories: view changes, walks and candidates."""

from __future__ import annotations

from recon.scene_io import read_scene
from roomtour.records_io import write_jsonl
from roomtour.stages.context import Counts, Stage, StageContext, StageResult
from trajectories.build import build_trajectories
from trajectories.records import DecisionPoint, Trajectory, ViewChange


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
    counts: Counts = {"walks": len(trajectories), "view changes": len(changes), "decisions": len(decisions)}
    return StageResult(counts, tuple(findings))


STAGE = Stage(
    name="trajectories",
    title="Trajectories",
    version=1,
    needs=("scene",),
    outputs=("trajectories",),
    options=lambda config: config.trajectory,
    run=_run,
)
