"""Places where the way branches, and for every passage through one the view taken and views that lead elsewhere.

View changes and crossings are grouped by DBSCAN, with every frame that passes there. A crossing is where the walk comes
past an earlier place another way, though the camera turns at neither time. The paper's crossing case: two ways lead
through one place, so there a navigator has to choose, whether or not the walker turned. Two passages cross where the
walk comes within reach of where it was before, far enough along the way that it left in between, and goes across the
earlier way: walking back along a way, or beside it, crosses nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recon.findings import Finding
from recon.geometry import Array
from recon.ranges import AtLeastOne, HalfTurn, Metres, Positive
from trajectories.records import Crossing, DecisionPoint, TrajectoryPoint, ViewChange, WalkingPath


@dataclass(frozen=True, kw_only=True)
class CrossingOptions:
    """What counts as a crossing. Lengths in metres (nominal ones where the model has no scale)."""

    reach_m: Metres = 0.5
    """Two passages meet where the camera comes this near (metres): a step aside, less than a corridor's width."""
    min_angle_deg: HalfTurn = 45.0
    """Smallest angle between the two ways, taken as lines, and between the two views (degrees); the paper's number."""
    straight_m: Metres = 0.5
    """The way goes on at least this far (metres) before and after the place: who stands or turns passes nothing."""
    apart_m: Metres = 3.0
    """Least length of the way between the two passages (metres): a bend is no crossing of itself."""


def find_crossings(
    points: Sequence[TrajectoryPoint], options: CrossingOptions = CrossingOptions(), *, metre: float = 1.0
) -> list[Crossing]:
    """Find where a walk crosses itself.

    Args:
        points: The walk in time order.
        options: Thresholds.
        metre: Length of one (nominal) metre in the unit of the positions.

    Returns:
        Crossings by their second passage; of those that lie within twice the reach of each other, in both passages,
        only the nearest meeting. Empty for fewer than two points.
    """
    if len(points) < 2:
        return []
    positions = np.array([point.position for point in points])
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(_steady(positions, metre), axis=0), axis=1))])
    ways, goes_on = _directions(positions, options.straight_m * metre)
    views = np.radians([point.heading_deg for point in points])
    line_cosine = np.abs(ways @ ways.T)
    view_cosine = np.cos(views[:, None] - views[None])
    distances = np.linalg.norm(positions[:, None] - positions[None], axis=-1)
    limit = float(np.cos(np.radians(options.min_angle_deg))) + 1e-9
    meets = (distances <= options.reach_m * metre) & (line_cosine <= limit) & (view_cosine <= limit)
    meets &= goes_on[:, None] & goes_on[None] & (along[None] - along[:, None] >= options.apart_m * metre)
    pairs: NDArray[np.int64] = np.argwhere(meets)
    order = np.lexsort((pairs[:, 1], pairs[:, 0], np.round(distances[meets], 9)))
    chosen: list[tuple[int, int]] = []
    for first, second in pairs[order].tolist():
        near = 2 * options.reach_m * metre
        if not any(distances[first, a] <= near and distances[second, b] <= near for a, b in chosen):
            chosen.append((first, second))
    return [
        Crossing(
            points[first].frame,
            points[second].frame,
            float(np.degrees(np.arccos(min(line_cosine[first, second], 1.0)))),
            float(distances[first, second]),
        )
        for first, second in sorted(chosen, key=lambda pair: (pair[1], pair[0]))
    ]


_SWAY_M = 0.1
"""A camera that stays this near has not moved on (metres): standing must not add up to a way."""


def _steady(positions: Array, metre: float) -> Array:
    """The positions with those held that lie within the sway of the last one that moved on."""
    held = positions.copy()
    for row in range(1, len(held)):
        if np.linalg.norm(held[row] - held[row - 1]) < _SWAY_M * metre:
            held[row] = held[row - 1]
    return held


