"""Floor plan of a model: its grid as polygons, rooms where frames have room labels, and doorways.

Doorways are openings between places, doors that were seen, and borders between known rooms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from recon.conventions import wrap_deg
from recon.findings import Finding
from recon.geometry import Array
from recon.records import Scene
from trajectories.floor_grid import FloorGrid, FloorOptions, sketch_floor
from trajectories.places import Opening, Places, find_places
from trajectories.records import Doorway, FloorPlan, Room, Trajectory
from trajectories.rooms import RoomOptions, find_rooms

_SAME_DOOR_M = 0.8
"""A door leaf stands open beside its opening, and a crossing is known to a step: so far apart they are one doorway."""
_LEAST_M, _MOST_M = 0.5, 1.8
"""Doors are so wide; the box of another one is cut off, or holds its wall."""
_BESIDE_M = 0.5
"""What is on the other side of a door is looked for so far behind it."""


@dataclass(frozen=True)
class SeenDoor:
    """A thing that is called a door, in the model's unit."""

    id: str
    model: str
    position: tuple[float, float]
    width: float
    heading_deg: float
    """Straight through it, to either side."""


def find_doorways(
    model: str,
    places: Places,
    walks: Sequence[Trajectory],
    rooms: Sequence[Room],
    borders: Sequence[Doorway],
    doors: Sequence[SeenDoor],
    metre: float,
) -> tuple[Doorway, ...]:
    """Join what says that one can go from one place into another; doors of other models are passed over.

    Returns:
        Borders first, in their order, with the form of their opening; then openings that nobody knows the rooms of, or
        that nobody walked through; then doors that stand at none.
    """
    reach = _SAME_DOOR_M * metre
    left = list(places.openings)
    found: list[Doorway] = []
    for border in borders:
        opening = _nearest(left, border.position, reach)
        if opening is None:
            found.append(border)
            continue
        left.remove(opening)
        found.append(_shape(border, opening, _way_of(walks, border.crossings[0])))
    standing = _Standing(places, walks, rooms)
    for opening in left:
        spot = np.array(opening.position)
        first, second = (standing.room_beside(place, spot) for place in opening.places)
        sides = (first, second if second != first else None)
        crossings = standing.find_crossings(opening.places, spot, 2 * reach)
        bare = Doorway("", model, sides, opening.position, crossings, opening.width, opening.heading_deg)
        is_back = bool(crossings) and float(_way_of(walks, crossings[0]) @ _direction(opening.heading_deg)) < 0
        found.append(_turn_round(bare) if is_back else bare)
    for door in doors:
        if door.model != model:
            continue
        row = min(range(len(found)), key=lambda row: _apart(found[row].position, door.position), default=None)
        if row is not None and _apart(found[row].position, door.position) <= reach:
            found[row] = replace(found[row], door=found[row].door or door.id)
            continue
        ahead = _direction(door.heading_deg) * _BESIDE_M * metre
        spots = np.array([np.array(door.position) - ahead, np.array(door.position) + ahead])
        first, second = (
            standing.room_beside(place, spot) for place, spot in zip(places.at(spots).tolist(), spots, strict=True)
        )
        sides = (first, second if second != first else None)
        width = door.width if _LEAST_M * metre <= door.width <= _MOST_M * metre else None
        shut = Doorway("", model, sides, door.position, (), width, door.heading_deg, door.id)
        found.append(_turn_round(shut) if first is None else shut)
    return tuple(replace(one, id=f"{model}_d{number}") for number, one in enumerate(found))


class _Standing:
    """Where the frames of the walks stand."""

    def __init__(self, places: Places, walks: Sequence[Trajectory], rooms: Sequence[Room]):
        self._walks = [
            (walk.frames, np.array([point.position[:2] for point in walk.points])) for walk in walks if walk.points
        ]
        self._places = [places.at(spots) for _, spots in self._walks]
        self._room_of = {frame: room.id for room in rooms for frame in room.frames}

    def room_beside(self, place: int, spot: Array) -> str | None:
        """The room of the frame of a place that stands nearest to a spot; None where that is unknown."""
        best: tuple[float, str | None] = (np.inf, None)
        for (frames, spots), stands in zip(self._walks, self._places, strict=True):
            for row in np.flatnonzero(stands == place) if place >= 0 else ():
                best = min(best, (float(np.linalg.norm(spots[row] - spot)), self._room_of.get(frames[row])), key=_first)
        return best[1]

    def find_crossings(self, pair: tuple[int, int], spot: Array, reach: float) -> tuple[tuple[int, int], ...]:
        """Steps of the walks from one place of a pair into the other near a spot."""
        out = []
        for (frames, spots), stands in zip(self._walks, self._places, strict=True):
            for row, (before, after) in enumerate(pairwise(stands.tolist())):
                near = float(np.linalg.norm((spots[row] + spots[row + 1]) / 2 - spot)) <= reach
                if {before, after} == set(pair) and near:
                    out.append((frames[row], frames[row + 1]))
        return tuple(out)


