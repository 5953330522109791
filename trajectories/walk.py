"""A model's poses as walks: the registered frames in time order, cut where nobody can have walked on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from recon.conventions import elevation_deg, heading_deg
from recon.findings import Finding
from recon.ranges import AtLeastOne, NotNegative, Positive
from recon.records import Frame, SceneModel
from trajectories.errors import TrajectoryError
from trajectories.records import TrajectoryPoint


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

    Args:
        model: An upright model.
        frame_by_index: The tour's frames.
        options: Where to cut.

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
