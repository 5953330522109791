"""A scene to action-enriched trajectories: walks, view changes, places, passages and decisions."""

from __future__ import annotations

from dataclasses import dataclass

from recon.findings import Finding
from recon.records import Scene, SceneModel
from trajectories.candidates import CandidateOptions, find_decisions, find_walking_paths
from trajectories.clusters import ClusterOptions, find_clusters
from trajectories.crossings import CrossingOptions, find_crossings
from trajectories.records import Trajectory, TrajectoryPoint
from trajectories.training import TrainingOptions
from trajectories.view_change import ViewChangeOptions, find_view_changes
from trajectories.walk import WalkOptions, find_walks


@dataclass(frozen=True, kw_only=True)
class TrajectoryOptions:
    """How poses become trajectories."""

    walk: WalkOptions = WalkOptions()
    """Where a walk is cut"""
    view_change: ViewChangeOptions = ViewChangeOptions()
    """What counts as a view change"""
    crossing: CrossingOptions = CrossingOptions()
    """Where the walk crosses itself"""
    cluster: ClusterOptions = ClusterOptions()
    """How decision places are grouped"""
    candidate: CandidateOptions = CandidateOptions()
    """Which views become candidates"""
    training: TrainingOptions = TrainingOptions()
    """How walks are cut into training trajectories"""


def build_trajectories(
    scene: Scene, options: TrajectoryOptions = TrajectoryOptions()
) -> tuple[list[Trajectory], list[Finding]]:
    """Make the trajectories of every model, largest model first, walks in time order.

    Args:
        scene: Upright models, with or without metres.
        options: Of every step.

    Returns:
        Trajectories with ids `{scene}_m{model}_t{n}`, and findings for what was cut, dropped or left without a
        decision. Both empty for a scene without models.

    Raises:
        TrajectoryError: If a model has frames that the scene does not have, or times do not increase.
    """
    trajectories, findings = [], []
    for model in scene.models:
        walks, found = find_walks(model, scene.frame_by_index, options.walk)
        findings += found
        for number, points in enumerate(walks):
            trajectory, found = _enrich(scene, model, number, points, options)
            trajectories.append(trajectory)
            findings += found
    return trajectories, findings


def _enrich(
    scene: Scene, model: SceneModel, number: int, points: tuple[TrajectoryPoint, ...], options: TrajectoryOptions
) -> tuple[Trajectory, list[Finding]]:
    unit, metre = model.scale.unit, model.nominal_metre
    changes = find_view_changes(points, options.view_change, metre=metre)
    crossings = find_crossings(points, options.crossing, metre=metre)
    clusters = find_clusters(points, changes, options.cluster, crossings=crossings, unit=unit, metre=metre)
    paths = find_walking_paths(points, clusters, options.candidate)
    decisions, findings = find_decisions(points, changes, clusters, paths, options.candidate)
    trajectory = Trajectory(
        id=f"{scene.id}_m{model.name}_t{number}",
        scene=scene.id,
        model=model.name,
        unit=unit,
        scale_status=model.scale.status,
        points=points,
        view_changes=tuple(changes),
        clusters=tuple(clusters),
        paths=tuple(paths),
        decisions=tuple(decisions),
        crossings=tuple(crossings),
    )
    return trajectory, findings