def _directions(positions: Array, straight: float) -> tuple[Array, NDArray[np.bool_]]:
    """(N, 2) unit directions of the way on the floor, and where it goes on both before and after.

    From the last position at least `straight` before to the first at least `straight` after; the way goes on where the
    two lie on different sides, that is further apart than either is from the place.
    """
    floor = positions[:, :2]
    count = len(floor)
    ways = np.zeros((count, 2))
    goes_on = np.zeros(count, bool)
    for row in range(count):
        away = np.linalg.norm(floor - floor[row], axis=1) >= straight
        before, after = np.flatnonzero(away[:row]), np.flatnonzero(away[row + 1 :])
        if len(before) == 0 or len(after) == 0:
            continue
        start, end = floor[before[-1]], floor[row + 1 + after[0]]
        way = end - start
        length = float(np.linalg.norm(way))
        nearer = max(float(np.linalg.norm(end - floor[row])), float(np.linalg.norm(floor[row] - start)))
        if length > nearer:
            ways[row], goes_on[row] = way / length, True
    return ways, goes_on


@dataclass(frozen=True, kw_only=True)
class ClusterOptions:
    """How places are grouped. Lengths in metres (nominal ones where the model has no scale)."""

    radius_m: Metres = 1.0
    """Reach of a place (metres), and of the grouping of view changes and crossings; doorways are about that wide."""
    radius_steps: Positive | None = None
    """Radius in median steps of the walk, used where the scale is relative; by default `radius_m` nominal metres."""
    min_frames: AtLeastOne = 3
    """Places with fewer frames are dropped: the right view, where one stands, and another view."""


def find_clusters(
    points: Sequence[TrajectoryPoint],
    view_changes: Sequence[ViewChange],
    options: ClusterOptions = ClusterOptions(),
    *,
    crossings: Sequence[Crossing] = (),
    unit: str = "m",
    metre: float = 1.0,
) -> list[tuple[int, ...]]:
    """Group the view changes and crossings that lie together, and collect all frames near each group.

    What remains after the suppression are the view changes, so DBSCAN runs over their positions; each is a place of
    its own, so its minimum size is 1 and `min_frames` counts the frames that pass. Frames within the radius of a view
    change belong to the place of the nearest one, also those of other visits that did not turn there. A crossing
    without a view change in reach is a place too.

    Args:
        points: The walk in time order.
        view_changes: Of the same walk.
        options: Sizes.
        crossings: Of the same walk.
        unit: Of the positions: `m` or `unit`.
        metre: Length of one (nominal) metre in that unit.

    Returns:
        Frames in time order per place, places with a view change first, in the order of these. No frame
        is in two.
    """
    from sklearn.cluster import DBSCAN  # 120 MB, which whoever only drives others does without

    if not view_changes and not crossings:
        return []
    positions = np.array([point.position for point in points])
    radius = options.radius_m * metre
    if unit != "m" and options.radius_steps is not None:
        radius = float(options.radius_steps * np.median(np.linalg.norm(np.diff(positions, axis=0), axis=1)))
    row_of = {point.frame: row for row, point in enumerate(points)}
    turned = positions[[row_of[change.frame] for change in view_changes]]
    met = [
        (positions[row_of[crossing.first_frame]] + positions[row_of[crossing.second_frame]]) / 2
        for crossing in crossings
    ]
    # Where the walk turned in reach, the place is there already; the crossing must not move or widen it.
    apart = [spot for spot in met if not len(turned) or np.linalg.norm(turned - spot, axis=1).min() > radius]
    cores = np.array([*turned, *apart])
    labels = DBSCAN(eps=radius, min_samples=1).fit_predict(cores) if radius > 0 else np.arange(len(cores))
    distances = np.linalg.norm(positions[:, None] - cores[None], axis=-1)
    place = np.where(distances.min(axis=1) <= radius, labels[distances.argmin(axis=1)], -1)
    clusters = [
        tuple(point.frame for point, label in zip(points, place, strict=True) if label == wanted)
        for wanted in dict.fromkeys(labels.tolist())
    ]
    return [cluster for cluster in clusters if len(cluster) >= options.min_frames]


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
