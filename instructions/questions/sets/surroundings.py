"""What is known of a model besides its things: the rooms that the walk goes through, and how large they are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import dist

from instructions.facts.way import room_at
from instructions.questions.core.asker import Surroundings
from instructions.records import RoomSpan, Scan
from recon.records import SceneModel
from trajectories.records import Area, FloorPlan, Room

SURE_SPAN = 0.8
"""Mean probability of a stay; with a less sure one nobody counts how often the room changes."""


def find_surroundings(
    model: SceneModel,
    rooms: Sequence[Room],
    spans: Sequence[RoomSpan],
    plans: Sequence[FloorPlan],
    scans: Sequence[Scan] = (),
) -> Surroundings:
    """The rooms of one model.

    Args:
        model: With poses.
        rooms: Of all models.
        spans: Stays of the whole tour.
        plans: Of all models, for how exact an outline is.
        scans: Of all models that were imported: their floor area is taken as it is stated.
    """
    areas = [area for room in rooms if room.model == model.name for area in room.areas]
    cell = next((plan.cell for plan in plans if plan.model == model.name), 0.0)
    whole = sum(measure_area(area) for area in areas)
    edge = sum(_perimeter(area.outline) for area in areas)
    known = {frame: room_at(spans, frame) for frame in model.frames}
    mine = [span for span in spans if any(span.first_frame <= frame <= span.last_frame for frame in model.frames)]
    sure = bool(mine) and None not in known.values() and all(span.probability >= SURE_SPAN for span in mine)
    stays = tuple(room for room, _ in groupby(str(known[frame]) for frame in model.frames)) if sure else ()
    scan = next((scan for scan in scans if scan.model == model.name), None)
    if scan is None:
        return Surroundings(whole or None, edge * cell / 2, is_floor_least=True, rooms=stays)
    return Surroundings(
        scan.floor_area_m2, rooms=stays, uncounted=frozenset(scan.uncounted), scan_views=scan.views
    )  # fmt: skip


def measure_area(area: Area) -> float:
    """Area of an outline without its holes, in square units."""
    return _shoelace(area.outline) - sum(_shoelace(hole) for hole in area.holes)


def _shoelace(ring: Sequence[tuple[float, float]]) -> float:
    ends = [*ring[1:], *ring[:1]]
    return abs(sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(ring, ends, strict=True))) / 2


def _perimeter(ring: Sequence[tuple[float, float]]) -> float:
    return sum(dist(a, b) for a, b in zip(ring, [*ring[1:], *ring[:1]], strict=True))
