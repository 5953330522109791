"""Walks cut into training trajectories, and more walks out of one: the way back, and parts of the way.

A training trajectory has as many views as a loader supervises, at even distances, with their actions; other loaders
want views at even times. Further walks are geometry only: their texts have to be written anew.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated

import numpy as np
from annotated_types import Gt, Le

from recon.conventions import wrap_deg
from recon.findings import Finding
from recon.geometry import Array
from recon.ranges import AtLeastOne, Count, Step
from trajectories.actions import ActionOptions, discrete_actions
from trajectories.errors import TrajectoryError
from trajectories.records import Action, TrainingTrajectory, Trajectory, TrajectoryPoint

_MOST_LATE = 0.75
"""Periods between a view and its beat; two sampled neighbours, each the sharpest of its period, differ by up to two."""


def resample_by_distance(
    points: Sequence[TrajectoryPoint], step: float, *, turn_deg: float | None = None, keep: Collection[int] = ()
) -> tuple[TrajectoryPoint, ...]:
    """Thin a walk to views at least `step` apart on the floor.

    Views are frames, never made up between them, so that each has its picture.

    Args:
        points: The walk in time order.
        step: Distance on the floor to the view before, in the unit of the positions.
        turn_deg: A view whose heading differs this much from the view before is taken too, so that turns on the spot
            are seen; None takes none for turning alone.
        keep: Frames that are taken in any case, as are the first and the last.

    Returns:
        The chosen points in time order. Empty for no points.
    """
    chosen: list[TrajectoryPoint] = []
    for row, point in enumerate(points):
        if not chosen or row == len(points) - 1 or point.frame in keep:
            chosen.append(point)
            continue
        turned = abs(wrap_deg(point.heading_deg - chosen[-1].heading_deg))
        if floor_distance(chosen[-1], point) >= step or (turn_deg is not None and turned >= turn_deg):
            chosen.append(point)
    return tuple(chosen)


def resample_by_time(points: Sequence[TrajectoryPoint], period_s: float) -> tuple[tuple[TrajectoryPoint, ...], ...]:
    """Thin a walk to views at equal times, and cut it where there is none.

    Views are frames, never made up between them. One beat is laid over the whole walk, in the phase that fits its
    times best, so what a single view is early or late does not add up.

    Args:
        points: The walk in time order.
        period_s: Time between two views in seconds; above 0.

    Returns:
        Pieces in time order; each holds one view per beat, the nearest that the beat before has not taken, at most
        three quarters of a period away: the sharpest of a period may be its first, and the next one's its last. A
        single view may be a piece. Empty for no points.
    """
    times = np.array([point.time_s for point in points]) / period_s
    times -= np.angle(np.exp(2j * np.pi * times).sum()) / (2 * np.pi)
    pieces: list[list[TrajectoryPoint]] = [[]]
    last = -1
    for beat in np.arange(np.rint(times[0]), np.rint(times[-1]) + 1) if len(times) else ():
        late = np.abs(times[last + 1 :] - beat)
        if len(late) and late.min() <= _MOST_LATE:
            last += 1 + int(np.argmin(late))
            pieces[-1].append(points[last])
        elif pieces[-1]:
            pieces.append([])
    return tuple(tuple(piece) for piece in pieces if piece)


def floor_distance(a: TrajectoryPoint, b: TrajectoryPoint) -> float:
    """Distance on the floor in the unit of the positions."""
    return float(np.hypot(a.position[0] - b.position[0], a.position[1] - b.position[1]))


def places_seen_from(viewer: TrajectoryPoint, points: Sequence[TrajectoryPoint]) -> Array:
    """Where on the floor the walk is, seen from one of its points: (N, 2) ahead and to the left of its camera.

    In the unit of the positions; ahead is the heading of the viewer.
    """
    heading = np.radians(viewer.heading_deg)
    ahead_left_from_xy = np.array([[np.cos(heading), np.sin(heading)], [-np.sin(heading), np.cos(heading)]])
    offsets = np.array([point.position[:2] for point in points]).reshape(-1, 2) - viewer.position[:2]
    return offsets @ ahead_left_from_xy.T


@dataclass(frozen=True, kw_only=True)
class TrainingOptions:
    """How walks are cut into training trajectories. Lengths in metres (nominal ones where the model has no scale)."""

    min_views: AtLeastOne = 4
    """The reference loader stops at fewer."""
    max_views: AtLeastOne = 15
    """The reference loader never supervises what comes after the fifteenth, the stop included."""
    shared_views: Count = 1
    """Views that neighbours share at least: 1 lets them meet so that no step is lost, more makes them overlap."""
    spacing_m: Step = 0.75
    """Distance between views (metres): three forward actions, and frames at this distance still overlap."""
    spacing_deg: Annotated[float, Gt(0), Le(180)] = 30.0
    """A view is taken too where the heading has changed by this much (degrees), so that turns on the spot are seen."""
    actions: ActionOptions = ActionOptions()
    """Size of the actions"""

    def __post_init__(self) -> None:
        if not 2 <= self.min_views <= self.max_views:
            raise TrajectoryError(
                f"training options: min_views {self.min_views}, max_views {self.max_views}; need 2 <= min <= max"
            )
        if not 0 <= self.shared_views < self.max_views:
            raise TrajectoryError(
                f"training options: shared_views {self.shared_views}; need 0 to max_views - 1 ({self.max_views - 1})"
            )
        if not (self.spacing_m > 0 and self.spacing_deg > 0):
            raise TrajectoryError(
                f"training options: spacing {self.spacing_m} m, {self.spacing_deg} deg; need both above 0"
            )


def cut_for_training(
    trajectory: Trajectory, options: TrainingOptions = TrainingOptions(), *, metre: float = 1.0
) -> tuple[list[TrainingTrajectory], list[Finding]]:
    """Cut one walk into training trajectories that cover it end to end.

    Right views of decision points are always among the views. Pieces are as long as they can be and of nearly the same
    length; with `shared_views` 0 the step from one piece to the next belongs to none.

    Args:
        trajectory: A walk, with or without metres.
        options: Lengths and spacing.
        metre: Length of one (nominal) metre in the walk's unit.

    Returns:
        Pieces in time order, and a finding for a walk that has too few views. Views of a piece are all different.
    """
    chosen = {decision.positive_frame for decision in trajectory.decisions}
    scaled = trajectory.unit == "m"
    views = resample_by_distance(
        trajectory.points, options.spacing_m * metre, turn_deg=options.spacing_deg, keep=chosen
    )
    if len(views) < options.min_views:
        # Evenly chosen frames of a walk that hardly moves; all of them if there are no more.
        points = trajectory.points
        rows = np.unique(np.linspace(0, len(points) - 1, options.min_views).round().astype(int)) if points else ()
        views = tuple(points[row] for row in rows)
    if len(views) < options.min_views:
        message = f"the walk has {len(views)} views, need {options.min_views}; no training trajectory"
        return [], [Finding("info", "trajectory.no_training", f"trajectory {trajectory.id}", message)]
    pieces = []
    for number, (first, last) in enumerate(_spans(len(views), options)):
        part = views[first:last]
        actions = discrete_actions(part_of(trajectory, part[0], part[-1]), options.actions) if scaled else ()
        pieces.append(
            TrainingTrajectory(
                id=f"{trajectory.id}_v{number}",
                trajectory=trajectory.id,
                model=trajectory.model,
                unit=trajectory.unit,
                scale_status=trajectory.scale_status,
                views=part,
                choices=tuple(view.frame for view in part[1:] if view.frame in chosen),
                actions=tuple(actions),
            )
        )
    return pieces, []


def part_of(trajectory: Trajectory, first: TrajectoryPoint, last: TrajectoryPoint) -> Trajectory:
    """The walk from one of its points to a later one, with the turns that lie wholly in it and no decisions."""
    points = tuple(point for point in trajectory.points if first.time_s <= point.time_s <= last.time_s)
    inside = {point.frame for point in points}
    changes = tuple(c for c in trajectory.view_changes if c.first_frame in inside and c.last_frame in inside)
    return replace(trajectory, points=points, view_changes=changes, clusters=(), paths=(), decisions=())


def label_balance(trajectories: Iterable[TrainingTrajectory]) -> Counter[Action]:
    """How often each action is the label of a step, over all trajectories."""
    return Counter(action for trajectory in trajectories for action in trajectory.actions)


def choose_balanced_steps(actions: Sequence[Action], max_forward_share: float, rng: random.Random) -> list[int]:
    """Choose steps so that `forward` is at most a share of their labels.

    Every other step is kept. Steps are dropped as samples, not from the walk: history and frames stay whole.

    Args:
        actions: Labels in the order of the walk.
        max_forward_share: Largest share of `forward` among the chosen, above 0 and at most 1 (all are kept).
        rng: Draws which `forward` steps stay.

    Returns:
        Positions in order. At least one `forward` stays if there is any, so that its share can be larger for walks
        with hardly another label.

    Raises:
        TrajectoryError: If the share is not above 0 and at most 1.
    """
    if not 0.0 < max_forward_share <= 1.0:
        raise TrajectoryError(f"max_forward_share is {max_forward_share}, need above 0 and at most 1")
    forward = [step for step, action in enumerate(actions) if action == "forward"]
    others = len(actions) - len(forward)
    if max_forward_share < 1.0 and forward:
        room = max(1, int(others * max_forward_share / (1.0 - max_forward_share) + 1e-9))
        forward = rng.sample(forward, min(room, len(forward)))
    wanted = set(forward)
    return [step for step, action in enumerate(actions) if action != "forward" or step in wanted]


def _spans(count: int, options: TrainingOptions) -> list[tuple[int, int]]:
    """Half-open spans of `count` views: as few as possible, of one length, shared views spread evenly."""
    shared = options.shared_views
    pieces = max(1, -(-(count - shared) // (options.max_views - shared)))
    length = max(options.min_views, -(-(count + (pieces - 1) * shared) // pieces))
    starts = np.linspace(0, count - length, pieces).round().astype(int).tolist()
    return [(start, start + length) for start in starts]


_BACK = "_back"


def reverse_walk(trajectory: Trajectory) -> Trajectory:
    """The way back: places in the other order, each faced the other way, at the same pace.

    No frame shows what one sees on the way back, so the frame numbers name places only: the result suits formats of
    poses, not of pictures. Candidates of decisions are pictures, so there are none.

    Returns:
        A walk with id `{id}_back` whose turns have the other side; reversing it again gives the same places.
    """
    if not trajectory.points:
        return replace(trajectory, id=f"{trajectory.id}{_BACK}")
    ends_s = trajectory.points[0].time_s + trajectory.points[-1].time_s
    points = tuple(
        replace(point, time_s=ends_s - point.time_s, heading_deg=wrap_deg(point.heading_deg + 180.0))
        for point in reversed(trajectory.points)
    )
    changes = tuple(
        replace(change, first_frame=change.last_frame, last_frame=change.first_frame, angle_deg=-change.angle_deg)
        for change in reversed(trajectory.view_changes)
    )
    return replace(
        trajectory,
        id=f"{trajectory.id}{_BACK}",
        points=points,
        view_changes=changes,
        clusters=(),
        paths=(),
        decisions=(),
    )


def is_way_back(trajectory: Trajectory) -> bool:
    """Whether a walk was made by `reverse_walk`."""
    return trajectory.id.endswith(_BACK)


def sub_walks(trajectory: Trajectory, pieces: Sequence[TrainingTrajectory]) -> Iterator[Trajectory]:
    """Parts of a walk that begin and end in the middle of its training trajectories: ways no text tells yet.

    Returns:
        Walks with ids `{id}_s{n}` in time order, each from the middle of one training trajectory to the middle of the
        next, as long as they are; none for a walk that is one training trajectory.
    """
    for number, (before, after) in enumerate(pairwise(pieces)):
        middles = (piece.views[len(piece.views) // 2] for piece in (before, after))
        part = part_of(trajectory, *middles)
        yield replace(part, id=f"{trajectory.id}_s{number}")
