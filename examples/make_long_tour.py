"""Render a long tour of a made house of twelve rooms as a folder of frames with true poses, to measure with.

    python examples/make_long_tour.py FOLDER [--minutes 10] [--width 480]

Needs the `dev` extra (mujoco) and an EGL or OSMesa library, as `make_apartment.py` does. Each wall has its own texture.
"""

from __future__ import annotations

import argparse
import math
import os
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("MUJOCO_GL", "egl")

import cv2
import numpy as np
from apartment_world.geometry import box, place
from apartment_world.render import build_model, paint_all, render
from apartment_world.rooms import DOOR_HEIGHT_M, Opening, Room, build_shell
from apartment_world.textures import brick, planks, plaster, tiles, wallpaper
from apartment_world.walk import Walk, camera_path

FPS = 3
ROOM_M = (5.0, 4.2)
COLUMNS, ROWS = 4, 3
FOV_DEG = 77.0


def make_tour(folder: Path, minutes: float, width_px: int, seed: int = 7) -> None:
    """Render `folder/images` and write `folder/poses.txt`."""
    rooms, openings, start, heading, moves = twelve_rooms(minutes)
    objects = [thing for thing in build_shell(rooms, openings) if not thing.id.startswith("outside")]
    for room in rooms:
        (x0, y0), (x1, y1) = room.low_m, room.high_m
        table = box((0, 0, 0.4), (1.0, 0.7, 0.8), room.walls[0])
        objects.append(place(f"{room.name}_table", "table", "", room.name, [table], ((x0 + x1) / 2, (y0 + y1) / 2, 0)))
    paint_all(objects, seed)
    path = camera_path(start, heading, moves, FPS, seed, 60.0 * minutes)
    height_px = round(width_px * 9 / 16)
    fovy_deg = 2 * np.degrees(np.arctan(height_px / width_px * np.tan(np.radians(FOV_DEG) / 2)))
    model = build_model(objects, width_px * 2, height_px * 2, float(fovy_deg))
    (folder / "images").mkdir(parents=True)
    for number, image_rgb in enumerate(render(model, path, width_px, height_px), start=1):
        cv2.imwrite(str(folder / "images" / f"{number:06d}.jpg"), cv2.cvtColor(image_rgb, cv2.COLOR_RGB2BGR))
    poses = np.tile(np.eye(4), (len(path.time_s), 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = path.world_from_cam, path.position_m
    np.savetxt(folder / "poses.txt", poses.reshape(-1, 4))


def twelve_rooms(minutes: float) -> tuple[list[Room], list[Opening], tuple[float, float], float, list]:
    """Rooms and doors of a house, and a way that walks round each room until the time is over."""
    (width, depth), rooms, openings = ROOM_M, [], []
    cells = [(c if r % 2 == 0 else COLUMNS - 1 - c, r) for r in range(ROWS) for c in range(COLUMNS)]
    for number, (column, row) in enumerate(cells):
        tone = (0.45 + 0.4 * (number % 3) / 2, 0.45 + 0.4 * (number % 4) / 3, 0.45 + 0.4 * (number % 5) / 4)
        paper = wallpaper(tone, [(0.3, 0.4, 0.5), (0.8, 0.8, 0.7), (0.6, 0.4, 0.3)], 30 + 3 * number)
        walls = (paper, plaster(tone, 1.2), brick(tone, (0.6, 0.6, 0.55)), wallpaper(tone, [(0.2, 0.3, 0.2)], 45))
        stone = tiles(tone, (0.5, 0.5, 0.5), (0.4, 0.4), 0.09)
        low = (column * width, row * depth)
        high = (low[0] + width, low[1] + depth)
        floor = planks(tone) if number % 2 else stone
        rooms.append(Room(f"room_{number:02d}", "room", low, high, floor, walls, plaster((0.9, 0.9, 0.86), 0.8)))
    centers = [((c + 0.5) * width, (r + 0.5) * depth) for c, r in cells]
    for number, (here, there) in enumerate(pairwise(centers)):
        names = (rooms[number].name, rooms[number + 1].name)
        middle = ((here[0] + there[0]) / 2, (here[1] + there[1]) / 2)
        openings.append(Opening(names, "y" if here[1] == there[1] else "x", middle, 1.0, 0, DOOR_HEIGHT_M))
    way: list[tuple[float, float]] = []
    doors = [opening.center_m for opening in openings]
    laps = 1 + round(minutes * 60 / len(rooms) / 20)  # of about 20 s
    for number, (x, y) in enumerate(centers):
        ring = [(x - 1.4, y - 1.1), (x + 1.4, y - 1.1), (x + 1.4, y + 1.1), (x - 1.4, y + 1.1)]
        first = _nearest(ring, doors[number - 1] if number else (x - 2.0, y))
        corners = 4 * laps
        if number < len(doors):
            corners += (_nearest(ring, doors[number]) - first) % 4 + 1
        way += [ring[(first + k) % 4] for k in range(corners)]
        way += doors[number : number + 1]
    return rooms, openings, (centers[0][0] - 2.0, centers[0][1]), 0.0, [Walk(tuple(way), 0.6)]


def _nearest(ring: list[tuple[float, float]], door: tuple[float, float]) -> int:
    return min(range(len(ring)), key=lambda k: math.dist(ring[k], door))


def main() -> None:
    """Parse the command line and render the tour."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="must not exist")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--width", type=int, default=480)
    args = parser.parse_args()
    make_tour(args.folder, args.minutes, args.width)


if __name__ == "__main__":
    main()
