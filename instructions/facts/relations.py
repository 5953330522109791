"""Named relations and measures of anybody's point clouds: the ungated value of one pair, seen from one camera."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from instructions.facts import between, sizes
from instructions.facts.bodies import Body
from instructions.facts.gap import gap
from instructions.facts.viewer import Viewer
from recon.geometry import Array, Pose

_Measure = Callable[[Body, Body, Viewer], float]
_SIGNED: Mapping[str, tuple[_Measure, int]] = {
    "left": (between.lateral_difference, -1),
    "right": (between.lateral_difference, 1),
    "behind": (between.ahead_difference, 1),
    "front": (between.ahead_difference, -1),
    "above": (lambda a, b, viewer: between.vertical_difference(a, b), 1),
    "below": (lambda a, b, viewer: between.vertical_difference(a, b), -1),
    "tall": (lambda a, b, viewer: sizes.height(a) - sizes.height(b), 1),
    "short": (lambda a, b, viewer: sizes.height(a) - sizes.height(b), -1),
    "wide": (lambda a, b, viewer: sizes.width(a, viewer) - sizes.width(b, viewer), 1),
    "thin": (lambda a, b, viewer: sizes.width(a, viewer) - sizes.width(b, viewer), -1),
    "big": (lambda a, b, viewer: sizes.volume(a) - sizes.volume(b), 1),
    "small": (lambda a, b, viewer: sizes.volume(a) - sizes.volume(b), -1),
}
_MEASURES: Mapping[str, _Measure] = {
    "distance": lambda a, b, viewer: between.distance(a, b),
    "horizontal": lambda a, b, viewer: between.horizontal_distance(a, b),
    "vertical": lambda a, b, viewer: between.vertical_distance(a, b),
    "gap": lambda a, b, viewer: gap(a, b),
    "passage": lambda a, b, viewer: between.passage(a, b),
    "lateral difference": lambda a, b, viewer: abs(between.lateral_difference(a, b, viewer)),
    "ahead difference": lambda a, b, viewer: abs(between.ahead_difference(a, b, viewer)),
    "bottom difference": lambda a, b, viewer: abs(between.bottom_difference(a, b)),
    "ratio of heights": lambda a, b, viewer: sizes.height(a) / sizes.height(b),
    "ratio of widths": lambda a, b, viewer: sizes.width(a, viewer) / sizes.width(b, viewer),
    "ratio of volumes": lambda a, b, viewer: sizes.volume(a) / sizes.volume(b),
}
RELATIONS = (*_SIGNED, *_MEASURES)
"""What `relation` can be asked: signs of a difference first, then measures."""


def relation(kind: str, points_a_cam: Array, points_b_cam: Array, world_from_cam: Pose | None) -> bool | float:
    """What one relation is between two clouds, without asking whether it is decided.

    Args:
        kind: One of `RELATIONS`.
        points_a_cam: (N, 3) cleaned points of A in camera axes.
        points_b_cam: (M, 3) of B.
        world_from_cam: Into a z-up world; None where nothing says what is upright.

    Returns:
        Whether A is so against B for the first twelve, else a length in the unit of the points, or a ratio.

    Raises:
        ValueError: For a name that is no relation.
    """
    if kind not in RELATIONS:
        raise ValueError(f"no relation {kind!r}; known: {', '.join(RELATIONS)}")
    upright = world_from_cam is not None
    pose = world_from_cam or Pose.identity()
    viewer = Viewer.of(pose, upright=upright)
    a, b = (Body.of_points(pose @ points, upright=upright) for points in (points_a_cam, points_b_cam))
    if kind in _MEASURES:
        return _MEASURES[kind](a, b, viewer)
    measure, sign = _SIGNED[kind]
    return sign * measure(a, b, viewer) > 0.0


def clock_direction(bearing_deg: float) -> int:
    """Nearest hour of a bearing from straight ahead, clockwise positive: 12 is ahead, 3 is to the right."""
    return round(bearing_deg / 30.0) % 12 or 12


def off_half_hour_deg(bearing_deg: float) -> float:
    """How far a bearing is from the nearest border between two hours, 0 to 15."""
    return 15.0 - abs((bearing_deg + 15.0) % 30.0 - 15.0)
