"""More walks out of one: the way back, and parts of the way. Geometry only: their texts have to be written anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from recon.conventions import wrap_deg
from trajectories.records import TrainingTrajectory, Trajectory, TrajectoryPoint, ViewChange
from trajectories.training import part_of

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
    changes = tuple(_reverse(change) for change in reversed(trajectory.view_changes))
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

    Args:
        trajectory: The walk.
        pieces: Its training trajectories, in time order.

    Returns:
        Walks with ids `{id}_s{n}` in time order, each from the middle of one training trajectory to the middle of the
        next, as long as they are; none for a walk that is one training trajectory.
    """
    for number, (before, after) in enumerate(pairwise(pieces)):
        part = part_of(trajectory, _middle(before), _middle(after))
        yield replace(part, id=f"{trajectory.id}_s{number}")


def _middle(piece: TrainingTrajectory) -> TrajectoryPoint:
    return piece.views[len(piece.views) // 2]


def _reverse(change: ViewChange) -> ViewChange:
    return replace(change, first_frame=change.last_frame, last_frame=change.first_frame, angle_deg=-change.angle_deg)
