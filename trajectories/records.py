"""Action-enriched trajectories: view changes, candidates, and the walk with its actions.

Plain values only (no arrays), so that every record goes to JSON and back unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TrajectoryPoint:
    """One registered frame of the walk in the model's z-up world (unit: the model's `scale.unit`)."""

    frame: int
    time_s: float
    position: tuple[float, float, float]
    heading_deg: float
    """Optical axis on the floor, counter-clockwise from +x."""
    elevation_deg: float
    """Optical axis above the horizon."""


@dataclass(frozen=True)
class ViewChange:
    """A significant change of viewing direction between two frames of one walk."""

    frame: int
    """The local maximum of the change: the frame in the middle of it."""
    first_frame: int
    last_frame: int
    angle_deg: float
    """Signed change of heading from first to last frame, left (counter-clockwise from above) positive."""
    view_angle_deg: float
    """Unsigned angle between the two viewing directions, what the threshold is on."""
    travelled: float
    """Camera path length between first and last frame, in the model's unit."""
    on_the_spot: bool
    """Turned while standing rather than along a curve."""


@dataclass(frozen=True)
class WalkingPath:
    """A run of consecutive trajectory frames inside one cluster: one passage through a place."""

    cluster: int
    frames: tuple[int, ...]


@dataclass(frozen=True)
class DecisionPoint:
    """A view-change point with its candidates: where a navigator has to choose."""

    cluster: int
    path_frames: tuple[int, ...]
    """The walking path through the cluster this point stands on."""
    view_change: int
    """`ViewChange.frame` of the strongest view change on (or nearest to) the path."""
    at_frame: int
    """Where the choice is made: the frame of the trajectory just before the positive candidate."""
    positive_frame: int
    """Most recent frame of the path (paper): the right choice."""
    negative_frames: tuple[int, ...]
    """Frames of the cluster whose view differs most from the positive, most different first; never empty."""
    cosine: float
    """Cosine between the positive and the first negative viewing direction."""


@dataclass(frozen=True)
class Trajectory:
    """The walk of one model in time order, never across a gap to another model."""

    id: str
    """`{scene}_m{model}_t{n}`."""
    scene: str
    model: str
    unit: str
    """`m` or `unit`."""
    scale_status: str
    points: tuple[TrajectoryPoint, ...]
    view_changes: tuple[ViewChange, ...]
    clusters: tuple[tuple[int, ...], ...]
    """Frames per DBSCAN cluster of decision places."""
    paths: tuple[WalkingPath, ...]
    decisions: tuple[DecisionPoint, ...]

    @property
    def frames(self) -> tuple[int, ...]:
        """Frame indices in time order."""
        return tuple(point.frame for point in self.points)
