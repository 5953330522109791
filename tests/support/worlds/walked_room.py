"""An empty room whose walls and floor are full of points, with a camera at given poses: the truth about motion."""

from collections.abc import Sequence
from contextlib import suppress
from itertools import product

import numpy as np

from instructions.asking.draws import Draw
from instructions.questions.core.view_sets import Refused
from instructions.questions.marks.families import Found, MarkType, Start
from instructions.questions.marks.spots import SpotTour
from recon.geometry import Pose
from recon.records import ScaleStatus
from tests.support.worlds.marked import look as look
from tests.support.worlds.marked import show_points

LENGTH_M, WIDTH_M, HEIGHT_M = 10.0, 8.0, 2.6
STEP_M = 0.4


def _fill_room() -> np.ndarray:
    x, y, z = (np.arange(0.0, end + 1e-9, STEP_M) for end in (LENGTH_M, WIDTH_M, HEIGHT_M))
    points = [(one, at, up) for one, up in product(x, z) for at in (0.0, WIDTH_M)]
    points += [(at, one, up) for one, up in product(y, z) for at in (0.0, LENGTH_M)]
    points += [(one, other, 0.0) for one, other in product(x, y)]
    return np.unique(np.array(points), axis=0)


def make_walk(
    cameras: Sequence[Pose],
    *,
    times: float = 1.0,
    turn_deg: float = 0.0,
    mirror: bool = False,
    scale: ScaleStatus = "metric",
) -> SpotTour:
    """The walk as given, or the world larger, turned about the vertical and moved, or mirrored left to right."""
    return show_points(_fill_room(), cameras, scale=scale, times=times, turn_deg=turn_deg, mirror=mirror)


def find_all(kind: MarkType, tour: SpotTour, draws: int) -> dict[tuple[object, ...], Found]:
    """Everything a type asks in so many draws from each view, with twins, by views and marked points."""
    out: dict[tuple[object, ...], Found] = {}
    for view in tour.views.values():
        if kind.upright and not (tour.is_upright and view.viewer.has_sides):
            continue
        for number in range(draws):
            with suppress(Refused):
                found = kind.find(Start(tour, view, Draw("test", kind.name, view.frame, number)))
                for one in (found, *([found.twin] if found.twin else ())):
                    out[one.views, *(spot.point for spot in one.marks)] = one
    return out
