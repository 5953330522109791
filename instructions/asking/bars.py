"""The bars of all gates: when a question about a view must not be asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recon.ranges import HalfTurn, NotNegative, Share

Dimension = Literal["lateral", "vertical", "ahead", "height", "width", "volume", "none"]
"""What a question is about: its own dimension is never in a reference, which would give the answer away."""


@dataclass(frozen=True, kw_only=True)
class GateOptions:
    """The bars of all gates; lengths in (nominal) metres."""

    min_visible: Share = 0.30
    """Share of a thing that a frame must see for its place to be known."""
    min_visible_size: Share = 0.60
    """The same for its size, its gap and its nearest point."""
    min_side_px: NotNegative = 24.0
    """Short side of its box in the picture: smaller things cannot be recognised."""
    min_area: Share = 0.004
    """Area of its box as a share of the picture."""
    min_depth: Share = 0.30
    """Metres: nearer things are out of focus and cut."""
    border_px: NotNegative = 2.0
    """A box this near to the border is cut by it."""
    most_iou: Share = 0.50
    """Overlap of two boxes in the picture above which nobody can tell which thing is meant without masks."""
    most_off: Share = 0.50
    """How far a thing's centre, drawn into the frame, may lie outside the box it was seen in, in sides of that box."""
    most_relative_sigma: Share = 0.20
    """Relative standard deviation of a number, the scale's included."""
    precise: bool = False
    """Ask only for numbers with a relative sigma of at most 0.10."""
    least_m: NotNegative = 0.05
    """Metres: shortest length asked for."""
    most_m: NotNegative = 30.0
    """Metres: longest length asked for."""
    nearest_m: NotNegative = 1.0
    """Metres: nearest thing of a measured number; the range that learned depth is reliable in."""
    furthest_m: NotNegative = 10.0
    """Metres: furthest thing of a measured number."""
    most_turned_deg: HalfTurn = 20.0
    """Angle between a side of the box and the viewer's left-right up to which that side is its width."""
    off_half_hour_deg: HalfTurn = 5.0
    """Degrees from a half hour for a clock direction."""
    on_floor_m: NotNegative = 0.10
    """Metres above the floor up to which a thing stands on it."""

    @property
    def relative_sigma_bar(self) -> float:
        """The bar that holds."""
        return min(0.10, self.most_relative_sigma) if self.precise else self.most_relative_sigma
