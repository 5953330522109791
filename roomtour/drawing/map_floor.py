"""The floor under a map: free and occupied floor, rooms with their names, and doorways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from recon.geometry import Array
from recon.numerals import count
from roomtour.drawing.labels import LabelPlacer, around
from roomtour.drawing.svg import element, number
from roomtour.drawing.text import printable
from trajectories.records import Area, Doorway, FloorPlan, Room

FONT = 13.0
ROOM_COLORS = ("#3b6ea5", "#b0722b", "#4d8a57", "#8a5a9e", "#a8504f", "#5b7f86")
"""Told apart from each other; the names say which room it is."""


@dataclass(frozen=True)
class Floor:
    """What is known of one model's floor."""

    plan: FloorPlan
    rooms: tuple[Room, ...] = ()
    doorways: tuple[Doorway, ...] = ()


def draw_floor(floor: Floor, at: Callable[[Array], Array]) -> Markup:
    """Free floor, rooms and what stands in the way; `at` gives drawing coordinates (N, 2) of world places (N, 2)."""
    free = [element("path", d=_outline(area, at), class_="free") for area in floor.plan.free]
    rooms = [
        element(
            "g",
            element("title", f"{printable(room.label)}: {count(len(room.frames), 'frame')}"),
            [element("path", d=_outline(area, at), fill=_color(row)) for area in room.areas],
            class_="room",
        )
        for row, room in enumerate(floor.rooms)
    ]
    walls = "".join(_outline(area, at) for area in floor.plan.occupied)
    return element("g", free, rooms, element("path", d=walls, class_="wall") if walls else None, class_="layer-floor")


def draw_rooms(floor: Floor, at: Callable[[Array], Array], labels: LabelPlacer) -> Markup:
    """Doorways, and the names of the rooms where there is place for them."""
    names = {room.id: printable(room.label) for room in floor.rooms}
    parts = []
    for door in floor.doorways:
        x, y = (float(value) for value in at(np.array([door.position]))[0])
        labels.reserve((x - 7, y - 7, x + 7, y + 7))
        known = [names[room] for room in door.rooms if room in names]
        where = " and ".join(known)
        where = f"doorway {'between' if len(known) == 2 else 'of'} {where}" if known else "doorway"
        times = f"passed {len(door.crossings)}\u00a0times" if door.crossings else "not passed"
        parts.append(element("g", element("title", f"{where}, {times}"), _mark(door, at, x, y), class_="door"))
    for room in floor.rooms:
        spot = labels.place(names[room.id], FONT, _anchors(room, at))
        if spot:
            parts.append(element("text", names[room.id], x=spot[0], y=spot[1], class_="room-name"))
    return element("g", parts, class_="layer-floor")


def _mark(door: Doorway, at: Callable[[Array], Array], x: float, y: float) -> list[Markup]:
    """A bar from jamb to jamb, where the width is known, and a square where the walk went through."""
    marks = []
    if door.width is not None and door.heading_deg is not None:
        heading = np.radians(door.heading_deg)
        half = np.array([-np.sin(heading), np.cos(heading)]) * door.width / 2
        (x1, y1), (x2, y2) = at(np.array([door.position - half, door.position + half])).tolist()
        marks.append(element("line", x1=x1, y1=y1, x2=x2, y2=y2))
    if door.crossings or not marks:
        marks.append(element("rect", x=x - 5, y=y - 5, width=10, height=10))
    return marks


def _outline(area: Area, at: Callable[[Array], Array]) -> str:
    """SVG path of an area with its holes."""
    rings = [at(np.array(ring)) for ring in (area.outline, *area.holes)]
    return "".join("M" + "L".join(f"{number(x)} {number(y)}" for x, y in ring) + "Z" for ring in rings)


def _anchors(room: Room, at: Callable[[Array], Array]) -> Sequence[tuple[float, float]]:
    corners = at(np.array(room.areas[0].outline)) if room.areas else np.zeros((0, 2))
    if not len(corners):
        return []
    (x, y), (reach_x, reach_y) = corners.mean(axis=0), np.ptp(corners, axis=0) / 4
    return [(float(x), float(y)), *around(float(x), float(y), float(reach_x), float(reach_y))]


def _color(row: int) -> str:
    return ROOM_COLORS[row % len(ROOM_COLORS)]
