"""What a perfect detector and depth sensor would see on a rendered tour: boxes of the truth, cast ray by ray.

Walls, floor and ceiling are built from the rooms and doors of the truth; things are their boxes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recon.geometry import Array, Camera, Pose

EXAMPLE = Path(__file__).parents[2] / "examples"
"""Lies in the repository only; what is installed from an index has none."""
ROOM_HEIGHT_M, DOOR_HEIGHT_M, WALL_M = 2.6, 2.1, 0.06


@dataclass(frozen=True)
class Thing:
    """One object of the truth."""

    id: str
    category: str
    room: str
    center: Array  # (3,)
    half: Array  # (3,)
    rotation: Array  # (3, 3), columns are the box's axes


@dataclass(frozen=True)
class View:
    """One frame: depth, and which thing is seen at every n-th pixel."""

    frame: int
    time_s: float
    room: str
    world_from_cam: Pose
    depth: NDArray[np.float32]  # (h, w)
    thing: NDArray[np.int64]  # (h, w) row of `things`, -1 for walls, floor and ceiling


class RenderedTour:
    """The truth of a rendered video, seen through rays at every `step_px`-th pixel."""

    def __init__(self, folder: Path = EXAMPLE / "apartment_truth", step_px: int = 8) -> None:
        self.step_px = step_px
        self.truth = json.loads((folder / "truth.json").read_text())
        self.poses = np.loadtxt(folder / "trajectory.tum")
        camera = self.truth["camera"]
        inner = (camera["fx"], camera["fy"], camera["cx"], camera["cy"])
        self.camera = Camera("PINHOLE", self.truth["width"], self.truth["height"], inner)

    @cached_property
    def things(self) -> list[Thing]:
        """Objects, in the order of the truth."""
        names = ("center_m", "half_extents_m", "rotation")
        return [
            Thing(one["id"], one["category"], one["room"], *(np.array(one["obb"][name]) for name in names))
            for one in self.truth["objects"]
        ]

    def room_at(self, xy: Array) -> str:
        """Label of the room at a place; the nearest room in a doorway."""
        distances = []
        for room in self.truth["rooms"]:
            corners = np.array(room["polygon_m"])
            low, high = corners.min(axis=0), corners.max(axis=0)
            distances.append(float(np.linalg.norm(np.maximum(np.maximum(low - xy, xy - high), 0.0))))
        return self.truth["rooms"][int(np.argmin(distances))]["label"]

    def walls(self) -> list[tuple[Array, Array]]:
        """Boxes (center, half) of the walls, with gaps for the doors."""
        boxes: list[tuple[Array, Array]] = []
        for room in self.truth["rooms"]:
            corners = np.array(room["polygon_m"])
            low, high = corners.min(axis=0), corners.max(axis=0)
            for axis in (0, 1):
                for at in (low[axis] - WALL_M / 2, high[axis] + WALL_M / 2):
                    boxes += self._wall(axis, float(at), float(low[1 - axis]), float(high[1 - axis]))
        return boxes

    def _wall(self, axis: int, at: float, start: float, end: float) -> list[tuple[Array, Array]]:
        """A wall at x (axis 0) or y (axis 1) = `at`, running from start to end along the other axis."""
        doors = [
            (door["center_m"][1 - axis] - door["width_m"] / 2, door["center_m"][1 - axis] + door["width_m"] / 2)
            for door in self.truth["doors"]
            if abs(door["center_m"][axis] - at) < 0.15 and start < door["center_m"][1 - axis] < end
        ]
        edges = [start, *(edge for door in sorted(doors) for edge in door), end]
        out = []
        for place, (a, b) in enumerate(pairwise(edges)):
            bottom = DOOR_HEIGHT_M if place % 2 else 0.0
            low, high = np.array([at - WALL_M / 2, a, bottom]), np.array([at + WALL_M / 2, b, ROOM_HEIGHT_M])
            if axis == 1:
                low, high = low[[1, 0, 2]], high[[1, 0, 2]]
            out.append(((low + high) / 2, (high - low) / 2))
        return out

    def views(self, times_s: ArrayLike) -> list[View]:
        """Views at these times, numbered from 1."""
        rows = np.clip(np.searchsorted(self.poses[:, 0], np.asarray(times_s) - 1e-3), 0, len(self.poses) - 1)
        return [self._view(number, self.poses[row]) for number, row in enumerate(rows, start=1)]

    @cached_property
    def _boxes(self) -> tuple[Array, Array, Array]:
        """Centres (B, 3), halves (B, 3), rotations (B, 3, 3): things first, then walls."""
        walls = self.walls()
        centers = np.array([thing.center for thing in self.things] + [center for center, _ in walls])
        halves = np.array([thing.half for thing in self.things] + [half for _, half in walls])
        rotations = np.array([thing.rotation for thing in self.things] + [np.eye(3)] * len(walls))
        return centers, np.maximum(halves, 0.005), rotations

    @cached_property
    def _rays(self) -> Array:
        x = np.arange(0, self.camera.width, self.step_px) + 0.5
        y = np.arange(0, self.camera.height, self.step_px) + 0.5
        self.shape = (len(y), len(x))
        grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        return self.camera.rays(grid)

    def _view(self, number: int, row: Array) -> View:
        qx, qy, qz, qw = row[4:8]
        pose = Pose.from_quat_wxyz([qw, qx, qy, qz], row[1:4])
        rays = self._rays @ pose.rotation.T
        centers, halves, rotations = self._boxes
        with np.errstate(divide="ignore", invalid="ignore"):
            floor = np.where(rays[:, 2] < 0, -pose.center[2] / rays[:, 2], np.inf)
            ceiling = np.where(rays[:, 2] > 0, (ROOM_HEIGHT_M - pose.center[2]) / rays[:, 2], np.inf)
            best = np.minimum(floor, ceiling)
            owner = np.full(len(rays), -1)
            for box in range(len(centers)):
                if np.linalg.norm(centers[box] - pose.center) - np.linalg.norm(halves[box]) > 12.0:
                    continue
                origin = rotations[box].T @ (pose.center - centers[box])
                ahead = rays @ rotations[box]
                a, b = (-halves[box] - origin) / ahead, (halves[box] - origin) / ahead
                enter = np.minimum(a, b).max(axis=1)
                leave = np.maximum(a, b).min(axis=1)
                hit = (enter < leave) & (enter > 0.05) & (enter < best)
                best[hit] = enter[hit]
                owner[hit] = box if box < len(self.things) else -1
        depth = best.reshape(self.shape).astype(np.float32)
        return View(number, float(row[0]), self.room_at(row[1:3]), pose, depth, owner.reshape(self.shape))
