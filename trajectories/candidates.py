"""Decision points: for every passage through a place the view that was taken, and views that lead elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from recon.findings import Finding
from recon.geometry import Array
from recon.ranges import AtLeastOne, HalfTurn
from trajectories.records import DecisionPoint, TrajectoryPoint, ViewChange, WalkingPath


@dataclass(frozen=True, kw_only=True)
class CandidateOptions:
    """Which views become candidates."""

    max_candidates: AtLeastOne = 4
    """Candidates per decision with the right one; the paper has two, more make the choice less of a guess."""
    min_difference_deg: HalfTurn = 45.0
    """Smallest angle between any two candidates' views (degrees); nearer views show the same way to go."""
    min_path_frames: AtLeastOne = 2
    """Passages with fewer frames only graze the place."""


def find_walking_paths(
    points: Sequence[TrajectoryPoint],
    clusters: Sequence[Sequence[int]],
    options: CandidateOptions = CandidateOptions(),
) -> list[WalkingPath]:
    """Runs of frames that follow each other in the trajectory inside one cluster, in time order."""
    cluster_of = {frame: number for number, cluster in enumerate(clusters) for frame in cluster}
    runs: list[tuple[int | None, list[int]]] = []
    for point in points:
        number = cluster_of.get(point.frame)
        if not runs or runs[-1][0] != number:
            runs.append((number, []))
        runs[-1][1].append(point.frame)
    return [
        WalkingPath(number, tuple(frames))
        for number, frames in runs
        if number is not None and len(frames) >= options.min_path_frames
    ]


def find_decisions(
    points: Sequence[TrajectoryPoint],
    view_changes: Sequence[ViewChange],
    clusters: Sequence[Sequence[int]],
    paths: Sequence[WalkingPath],
    options: CandidateOptions = CandidateOptions(),
) -> tuple[list[DecisionPoint], list[Finding]]:
    """Choose the candidates of every walking path.

    The positive is the most recent frame of the path; the first negative is the frame of the cluster whose view differs
    most from it (both the paper's). Further negatives are taken one by one, each the most different from all before.
    Frames that the walk has not visited yet come first, for a loader that masks visited candidates learns nothing from
    the others; those follow where fewer than asked for are left.

    Args:
        points: The walk in time order.
        view_changes: Of the same walk; none where it only crosses itself.
        clusters: Frames per cluster.
        paths: Passages through the clusters.
        options: How many and how different.

    Returns:
        Decision points in time order; and findings that count the passages without one, and the decisions whose other
        views the walk has all visited before, if any.
    """
    row_of = {point.frame: row for row, point in enumerate(points)}
    views = np.array([_direction(point) for point in points]).reshape(-1, 3)
    decisions, without = [], []
    all_visited: list[int] = []
    for path in paths:
        positive = path.frames[-1]
        if row_of[positive] == 0:
            without.append(path)
            continue
        at_frame = points[row_of[positive] - 1].frame
        others = [frame for frame in clusters[path.cluster] if frame not in (positive, at_frame)]
        ahead = {frame for frame in others if row_of[frame] > row_of[positive]}
        negatives = _most_different(positive, others, ahead, views, row_of, options)
        if not negatives:
            without.append(path)
            continue
        if not ahead.intersection(negatives):
            all_visited.append(positive)
        cosine = float(np.clip(views[row_of[positive]] @ views[row_of[negatives[0]]], -1.0, 1.0))
        change = _nearest_change(path, clusters[path.cluster], view_changes, row_of)
        decisions.append(DecisionPoint(path.cluster, path.frames, change, at_frame, positive, tuple(negatives), cosine))
    findings = []
    if without:
        ends = ", ".join(str(path.frames[-1]) for path in without[:8]) + (", ..." if len(without) > 8 else "")
        message = (
            f"{len(without)} of {len(paths)} passages through a decision place have no other view that differs by "
            f"{options.min_difference_deg:g} deg, so no decision (last frames {ends})"
        )
        findings.append(Finding("info", "trajectory.no_other_view", f"frame {without[0].frames[-1]}", message))
    if all_visited:
        ends = ", ".join(map(str, all_visited[:8])) + (", ..." if len(all_visited) > 8 else "")
        message = (
            f"at {len(all_visited)} of {len(decisions)} decisions the walk has visited every other view before; a "
            f"loader that masks visited candidates learns nothing there (right views {ends})"
        )
        findings.append(Finding("info", "trajectory.visited_views", f"frame {all_visited[0]}", message))
    return decisions, findings


def _most_different(
    positive: int,
    others: Sequence[int],
    ahead: Collection[int],
    views: Array,
    row_of: dict[int, int],
    options: CandidateOptions,
) -> list[int]:
    """Greedy choice of frames whose views differ most from the positive and from each other; those ahead first."""
    if not others:
        return []
    rows = np.array([row_of[frame] for frame in others])
    limit = np.cos(np.radians(options.min_difference_deg))
    nearest = views[rows] @ views[row_of[positive]]
    chosen: list[int] = []
    for allowed in (np.array([frame in ahead for frame in others]), np.ones(len(others), bool)):
        while len(chosen) < options.max_candidates - 1:
            # Rounded, so that of equal views the earliest is taken in every world, whatever its last digits are.
            best = int(np.argmin(np.where(allowed, np.round(nearest, 9), np.inf)))
            if not allowed[best] or nearest[best] > limit:
                break
            chosen.append(others[best])
            nearest = np.maximum(nearest, views[rows] @ views[rows[best]])
    return chosen


def _nearest_change(
    path: WalkingPath, cluster: Sequence[int], view_changes: Sequence[ViewChange], row_of: dict[int, int]
) -> int | None:
    """Frame of the strongest view change on the path, else of the nearest in the walk; None where no passage turns."""
    if not any(change.frame in cluster for change in view_changes):
        return None
    rows = [row_of[frame] for frame in path.frames]
    on_path = [change for change in view_changes if rows[0] <= row_of[change.frame] <= rows[-1]]
    if on_path:
        return max(on_path, key=lambda change: change.view_angle_deg).frame
    return min(
        view_changes, key=lambda change: min(abs(row_of[change.frame] - rows[0]), abs(row_of[change.frame] - rows[-1]))
    ).frame


def _direction(point: TrajectoryPoint) -> Array:
    heading, elevation = np.radians(point.heading_deg), np.radians(point.elevation_deg)
    level = np.cos(elevation)
    return np.array([level * np.cos(heading), level * np.sin(heading), np.sin(elevation)])
