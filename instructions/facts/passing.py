"""How a thing lies to the walking direction where a walk comes by it: to which side, how far, and ahead or behind.

Lengths are in nominal metres. Whether the thing counts as passed is not said here: writer and judge have bars of their
own, and choose the position and the stretch themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from instructions.facts.along import ThingAlongWalk
from instructions.records import Side
from recon.geometry import Array


@dataclass(frozen=True, eq=False)
class Passing:
    """A thing by the straight line through one position of a walk, along the direction walked there."""

    lateral: float
    """Of the thing's centre from that line; left positive."""
    distance: float
    """From the position to the nearest side of the thing's box on the floor plan."""
    along: Array
    """(M,) how far ahead of each position of the stretch the centre lies, along the line; negative behind it."""

    @property
    def side(self) -> Side:
        """Side that the centre lies on."""
        return "left" if self.lateral > 0 else "right"


def measure_passing(thing: ThingAlongWalk, index: int, direction: Array, stretch: NDArray[np.int64] | slice) -> Passing:
    """Measure how a walk comes by a thing.

    Args:
        thing: Along the whole walk.
        index: Position at which the thing may be passed.
        direction: (2,) unit walking direction there.
        stretch: Positions at which to tell whether it is ahead or behind.
    """
    x, y = thing.away[index]
    lateral = float(direction[0] * y - direction[1] * x)
    return Passing(lateral, float(thing.distance[index]), thing.away[stretch] @ direction)
