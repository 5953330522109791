"""Dense reward along a walk towards a thing: one number per frame, which rises where the distance falls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

from instructions.facts.between import point_distances
from instructions.facts.bodies import Body
from recon.records import SceneModel

RANGE_M = 1.0
"""Metres after which the reward is down to a third (SpatialVLM takes any falling function)."""


@dataclass(frozen=True)
class FrameReward:
    """What one frame of a walk earns."""

    frame: int
    distance_m: float
    """From the camera to the nearest point of the thing's box, or of its cloud."""
    reward: float


def distance_reward(distance_m: float) -> float:
    """`exp(-d / 1 m)`: 1 at the thing, falling with every metre.

    Raises:
        ValueError: For a distance that is negative or not a number.
    """
    if not distance_m >= 0:
        raise ValueError(f"distance is {distance_m}, need at least 0")
    return exp(-distance_m / RANGE_M)


def reward_walk(model: SceneModel, body: Body, frames: Sequence[int]) -> list[FrameReward]:
    """The reward of each frame that has a pose, in the order given; none where the scale is relative.

    Args:
        model: Of the walk.
        body: Of what is walked to.
        frames: Of the walk.
    """
    if model.scale.status == "relative":
        return []
    out = []
    for frame in frames:
        pose = model.world_from_cam.get(frame)
        if pose is not None:
            distance = float(point_distances(body, pose.center)[0])
            out.append(FrameReward(frame, distance, distance_reward(distance)))
    return out
