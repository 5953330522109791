"""Dense reward along a walk towards a thing: one number per frame, which rises where the distance falls."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from instructions.facts.between import point_distances
from instructions.facts.bodies import Body
from recon.records import SceneModel

RANGE_M = 1.0
"""Metres after which the reward is down to a third (SpatialVLM takes any falling function)."""


def distance_reward(distance_m: float) -> float:
    """`exp(-d / 1 m)`: 1 at the thing, falling with every metre.

    Raises:
        ValueError: For a distance that is negative or not a number.
    """
    if not distance_m >= 0:
        raise ValueError(f"distance is {distance_m}, need at least 0")
    return exp(-distance_m / RANGE_M)


def reward_walk(model: SceneModel, body: Body, frames: Sequence[int]) -> list[float]:
    """The reward of each frame with a pose, in the order given, for the distance from the camera to a body's nearest
    point; none where the scale is relative.
    """
    if model.scale.status == "relative":
        return []
    eyes = [model.world_from_cam[frame].center for frame in frames if frame in model.world_from_cam]
    return [distance_reward(float(point_distances(body, eye)[0])) for eye in eyes]
