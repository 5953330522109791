"""Floor plan of a model: its grid as polygons, and the rooms and doorways where frames have room labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recon.findings import Finding
from recon.records import Scene
from trajectories.doorways import SeenDoor, find_doorways
from trajectories.floor_grid import FloorGrid, FloorOptions, sketch_floor
from trajectories.places import find_places
from trajectories.records import Doorway, FloorPlan, Room, Trajectory
from trajectories.rooms import RoomOptions, find_rooms

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

    Args:
        scene: Upright models.
        trajectories: Walks of these models.
        room_of_frame: Room label by frame; frames without one are unknown, and without any there are no rooms.
        options: Sizes.
        doors: Doors that were seen.
        seed: Chooses among rays where there are very many.

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
