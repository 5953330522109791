"""A scene to action-enriched trajectories: walks, view changes, places, passages and decisions.

Walks are the registered frames of a model in time order, cut where nobody can have walked on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from recon.conventions import elevation_deg, heading_deg
from recon.findings import Finding
from recon.ranges import AtLeastOne, NotNegative, Positive
from recon.records import Frame, Scene, SceneModel
from trajectories.decisions import (
    CandidateOptions,
    ClusterOptions,
    CrossingOptions,
    find_clusters,
    find_crossings,
    find_decisions,
    find_walking_paths,
)
from trajectories.errors import TrajectoryError
from trajectories.records import Trajectory, TrajectoryPoint
from trajectories.training import TrainingOptions
from trajectories.view_change import ViewChangeOptions, find_view_changes


@dataclass(frozen=True, kw_only=True)
class WalkOptions:
    """Where a walk is cut."""

    max_gap_s: NotNegative = 3.0
    """Cut where consecutive poses lie further apart in time (seconds); a longer way unseen is no supervision."""
    min_frames: AtLeastOne = 4
    """Shorter pieces are dropped with a finding; the reference loader needs at least 4 views."""
    cut_speed_ratio: Positive = 4.0
    """At a cut of the film the walk is cut too if it jumps at more than this multiple of its typical speed."""


def find_walks(
    model: SceneModel, frame_by_index: Mapping[int, Frame], options: WalkOptions = WalkOptions()
) -> tuple[list[tuple[TrajectoryPoint, ...]], list[Finding]]:
    """Cut a model's frames into walks.

    Returns:
        Walks in time order, and findings for what was cut off or left out. No walks for a model without frames.

    Raises:
        TrajectoryError: If the model has a frame that the tour does not have.
    """
    where = f"model {model.name}"
    points, findings = [], []
    for frame, pose in model.world_from_cam.items():
        if frame not in frame_by_index:
            raise TrajectoryError(f"{where}: frame {frame} is not among the {len(frame_by_index)} frames of the tour")
        try:
            heading = heading_deg(pose)
        except ValueError as error:
            findings.append(
                Finding("warning", "trajectory.no_heading", f"frame {frame}", f"left out of the walk: {error}")
            )
            continue
        x, y, z = (float(value) for value in pose.center)
        points.append(TrajectoryPoint(frame, frame_by_index[frame].time_s, (x, y, z), heading, elevation_deg(pose)))
    walks = []
    for piece in _cut(points, frame_by_index, options):
        first, last = piece[0], piece[-1]
        span = f"frames {first.frame}-{last.frame} ({first.time_s:.1f}-{last.time_s:.1f} s)"
        if len(piece) < options.min_frames:
            message = f"{span} stand alone: {len(piece)} frames, need {options.min_frames}; no trajectory"
            findings.append(Finding("info", "trajectory.too_short", where, message))
        else:
            walks.append(tuple(piece))
    if len(walks) > 1:
        message = (
            f"the walk is cut into {len(walks)} trajectories, at gaps of more than {options.max_gap_s:g} s or at cuts"
        )
        findings.append(Finding("info", "trajectory.cut", where, message))
    return walks, findings


def _cut(
    points: list[TrajectoryPoint], frame_by_index: Mapping[int, Frame], options: WalkOptions
) -> list[list[TrajectoryPoint]]:
    points = sorted(points, key=lambda point: (point.time_s, point.frame))
    if not points:
        return []
    positions = np.array([point.position for point in points])
    gaps = np.diff([point.time_s for point in points])
    speeds = np.linalg.norm(np.diff(positions, axis=0), axis=1) / np.maximum(gaps, 1e-6)
    typical = float(np.percentile(speeds, 75)) if len(speeds) else 0.0
    pieces = [[points[0]]]
    for point, gap, speed in zip(points[1:], gaps, speeds, strict=True):
        other_shot = frame_by_index[point.frame].shot != frame_by_index[pieces[-1][-1].frame].shot
        if gap > options.max_gap_s or (other_shot and speed > options.cut_speed_ratio * typical):
            pieces.append([])
        pieces[-1].append(point)
    return pieces


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
