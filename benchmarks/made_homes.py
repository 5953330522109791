"""Furnished homes by seed: the made apartment's rooms with other things in them, of other sizes, elsewhere.

Names tell little about sizes and heights there: half of the things are out of size for their name, a chair for a doll
or a plant up to the ceiling, and half of what one can carry stands on something else or hangs anywhere. Otherwise the
comparisons that an export keeps, as many contrary to the names as in line with them, would be too few to be judged.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from instructions.records import Obb, Observation, SceneObject
from instructions.tour import Tour
from recon.geometry import Array, Camera, Pose
from recon.records import Frame, Scale, Scene, SceneModel, SourceInfo, Tracks

TRUTH = Path(__file__).parents[1] / "examples" / "apartment_truth" / "truth.json"
VIEWS_PER_ROOM = 60
EYE_M = 1.5
KEPT, FOREIGN = 0.75, 0.25
"""Share of a room's own things that stand there, and of the things of other rooms that stand there too."""
SIZE_SPREAD = 0.15
"""Standard deviation of the logarithm of a side: homes have other tables."""
OUT_OF_SIZE, SIZE_FACTOR = 0.5, 2.2
"""Share of things that are out of size for their name, and how many times larger or smaller those are at most."""
CARRIED_M3, ELSEWHERE, STACKED = 0.3, 0.5, 0.5
"""What is smaller is carried about; share of it that is not at its usual height, and of that what stands on a thing."""
CEILING_M = 2.6
TOUCH_M = 1e-6
"""Things that reach into each other by less touch."""
PAIRED = 0.4
"""Share of things that have a fellow of another colour in the room: names cannot tell those apart."""
COLORS = ("red", "blue", "green", "yellow", "white", "black")
POINTS = 64
_SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)


@dataclass(frozen=True, eq=False)
class Home:
    """One made home."""

    scene: Scene
    objects: tuple[SceneObject, ...]
    observations: tuple[Observation, ...]

    @cached_property
    def tour(self) -> Tour:
        """The home as it is: its boxes have no error."""
        return Tour(self.scene, self.objects, self.observations, exact=True)


@lru_cache(maxsize=4)  # ten tests ask for the same three, of some seconds each
def make_home(seed: int) -> Home:
    """A home; the same for the same seed."""
    rng = np.random.default_rng(seed)
    truth = json.loads(TRUTH.read_text(encoding="utf-8"))
    shot = truth["camera"]
    camera = Camera("PINHOLE", truth["width"], truth["height"], (shot["fx"], shot["fy"], shot["cx"], shot["cy"]))
    poses: dict[int, Pose] = {}
    boxes: list[tuple[dict, Obb]] = []
    room_of_frame: dict[int, str] = {}
    for room in truth["rooms"]:
        corners = np.array(room["polygon_m"])
        low, high = corners.min(axis=0), corners.max(axis=0)
        mine = _furnish(truth["objects"], room["name"], low, high, rng)
        boxes += mine
        for _ in range(VIEWS_PER_ROOM):
            frame = len(poses) + 1
            poses[frame] = _stand(low, high, [obb for _, obb in mine], rng)
            room_of_frame[frame] = room["name"]
    name = f"home{seed:02d}"
    objects, observations = [], []
    for number, (entry, obb) in enumerate(boxes):
        there = [one for other, one in boxes if other["stands_in"] == entry["stands_in"] and one is not obb]
        here = {frame: pose for frame, pose in poses.items() if room_of_frame[frame] == entry["stands_in"]}
        seen = _look(f"0_{number}", obb, there, here, camera, rng)
        observations += seen
        alias = f"{entry['color']} {entry['category']}"
        frames = tuple(one.frame for one in seen)
        objects.append(
            SceneObject(
                f"0_{number}", "0", entry["category"], alias, entry["color"], None, obb, (), frames, False, "made",
                entry["stands_in"],
            )
        )  # fmt: skip
    return Home(_scene(name, camera, poses), tuple(objects), tuple(observations))


