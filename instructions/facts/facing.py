"""Where a thing lies to somebody who stands at one thing and faces another, on the floor plan."""

from __future__ import annotations

import numpy as np

from instructions.facts.bodies import Body
from instructions.facts.things import Thing
from instructions.facts.verdict import SIGMAS, Verdict
from recon.geometry import Array

_EDGE_M = 0.15
"""(Nominal) metres from the edge of a corridor within which nobody says whether a thing lies between two others."""
_LEAST_WAY_M = 0.5
"""(Nominal) metres between two things for anything to lie between them."""


def measure_facing(stand: Array, look: Array, target: Array) -> tuple[float, float]:
    """How far ahead and how far to the right of one who stands and looks a target lies: along f = (look - stand) on the
    floor and along r = (f_y, -f_x). Places are (3,) or (2,), z up; one cannot stand where one looks (ValueError).
    """
    ahead = np.asarray(look[:2], dtype=np.float64) - np.asarray(stand[:2], dtype=np.float64)
    length = float(np.hypot(*ahead))
    if length == 0.0:
        raise ValueError("nobody can face the place where he stands")
    f = ahead / length
    away = np.asarray(target[:2], dtype=np.float64) - np.asarray(stand[:2], dtype=np.float64)
    return float(away @ f), float(away @ (f[1], -f[0]))


def measure_facing_bearing_deg(stand: Array, look: Array, target: Array) -> float:
    """The same as an angle: 0 is straight ahead, 90 to the right, in (-180, 180]."""
    ahead, right = measure_facing(stand, look, target)
    return float(np.degrees(np.arctan2(right, ahead)))


def measure_corridor(between: Array, start: Array, end: Array) -> tuple[float, float, float]:
    """Where a place lies to the straight way from one place to another, on the floor plan.

    Returns:
        How far along the way from `start`, how far beside it (never negative), and how long the way is.
    """
    way = np.asarray(end[:2], dtype=np.float64) - np.asarray(start[:2], dtype=np.float64)
    length = float(np.hypot(*way))
    away = np.asarray(between[:2], dtype=np.float64) - np.asarray(start[:2], dtype=np.float64)
    if length == 0.0:
        return 0.0, float(np.hypot(*away)), 0.0
    along = float(away @ way) / length
    return along, abs(float(away[0] * way[1] - away[1] * way[0])) / length, length


def measure_reaches(b: Body, c: Body) -> tuple[float, float, float]:
    """How far B and C reach into the way between their centres, and half the width of the narrower of them."""
    way: Array = np.array([*(c.center - b.center)[:2], 0.0])
    length = float(np.linalg.norm(way))
    along = way / length if length > 0 else np.array([1.0, 0.0, 0.0])
    across = np.array([-along[1], along[0], 0.0])
    reach = [one.extent(along) / 2 for one in (b, c)]
    return reach[0], reach[1], min(one.extent(across) for one in (b, c)) / 2


def lies_between(a: Thing, b: Thing, c: Thing, metre: float) -> Verdict:
    """Whether A lies in the corridor from B to C on the floor plan; `metre` is one (nominal) metre in their unit."""
    along, beside, length = measure_corridor(a.body.center, b.body.center, c.body.center)
    start, end, half = measure_reaches(b.body, c.body)
    sigma = float(np.sqrt(sum(one.sigma**2 for one in (a, b, c))))
    if length < _LEAST_WAY_M * metre:
        return Verdict(None, beside, half, sigma, reason="stands_too_near")
    slack = max(_EDGE_M * metre, SIGMAS * sigma)
    size = float(a.body.half[:2].max())
    is_inside = start + slack <= along <= length - end - slack and beside <= half - min(slack, half / 2)
    is_outside = along < -slack - size or along > length + slack + size or beside > half + size + slack
    if is_outside or (is_inside and slack <= half / 2):
        return Verdict(not is_outside, beside, half, sigma)
    return Verdict(None, beside, half, sigma, reason="edge_of_corridor")


def clock_direction(bearing_deg: float) -> int:
    """Nearest hour of a bearing from straight ahead, clockwise positive: 12 is ahead, 3 is to the right."""
    return round(bearing_deg / 30.0) % 12 or 12


def off_half_hour_deg(bearing_deg: float) -> float:
    """How far a bearing is from the nearest border between two hours, 0 to 15."""
    return 15.0 - abs((bearing_deg + 15.0) % 30.0 - 15.0)