def _first(pair: tuple[float, str | None]) -> float:
    return pair[0]


def _apart(a: tuple[float, float], b: tuple[float, float]) -> float:
    return float(np.hypot(a[0] - b[0], a[1] - b[1]))


def _nearest(openings: Sequence[Opening], position: tuple[float, float], reach: float) -> Opening | None:
    best = min(openings, key=lambda opening: _apart(opening.position, position), default=None)
    return best if best is not None and _apart(best.position, position) <= reach else None


def _direction(heading_deg: float) -> Array:
    return np.array([np.cos(np.radians(heading_deg)), np.sin(np.radians(heading_deg))])


def _way_of(walks: Sequence[Trajectory], crossing: tuple[int, int]) -> Array:
    """The way (2,) that the walk goes at a crossing."""
    place = {point.frame: np.array(point.position[:2]) for walk in walks for point in walk.points}
    return place[crossing[1]] - place[crossing[0]]


def _turn_round(doorway: Doorway) -> Doorway:
    """The same seen from the other side."""
    turned = None if doorway.heading_deg is None else float(wrap_deg(doorway.heading_deg + 180.0))
    return replace(doorway, rooms=doorway.rooms[::-1], heading_deg=turned)


def _shape(border: Doorway, opening: Opening, way: Array) -> Doorway:
    """A border with position, width and heading of its opening, turned the way that the first crossing goes."""
    is_back = float(way @ _direction(opening.heading_deg)) < 0
    heading_deg = float(wrap_deg(opening.heading_deg + 180.0)) if is_back else opening.heading_deg
    return replace(border, position=opening.position, width=opening.width, heading_deg=heading_deg)


_LEAST_CELLS = 12
"""Smaller pieces of the sketch are noise: a tenth of a square metre."""


@dataclass(frozen=True, kw_only=True)
class FloorPlanOptions:
    """How floor plans are drawn."""

    floor: FloorOptions = FloorOptions()
    """Free and occupied floor"""
    rooms: RoomOptions = RoomOptions()
    """Rooms and doorways"""


@dataclass(frozen=True)
class FloorPlans:
    """Plans of all models that were walked in, and what is known of their rooms."""

    plans: tuple[FloorPlan, ...]
    rooms: tuple[Room, ...]
    doorways: tuple[Doorway, ...]
    findings: tuple[Finding, ...]


def draw_floor_plans(
    scene: Scene,
    trajectories: Sequence[Trajectory],
    room_of_frame: Mapping[int, str],
    options: FloorPlanOptions = FloorPlanOptions(),
    *,
    doors: Sequence[SeenDoor] = (),
    seed: int = 0,
) -> FloorPlans:
    """Sketch the floor of every model with its doorways, and split it into rooms where frames have room labels.

    Frames without a room label are in no known room.

    Returns:
        Plans in the order of the models; rooms in the order in which each walk enters them.
    """
    plans: list[FloorPlan] = []
    rooms: list[Room] = []
    doorways: list[Doorway] = []
    findings: list[Finding] = []
    for model in scene.models:
        walks = [walk for walk in trajectories if walk.model == model.name]
        grid = sketch_floor(model, walks, options.floor, seed=seed)
        if grid is None:
            findings.append(
                Finding("info", "floor.no_walk", f"model {model.name}", "no trajectory in it, so no floor plan")
            )
            continue
        plans.append(_plan(model.name, model.scale.unit, model.scale.status, grid))
        places = find_places(model, walks, seed=seed)
        assert places is not None, "a walked model has a grid, so it has places"
        found = find_rooms(model.name, grid, walks, room_of_frame, options.rooms, places=places)
        rooms += found.rooms
        findings += found.findings
        metre = model.nominal_metre
        doorways += find_doorways(model.name, places, walks, found.rooms, found.doorways, doors, metre)
    walked = {point.frame for walk in trajectories for point in walk.points}
    unknown = len(walked - set(room_of_frame))
    if plans and unknown:
        share = f"{unknown} of {len(walked)} frames are in no known room"
        why = "too few things there tell of one" if room_of_frame else "so the floor plans have no rooms"
        findings.append(Finding("info", "rooms.unknown", scene.id, f"{share}: {why}"))
    return FloorPlans(tuple(plans), tuple(rooms), tuple(doorways), tuple(findings))


def _plan(model: str, unit: str, status: str, grid: FloorGrid) -> FloorPlan:
    return FloorPlan(
        model=model,
        unit=unit,
        scale_status=status,
        cell=grid.cell,
        free=grid.areas_of(grid.free, _LEAST_CELLS),
        occupied=grid.areas_of(grid.occupied, 1),
        free_area=float(grid.free.sum()) * grid.cell**2,
    )