def _furnish(
    things: Sequence[dict], room: str, low: Array, high: Array, rng: np.random.Generator
) -> list[tuple[dict, Obb]]:
    """Things of a room at places where they do not stand in each other."""
    out: list[tuple[dict, Obb]] = []
    others = [one for one in things if one["room"] != room]
    own = [one for one in things if one["room"] == room and rng.random() < KEPT]
    count = round(FOREIGN * len(own))
    here = [*own, *(others[k] for k in rng.choice(len(others), count, replace=False))]
    for entry in [*here, *(_recolor(one, rng) for one in here if rng.random() < PAIRED)]:
        half = np.array(entry["obb"]["half_extents_m"]) * np.exp(rng.normal(0.0, SIZE_SPREAD, 3))
        if rng.random() < OUT_OF_SIZE:
            half *= SIZE_FACTOR ** rng.uniform(-1.0, 1.0)
        center = np.array(entry["obb"]["center_m"])
        rotation = np.array(entry["obb"]["rotation"])
        bottom = center[2] - float(np.abs(rotation[2]) @ entry["obb"]["half_extents_m"])
        is_moved = 8 * half.prod() < CARRIED_M3 and rng.random() < ELSEWHERE
        for _ in range(20):
            turn = Rotation.from_euler("z", rng.choice([0.0, 90.0, 180.0, 270.0]) + rng.normal(0, 5), degrees=True)
            turned = turn.as_matrix() @ rotation
            reach = np.abs(turned) @ half
            room_left = high - low - 2 * reach[:2]
            if (room_left <= 0.05).any() or 2 * reach[2] >= CEILING_M:
                break
            place = low + reach[:2] + rng.random(2) * room_left
            height = min(max(bottom, 0.0) * (1 + rng.normal(0, 0.05)), CEILING_M - 2 * reach[2]) + reach[2]
            if is_moved:
                place, height = _put_elsewhere(place, reach, [box for _, box in out], rng)
            obb = Obb(
                (float(place[0]), float(place[1]), float(height)),
                (float(half[0]), float(half[1]), float(half[2])),
                tuple((float(row[0]), float(row[1]), float(row[2])) for row in turned),  # type: ignore[arg-type]
            )
            if not any(_overlap(obb, other) for _, other in out):
                out.append(({**entry, "stands_in": room}, obb))
                break
    return out


def _recolor(entry: dict, rng: np.random.Generator) -> dict:
    """The same kind of thing in another colour."""
    return {**entry, "color": str(rng.choice([color for color in COLORS if color != entry["color"]]))}


def _put_elsewhere(place: Array, reach: Array, boxes: Sequence[Obb], rng: np.random.Generator) -> tuple[Array, float]:
    """Where the middle of a thing is on top of one of the boxes that can hold it, or else hangs at any height."""
    tops = [(np.array(box.center), np.abs(np.array(box.rotation)) @ box.half_extents) for box in boxes]
    holds = [
        (center, hull)
        for center, hull in tops
        if (hull[:2] >= reach[:2]).all() and center[2] + hull[2] + 2 * reach[2] < CEILING_M
    ]
    if holds and rng.random() < STACKED:
        center, hull = holds[rng.integers(len(holds))]
        return center[:2] + rng.uniform(-1, 1, 2) * (hull - reach)[:2] / 2, float(center[2] + hull[2] + reach[2])
    return place, float(reach[2] + rng.random() * (CEILING_M - 2 * reach[2]))


def _stand(low: Array, high: Array, boxes: Sequence[Obb], rng: np.random.Generator) -> Pose:
    """A camera at eye height inside no thing, that looks into the room."""
    place = np.zeros(3)
    for _ in range(50):
        place = np.array([*(low + 0.3 + rng.random(2) * (high - low - 0.6)), EYE_M + rng.normal(0, 0.05)])
        if not any(np.all(np.abs(_to_box(place[None], box)[0]) < np.array(box.half_extents) + 0.2) for box in boxes):
            break
    target = low + (0.2 + 0.6 * rng.random(2)) * (high - low)
    heading = np.arctan2(target[1] - place[1], target[0] - place[0])
    elevation = np.radians(rng.normal(-8.0, 6.0))
    ahead = np.array([np.cos(elevation) * np.cos(heading), np.cos(elevation) * np.sin(heading), np.sin(elevation)])
    right = np.array([np.sin(heading), -np.cos(heading), 0.0])
    return Pose(np.column_stack([right, np.cross(ahead, right), ahead]), place)


