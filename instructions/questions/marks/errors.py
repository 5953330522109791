"""Standard deviation of what is measured between spots, to first order.

A spot is off mostly along the line of sight of the view that shows it, so its error counts by how far the measure
changes in that direction: how far apart two marks on a wall are is known if it is seen face on, whatever their depth.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

from instructions.questions.marks.spots import Spot, SpotTour
from recon.geometry import Array

ACROSS_SHARE = 1.0 / 3.0
"""Of a spot's error along the line of sight: its error across it. Views from other sides see that part of the error of
depth as one to the side."""


@dataclass(frozen=True, eq=False)
class Slope:
    """How a measure changes where one spot moves."""

    spot: Spot
    gradient: Array  # (3,) of the measure by the spot's place


def find_sigma(tour: SpotTour, slopes: Iterable[Slope]) -> float:
    """Standard deviation of a measure; slopes by the same spot are added up."""
    gradients: dict[Spot, Array] = {}
    for one in slopes:
        known = gradients.get(one.spot)
        gradients[one.spot] = one.gradient if known is None else known + one.gradient
    return sqrt(sum(_find_variance(tour, spot, gradient) for spot, gradient in gradients.items()))


def _find_variance(tour: SpotTour, spot: Spot, gradient: Array) -> float:
    sight = (spot.xyz - tour.model.world_from_cam[spot.frame].center) / spot.range
    along = float(gradient @ sight)
    across = max(float(gradient @ gradient) - along**2, 0.0)
    return spot.sigma**2 * (along**2 + ACROSS_SHARE**2 * across)
