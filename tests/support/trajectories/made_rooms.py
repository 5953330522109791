"""Two rooms with a door between them, a table, and a walk: what cameras see of the walls is known exactly."""

from dataclasses import dataclass, replace

import numpy as np

from recon.geometry import Array
from recon.records import ScaleStatus, Scene, Tracks
from tests.support.trajectories.made_walks import Walker, points_of, scene_of
from trajectories.records import TrajectoryPoint

WIDTH_M, DEPTH_M = 4.0, 4.0
"""Of each room: x from 0 to 4 and from 4 to 8, y from 0 to 4."""
DOOR = (1.5, 2.5)
"""The wall at x = 4 is open between these y."""
TABLE = (1.0, 3.0, 0.5)
"""A pillar of this half width around (x, y), from floor to ceiling."""
WALLS = (
    ((0, 0), (8, 0)),
    ((8, 0), (8, 4)),
    ((8, 4), (0, 4)),
    ((0, 4), (0, 0)),
    ((4, 0), (4, DOOR[0])),
    ((4, DOOR[1]), (4, 4)),
    ((0.5, 2.5), (1.5, 2.5)),
    ((1.5, 2.5), (1.5, 3.5)),
    ((1.5, 3.5), (0.5, 3.5)),
    ((0.5, 3.5), (0.5, 2.5)),
)


@dataclass(frozen=True)
class House:
    scene: Scene
    points: list[TrajectoryPoint]


def walk_through() -> Walker:
    """Looks round in the left room, goes through the door, looks round in the right one, and comes back."""
    walker = Walker(x=1.0, y=1.5).turn(360).walk(1.5).corner(35, 0.8).corner(-35, 0.8).walk(3.5)
    return walker.turn(-360).turn(180).walk(5.0)


def make_house(status: ScaleStatus = "metric", factor: float = 1.0) -> House:
    """The house seen along the walk; `factor` stretches the whole world."""
    rng = np.random.default_rng(0)
    points = points_of(walk_through(), 3.0)
    scene = scene_of([points], status)
    model = scene.models[0]
    xyz = np.concatenate([_on_wall(np.array(a, float), np.array(b, float), rng) for a, b in WALLS])
    rows = []
    for point in points:
        pose = model.world_from_cam[point.frame]
        pixels = model.camera.project(pose.inverse() @ xyz)
        for row in np.flatnonzero(model.camera.is_inside(pixels)):
            if _is_seen(np.array(point.position[:2]), xyz[row, :2]):
                rows.append((row, point.frame, *pixels[row]))
    table = np.array(rows)
    tracks = Tracks(
        factor * xyz,
        np.full((len(xyz), 3), 128, np.uint8),
        np.full(len(xyz), 0.5),
        table[:, 0].astype(np.int64),
        table[:, 1].astype(np.int64),
        table[:, 2:],
    )
    poses = {f: replace(p, translation=factor * p.translation) for f, p in model.world_from_cam.items()}
    stretched = [
        replace(p, position=(factor * p.position[0], factor * p.position[1], factor * p.position[2])) for p in points
    ]
    model = replace(model, tracks=tracks, world_from_cam=poses)
    return House(replace(scene, models=(model,)), stretched)


def room_at(x: float) -> str:
    return "kitchen" if x < WIDTH_M else "bedroom"


def _on_wall(a: Array, b: Array, rng: np.random.Generator) -> Array:
    count = round(30 * float(np.linalg.norm(b - a)))
    places = a + rng.uniform(0, 1, (count, 1)) * (b - a)
    return np.column_stack([places, rng.uniform(0.3, 2.2, count)])


def _is_seen(camera: Array, place: Array) -> bool:
    """Whether no wall lies between, leaving out the one the place is on."""
    return not any(_crosses(camera, camera + 0.98 * (place - camera), np.array(a), np.array(b)) for a, b in WALLS)


def _crosses(p: Array, q: Array, a: Array, b: Array) -> bool:
    def side(u: Array, v: Array, w: Array) -> float:
        return float((v[0] - u[0]) * (w[1] - u[1]) - (v[1] - u[1]) * (w[0] - u[0]))

    return side(p, q, a) * side(p, q, b) < 0 and side(a, b, p) * side(a, b, q) < 0
