"""Where a picture shows a thing: the directions of its box's sides on the floor plan.

A box in the world holds all that was ever joined into a thing, so two plants with a table between them may be one wide
plant. A picture shows where the thing is seen and where not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from instructions.records import Box
from recon.conventions import wrap_deg
from recon.geometry import Camera, Pose


@dataclass(frozen=True)
class ShownSpan:
    """Directions on the floor plan between which one frame shows a thing, in degrees of the world (x axis 0)."""

    left_deg: float
    right_deg: float
    """To the right of `left_deg` by less than a half turn."""

    def measure_turn_deg(self, heading_deg: float) -> float:
        """How far one turns from a heading to face the middle of the span, left positive."""
        width = float((self.left_deg - self.right_deg) % 360.0)
        return float(wrap_deg(self.right_deg + width / 2.0 - heading_deg))

    def measure_off_deg(self, direction_deg: float) -> float:
        """How far a direction misses the span, 0 inside it."""
        width = float((self.left_deg - self.right_deg) % 360.0)
        return max(0.0, abs(self.measure_turn_deg(direction_deg)) - width / 2.0)

    def measure_share_beyond(self, heading_deg: float) -> float:
        """Share of the span, 0 to 0.5, that lies on the other side of a heading than its middle."""
        width = float((self.left_deg - self.right_deg) % 360.0)
        return max(0.0, 0.5 - abs(self.measure_turn_deg(heading_deg)) / max(width, 1e-6))


def measure_shown_span(box_xyxy: Box, camera: Camera, world_from_cam: Pose) -> ShownSpan:
    """Directions of the left and right side of a box in a picture, at half its height.

    Args:
        box_xyxy: In pixels of the frame.
        camera: Of the frame.
        world_from_cam: Pose of the frame in a z-up world.
    """
    x0, y0, x1, y1 = box_xyxy
    middle = (y0 + y1) / 2.0
    rays = camera.rays([(x0, middle), (x1, middle)]) @ np.asarray(world_from_cam.rotation).T
    left, right = np.degrees(np.arctan2(rays[:, 1], rays[:, 0])).tolist()
    return ShownSpan(left, right)
