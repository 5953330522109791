"""The floor plan: rooms, doors and windows, and the shell of walls, floors and frames built from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .geometry import Paint, Part, Patch, WorldObject, box, place, quad
from .pictures import outside
from .textures import Rgb, brick, panel, plain, planks, plaster, tiles, wallpaper, wood

HEIGHT_M = 2.6
HALF_WALL_M = 0.06
SHELL_PX_PER_M = 290.0
DOOR_HEIGHT_M = 2.1
WHITE: Rgb = (0.9, 0.89, 0.85)


@dataclass(frozen=True)
class Room:
    """A rectangular room. Walls are painted in the order south, east, north, west."""

    name: str
    label: str
    low_m: tuple[float, float]
    high_m: tuple[float, float]
    floor: Paint
    walls: tuple[Paint, Paint, Paint, Paint]
    ceiling: Paint

    def polygon_m(self) -> list[list[float]]:
        """Corners of the floor between the wall faces, counter-clockwise."""
        (x0, y0), (x1, y1), t = self.low_m, self.high_m, HALF_WALL_M
        corners = [(x0 + t, y0 + t), (x1 - t, y0 + t), (x1 - t, y1 - t), (x0 + t, y1 - t)]
        return [[round(x, 4), round(y, 4)] for x, y in corners]


@dataclass(frozen=True)
class Opening:
    """A door or window in a wall line. `rooms` holds two names for a door, one for a window."""

    rooms: tuple[str, ...]
    axis: str  # "x": the wall runs along x (so it is a north or south wall); "y": along y
    center_m: tuple[float, float]
    width_m: float
    low_m: float
    high_m: float


def floor_plan() -> tuple[list[Room], list[Opening]]:
    """Rooms and openings of the apartment."""
    sage = plaster((0.68, 0.72, 0.6))
    blue_paper = wallpaper(
        (0.55, 0.63, 0.7), [(0.3, 0.4, 0.5), (0.8, 0.82, 0.78), (0.72, 0.6, 0.42), (0.38, 0.5, 0.42)]
    )
    warm = plaster((0.82, 0.76, 0.66), 1.15)
    meadow = wallpaper(
        (0.8, 0.74, 0.62), [(0.62, 0.52, 0.38), (0.52, 0.55, 0.4), (0.9, 0.86, 0.76), (0.7, 0.46, 0.34)], 50
    )
    botanical = wallpaper(
        (0.82, 0.79, 0.68), [(0.4, 0.52, 0.36), (0.66, 0.42, 0.32), (0.5, 0.6, 0.5), (0.78, 0.62, 0.36)]
    )
    rose = wallpaper((0.8, 0.68, 0.62), [(0.6, 0.38, 0.36), (0.9, 0.85, 0.78), (0.5, 0.54, 0.42)], 34)
    old_brick = brick((0.56, 0.31, 0.23), (0.66, 0.62, 0.56))
    pale_brick = brick((0.74, 0.7, 0.64), (0.58, 0.55, 0.5))
    teal = plaster((0.42, 0.56, 0.56))
    splash = tiles(
        (0.82, 0.82, 0.76),
        (0.62, 0.6, 0.56),
        (0.15, 0.15),
        0.07,
        [(0.3, 0.48, 0.55), (0.75, 0.6, 0.3), (0.55, 0.66, 0.5)],
    )
    bath_tiles = tiles((0.66, 0.76, 0.78), (0.85, 0.85, 0.83), (0.2, 0.2), 0.08, [(0.2, 0.4, 0.5), (0.85, 0.85, 0.8)])
    ceiling = plaster((0.9, 0.89, 0.86), 0.8)
    oak, dark = planks((0.62, 0.45, 0.28), False), planks((0.45, 0.31, 0.2))
    stone = tiles((0.68, 0.62, 0.53), (0.46, 0.42, 0.38), (0.45, 0.45), 0.09)
    rooms = [
        Room("living_room", "living room", (0, 0), (5.6, 4.6), oak, (sage, warm, botanical, old_brick), ceiling),
        Room("kitchen", "kitchen", (5.6, 0), (10, 4.6), stone, (splash, warm, pale_brick, warm), ceiling),
        Room(
            "hall",
            "hall",
            (0, 4.6),
            (10, 6.4),
            planks((0.58, 0.38, 0.23)),
            (meadow, pale_brick, blue_paper, meadow),
            ceiling,
        ),
        Room("bedroom", "bedroom", (0, 6.4), (4.4, 10), dark, (rose, teal, rose, teal), ceiling),
        Room("study", "study", (4.4, 6.4), (7.4, 10), oak, (sage, old_brick, sage, botanical), ceiling),
        Room(
            "bathroom",
            "bathroom",
            (7.4, 6.4),
            (10, 10),
            tiles((0.5, 0.52, 0.52), (0.75, 0.75, 0.73), (0.25, 0.25), 0.1),
            (bath_tiles, bath_tiles, bath_tiles, bath_tiles),
            ceiling,
        ),
    ]
    openings = [
        Opening(("hall", "living_room"), "x", (4.0, 4.6), 0.95, 0, DOOR_HEIGHT_M),
        Opening(("living_room", "kitchen"), "y", (5.6, 2.0), 1.2, 0, DOOR_HEIGHT_M),
        Opening(("hall", "kitchen"), "x", (7.2, 4.6), 0.95, 0, DOOR_HEIGHT_M),
        Opening(("hall", "bedroom"), "x", (1.7, 6.4), 0.95, 0, DOOR_HEIGHT_M),
        Opening(("hall", "study"), "x", (6.0, 6.4), 0.95, 0, DOOR_HEIGHT_M),
        Opening(("hall", "bathroom"), "x", (9.0, 6.4), 0.9, 0, DOOR_HEIGHT_M),
        Opening(("living_room",), "x", (1.7, 0.0), 1.5, 0.8, 2.25),
        Opening(("living_room",), "x", (4.1, 0.0), 1.5, 0.8, 2.25),
        Opening(("kitchen",), "x", (7.8, 0.0), 1.4, 1.1, 2.25),
        Opening(("kitchen",), "y", (10.0, 2.5), 1.4, 0.8, 2.25),
        Opening(("hall",), "y", (10.0, 5.5), 0.9, 0.8, 2.25),
        Opening(("bedroom",), "y", (0.0, 8.4), 1.5, 0.8, 2.25),
        Opening(("bedroom",), "x", (2.2, 10.0), 1.2, 0.8, 2.25),
        Opening(("study",), "x", (5.9, 10.0), 1.5, 0.95, 2.25),
        Opening(("bathroom",), "y", (10.0, 8.4), 0.8, 1.3, 2.1),
    ]
    return rooms, openings


def build_shell(rooms: list[Room], openings: list[Opening]) -> list[WorldObject]:
    """Walls, floors, ceilings, frames, skirting and the view outside."""
    shell = []
    for room in rooms:
        shell += _room_faces(room, openings)
    shell.append(_wall_solids(rooms, openings))
    for k, opening in enumerate(openings):
        shell.append(_frame(f"frame_{k}", opening))
    shell += _outside_views()
    return shell


def _make_fixed(name: str, room: str, parts: list[Part]) -> WorldObject:
    if not any(part.patches for part in parts):
        return WorldObject(name, "", "", room, parts, np.zeros(3), np.zeros(3), np.eye(3))
    return place(name, "", "", room, [part for part in parts], (0, 0, 0))


def _wall_openings(axis: str, line: float, low: float, high: float, openings: list[Opening]) -> list[Opening]:
    along = 0 if axis == "x" else 1
    return [
        o
        for o in openings
        if o.axis == axis and abs(o.center_m[1 - along] - line) < 1e-6 and low < o.center_m[along] < high
    ]


def _room_faces(room: Room, openings: list[Opening]) -> list[WorldObject]:
    (x0, y0), (x1, y1), t, z = room.low_m, room.high_m, HALF_WALL_M, HEIGHT_M
    ppm = SHELL_PX_PER_M
    # Floors reach to the middle of the walls, so doorways have a floor too.
    floor = quad((x0, y1, 0), (x1 - x0, 0, 0), (0, -(y1 - y0), 0), room.floor, ppm)
    ceiling = quad((x0, y0, z), (x1 - x0, 0, 0), (0, y1 - y0, 0), room.ceiling, ppm * 0.7)
    faces = [
        _make_fixed(f"{room.name}_floor", room.name, [Part([floor])]),
        _make_fixed(f"{room.name}_ceiling", room.name, [Part([ceiling])]),
    ]
    sides = [
        ("x", y0, (x1 - t, y0 + t), (-1, 0), x0, x1),
        ("y", x1, (x1 - t, y1 - t), (0, -1), y0, y1),
        ("x", y1, (x0 + t, y1 - t), (1, 0), x0, x1),
        ("y", x0, (x0 + t, y0 + t), (0, 1), y0, y1),
    ]
    for k, (axis, line, left, right, low, high) in enumerate(sides):
        along, length = (0 if axis == "x" else 1), high - low - 2 * t
        holes, skirting = [], []
        for o in _wall_openings(axis, line, low, high, openings):
            s = (o.center_m[along] - left[along]) * right[along]
            holes.append((s - o.width_m / 2, s + o.width_m / 2, o.low_m, o.high_m))
        wall = _wall_patch(left, right, length, holes, room.walls[k])
        start = 0.0
        doors = sorted((a, b) for a, b, sill, _ in holes if sill == 0)
        for a, b in [*doors, (length + 0.07, length)]:
            if a - 0.07 > start:
                skirting.append(_skirting(left, right, start, a - 0.07))
            start = b + 0.07
        faces.append(_make_fixed(f"{room.name}_wall_{'senw'[k]}", room.name, [Part([wall]), *skirting]))
    return faces


def _wall_patch(left: tuple, right: tuple, length: float, holes: list[tuple], paint: Paint) -> Patch:
    us = sorted({0.0, length, *(edge for hole in holes for edge in hole[:2])})
    zs = sorted({0.0, HEIGHT_M, *(edge for hole in holes for edge in hole[2:])}, reverse=True)
    points = np.array([[[left[0] + right[0] * s, left[1] + right[1] * s, z] for s in us] for z in zs])
    normal = np.cross([0, 0, -1.0], [right[0], right[1], 0.0])
    keep = np.ones((len(zs) - 1, len(us) - 1), dtype=bool)
    for row in range(len(zs) - 1):
        for column in range(len(us) - 1):
            s, z = (us[column] + us[column + 1]) / 2, (zs[row] + zs[row + 1]) / 2
            keep[row, column] = not any(a < s < b and low < z < high for a, b, low, high in holes)
    normals = np.broadcast_to(normal, points.shape).copy()
    v = 1 - np.array(zs) / HEIGHT_M
    return Patch(points, normals, np.array(us) / length, v, paint, SHELL_PX_PER_M, keep)


def _skirting(left: tuple, right: tuple, start: float, end: float) -> Part:
    inward = np.cross([0, 0, -1.0], [right[0], right[1], 0.0]) * 0.014
    corner = np.array([left[0] + right[0] * start, left[1] + right[1] * start, 0.1])
    along = np.array([right[0], right[1], 0.0]) * (end - start)
    face = quad(corner + inward, along, (0, 0, -0.1), plain(WHITE))
    top = quad(corner, along, inward, plain(WHITE))
    return Part([face, top])


def _wall_solids(rooms: list[Room], openings: list[Opening]) -> WorldObject:
    """Solids that stop light: every wall line once, cut at its openings, and the roof and floor."""
    lines = {("x", y, room.low_m[0], room.high_m[0]) for room in rooms for y in (room.low_m[1], room.high_m[1])}
    lines |= {("y", x, room.low_m[1], room.high_m[1]) for room in rooms for x in (room.low_m[0], room.high_m[0])}
    parts = []

    def solid(axis: str, line: float, low: float, high: float, z0: float, z1: float) -> None:
        if high - low < 1e-6 or z1 - z0 < 1e-6:
            return
        along, half = (low + high) / 2, (high - low) / 2
        center = (along, line, (z0 + z1) / 2) if axis == "x" else (line, along, (z0 + z1) / 2)
        size = (half, HALF_WALL_M - 1e-3, (z1 - z0) / 2) if axis == "x" else (HALF_WALL_M - 1e-3, half, (z1 - z0) / 2)
        parts.append(Part([], "box", np.array(center), np.array(size)))

    for axis, line, low, high in sorted(lines):
        # Where rooms on the two sides overlap, the wall is there twice, with the same holes: cut by all openings.
        along, start = (0 if axis == "x" else 1), low
        holes = sorted(_wall_openings(axis, line, low, high, openings), key=lambda o: o.center_m[along])
        for o in holes:
            a, b = o.center_m[along] - o.width_m / 2, o.center_m[along] + o.width_m / 2
            solid(axis, line, start, a, 0, HEIGHT_M)
            solid(axis, line, a, b, 0, o.low_m)
            solid(axis, line, a, b, o.high_m, HEIGHT_M)
            start = b
        solid(axis, line, start, high, 0, HEIGHT_M)
    for z in (-0.06, HEIGHT_M + 0.06):
        parts.append(Part([], "box", np.array([5.0, 5.0, z]), np.array([5.0, 5.0, 0.058])))
    return WorldObject("wall_solids", "", "", "", parts, np.zeros(3), np.zeros(3), np.eye(3))


def _frame(name: str, o: Opening) -> WorldObject:
    """Casing of a door or window; windows also get bars and a sill."""
    paint = wood((0.78, 0.73, 0.64)) if len(o.rooms) == 2 else plain(WHITE)
    deep, wide, z0, z1 = 2 * HALF_WALL_M + 0.05, 0.09, o.low_m, o.high_m
    parts = [
        box((side * (o.width_m / 2 + wide / 2 - 0.02), 0, (z0 + z1 + 0.07) / 2), (wide, deep, z1 - z0 + 0.07), paint)
        for side in (-1, 1)
    ]
    parts.append(box((0, 0, z1 + 0.025), (o.width_m - 0.04, deep, wide), paint))
    if len(o.rooms) == 1:
        parts.append(box((0, 0, z0 - 0.005), (o.width_m + 0.2, deep + 0.12, 0.04), paint))
        parts.append(box((0, 0, (z0 + z1) / 2), (0.05, 0.05, z1 - z0), paint))
        parts.append(box((0, 0, z0 + 0.65 * (z1 - z0)), (o.width_m, 0.04, 0.04), paint))
    else:
        parts.append(box((0, 0, 0.005), (o.width_m - 0.04, deep - 0.04, 0.01), wood((0.5, 0.36, 0.24)), skip="b"))
    yaw = 0.0 if o.axis == "x" else 90.0
    return place(name, "", "", o.rooms[0], parts, (*o.center_m, 0.0), yaw)


def _outside_views() -> list[WorldObject]:
    """Four big pictures, 9 m from the house, each seen from the windows of its side."""
    far, wide, low, tall, ppm = 9.0, 34.0, -6.0, 17.0, 34.0
    top = low + tall
    center = 5.0 - wide / 2
    views = {
        "south": quad((center + wide, -far, top), (-wide, 0, 0), (0, 0, -tall), outside, ppm),
        "north": quad((center, 10 + far, top), (wide, 0, 0), (0, 0, -tall), outside, ppm),
        "east": quad((10 + far, center + wide, top), (0, -wide, 0), (0, 0, -tall), outside, ppm),
        "west": quad((-far, center, top), (0, wide, 0), (0, 0, -tall), outside, ppm),
    }
    for view in views.values():
        view.glow = 1.0
    return [_make_fixed(f"outside_{side}", "", [Part([view])]) for side, view in views.items()]


def door_leaf(width: float) -> list[Part]:
    """A panelled door leaf hinged at x = 0, reaching along +x; y = 0 is its middle."""
    paint = panel((0.72, 0.66, 0.55), 2, 1)
    leaf = box((width / 2, 0, 1.03), (width, 0.04, 2.04), plain((0.72, 0.66, 0.55)), front=paint)
    leaf.patches[1].paint = paint
    return [leaf]