def _look(
    name: str, obb: Obb, others: Sequence[Obb], poses: dict[int, Pose], camera: Camera, rng: np.random.Generator
) -> list[Observation]:
    """Which views see a thing, and how much of it: points of its surface that no other thing hides."""
    corners = _from_box(_SIGNS * obb.half_extents, obb)
    points = rng.uniform(-1, 1, (POINTS, 3))
    axis = rng.integers(0, 3, POINTS)
    points[np.arange(POINTS), axis] = np.sign(points[np.arange(POINTS), axis])
    points = _from_box(points * obb.half_extents, obb)
    out: list[Observation] = []
    for frame, pose in poses.items():
        depths = pose.depths(corners)
        if depths.min() < 0.25:
            continue
        local = pose.inverse() @ points
        inside = camera.is_inside(camera.project(local)) & (pose.depths(points) > 0)
        seen = inside & ~_hidden(pose.center, points, [*others, obb])
        share = float(seen.sum() / max(_faces_viewer(pose.center, points, obb).sum(), 1))
        pixels = camera.project(pose.inverse() @ corners)
        low = np.clip(pixels.min(axis=0), 0, [camera.width, camera.height])
        high = np.clip(pixels.max(axis=0), 0, [camera.width, camera.height])
        if seen.any() and (high - low).min() > 1:
            box = (float(low[0]), float(low[1]), float(high[0]), float(high[1]))
            out.append(Observation(frame, name, box, min(share, 1.0), 1.0, float(depths.mean()), (), (), None))
    return out


def _faces_viewer(eye: Array, points: Array, obb: Obb) -> NDArray[np.bool_]:
    """Points of a box that the box itself does not hide."""
    return ~_hidden(eye, points, [obb])


def _hidden(eye: Array, points: Array, boxes: Sequence[Obb]) -> NDArray[np.bool_]:
    """Whether a box stands between the eye and each point (slabs)."""
    out = np.zeros(len(points), dtype=bool)
    for box in boxes:
        start, ends = _to_box(eye[None], box)[0], _to_box(points, box)
        way = ends - start
        way = np.where(np.abs(way) < 1e-12, 1e-12, way)
        near, far = (-np.array(box.half_extents) - start) / way, (np.array(box.half_extents) - start) / way
        enter, leave = np.minimum(near, far).max(axis=1), np.maximum(near, far).min(axis=1)
        out |= (enter < leave) & (leave > 0) & (enter < 1 - 1e-6)
    return out


def _overlap(one: Obb, other: Obb) -> bool:
    """Whether the upright hulls of two boxes overlap; what stands on a thing touches it, however a machine rounds."""
    reach, other_reach = (np.abs(np.array(box.rotation)) @ box.half_extents for box in (one, other))
    return bool(np.all(np.abs(np.array(one.center) - other.center) < reach + other_reach - TOUCH_M))


def _to_box(points: Array, box: Obb) -> Array:
    return (points - np.array(box.center)) @ np.array(box.rotation)


def _from_box(points: Array, box: Obb) -> Array:
    return points @ np.array(box.rotation).T + np.array(box.center)


def _scene(name: str, camera: Camera, poses: dict[int, Pose]) -> Scene:
    nothing = np.zeros(0, np.int64)
    tracks = Tracks(np.zeros((0, 3)), np.zeros((0, 3), np.uint8), np.zeros(0), nothing, nothing, np.zeros((0, 2)))
    model = SceneModel("0", camera, poses, tracks, Scale("metric", 1.0, 0.0, "made"), 0.0, "made", 0.0)
    frames = tuple(Frame(f, f / 3, f"{f:06d}.jpg", camera.width, camera.height, 1.0, 0) for f in poses)
    source = SourceInfo(
        name, "images", camera.width, camera.height, len(poses) / 3, len(poses), 3.0, "made", 0, "0" * 64
    )
    return Scene(name, source, frames, (), (model,))
