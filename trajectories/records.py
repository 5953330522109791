"""Action-enriched trajectories: view changes, candidates, and the walk with its actions.

Plain values only (no arrays), so that every record goes to JSON and back unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Action = Literal["forward", "left", "right", "stop"]


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
class Crossing:
    """Where a walk comes past an earlier place another way, though the camera need not turn at either time."""

    first_frame: int
    """Of the earlier passage, where the later one comes nearest."""
    second_frame: int
    angle_deg: float
    """Between the two ways, taken as lines: at most 90."""
    distance: float
    """Between the two camera positions, in the model's unit."""


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
    view_change: int | None
    """`ViewChange.frame` of the strongest view change on (or nearest to) the path; None at a crossing without one."""
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
    crossings: tuple[Crossing, ...] = ()
    """By their second passage; a run from before crossings were found has none."""

    @property
    def frames(self) -> tuple[int, ...]:
        """Frame indices in time order."""
        return tuple(point.frame for point in self.points)


@dataclass(frozen=True)
class TrainingTrajectory:
    """A stretch of one walk in as many views as a loader supervises, never across a gap or into another model."""

    id: str
    """`{trajectory}_v{n}`."""
    trajectory: str
    model: str
    unit: str
    """`m` or `unit`."""
    scale_status: str
    views: tuple[TrajectoryPoint, ...]
    """In time order, each with its heading and elevation."""
    choices: tuple[int, ...]
    """Positive frames of the decision points among the views after the first."""
    actions: tuple[Action, ...]
    """From the first view to the last, `stop` at the end; empty where the scale is relative."""

    @property
    def frames(self) -> tuple[int, ...]:
        """Frame indices of the views."""
        return tuple(view.frame for view in self.views)


@dataclass(frozen=True)
class Area:
    """A piece of floor from above, in the model's unit."""

    outline: tuple[tuple[float, float], ...]
    """Corners (x, y) counter-clockwise; the last one joins the first."""
    holes: tuple[tuple[tuple[float, float], ...], ...] = ()
    """Corners of what is left out inside, clockwise."""


@dataclass(frozen=True)
class FloorPlan:
    """A sketch of one model from above: where one can walk, and what stands in the way."""

    model: str
    unit: str
    scale_status: str
    cell: float
    """Side of a cell of the sketch: nothing in it is more exact than this."""
    free: tuple[Area, ...]
    """Floor that was walked, or seen across without anything in the way; largest first."""
    occupied: tuple[Area, ...]
    """Walls and furniture, from the points at the height of a body; largest first."""
    free_area: float
    """In square units."""


@dataclass(frozen=True)
class Room:
    """A connected part of the free floor of one model whose frames bear the same room label."""

    id: str
    """`{model}_r{n}`, in the order in which the walk enters them."""
    model: str
    label: str
    areas: tuple[Area, ...]
    """Largest first; one unless the sketch has gaps."""
    frames: tuple[int, ...]
    """Frames taken in it, in time order."""


@dataclass(frozen=True)
class Doorway:
    """An opening between two walls, a door that was seen, or a border that the walk crosses between two known rooms."""

    id: str
    """`{model}_d{n}`."""
    model: str
    rooms: tuple[str | None, str | None]
    """Ids of the two rooms, the one left first time first; None where no room is known."""
    position: tuple[float, float]
    """(x, y) in its middle."""
    crossings: tuple[tuple[int, int], ...]
    """Last frame on the one side and first frame on the other, per crossing; empty where nobody walked through."""
    width: float | None = None
    """Between what stands on both sides, in the model's unit; None for a border on open floor."""
    heading_deg: float | None = None
    """The way through, from the first room into the second."""
    door: str | None = None
    """The object that is seen there as a door."""
