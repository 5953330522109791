"""A world of coloured boxes in a corridor and a room, walked through by a camera whose poses are formulas.

Gives Scene and Trajectory records directly, with tracks that see what nothing hides, so no reconstruction is needed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.facts.placing import side_of_box
from instructions.records import Obb, Observation, SceneObject
from recon.conventions import elevation_deg, heading_deg
from recon.geometry import Camera, Pose
from recon.records import Frame, Scale, Scene, SceneModel, SourceInfo, Tracks
from trajectories.records import Trajectory, TrajectoryPoint

CAMERA = Camera("PINHOLE", 320, 240, (220.0, 220.0, 160.0, 120.0))
CAMERA_Z = 1.5
FPS = 3.0
SPEED_M_S = 0.7

RGB = {
    "red": (190, 30, 30),
    "green": (40, 130, 50),
    "blue": (30, 60, 170),
    "yellow": (225, 200, 40),
    "white": (240, 240, 240),
    "black": (15, 15, 15),
    "purple": (120, 40, 150),
    "orange": (235, 120, 20),
}


@dataclass(frozen=True)
class Box:
    """A thing that stands on the floor."""

    color: str
    x: float
    y: float
    size: tuple[float, float, float]
    yaw_deg: float = 0.0

    @property
    def axes(self) -> NDArray[np.float64]:
        c, s = np.cos(np.radians(self.yaw_deg)), np.sin(np.radians(self.yaw_deg))
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

    @property
    def center(self) -> NDArray[np.float64]:
        return np.array([self.x, self.y, self.size[2] / 2])

    @property
    def half(self) -> NDArray[np.float64]:
        return np.array(self.size) / 2

    def corners(self) -> NDArray[np.float64]:
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        return (signs * self.half) @ self.axes.T + self.center

    def hides(self, eye: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which straight lines from the eye to points enter this box before they arrive (slab method)."""
        start, ends = (eye - self.center) @ self.axes, (points - self.center) @ self.axes
        way = np.where(np.abs(ends - start) < 1e-9, 1e-9, ends - start)
        one, two = (-self.half - start) / way, (self.half - start) / way
        enter, leave = np.minimum(one, two).max(axis=1), np.maximum(one, two).min(axis=1)
        return (enter < leave) & (enter < 0.99) & (leave > 0.01)


CORRIDOR = (
    Box("red", 3.0, 1.05, (0.9, 0.6, 0.9)),
    Box("green", 5.0, -1.05, (0.6, 0.5, 1.7)),
    Box("blue", 7.0, 5.6, (1.2, 0.5, 1.3)),
    Box("yellow", 9.2, 2.0, (0.5, 0.9, 0.8)),
)
WALLS = (  # from, to on the floor plan
    ((-1.0, 1.5), (5.6, 1.5)),
    ((-1.0, -1.5), (9.7, -1.5)),
    ((9.7, -1.5), (9.7, 6.0)),
    ((5.6, 1.5), (5.6, 6.0)),
    ((5.6, 6.0), (9.7, 6.0)),
)


def walk_poses(legs: Sequence[tuple[str, float]], start: tuple[float, float, float]) -> list[Pose]:
    """Poses of a camera: legs are ("walk", metres) or ("turn", degrees); start is x, y, heading."""
    x, y, heading = start
    poses = [_pose(x, y, heading)]
    for kind, amount in legs:
        steps = max(1, round(abs(amount) / (SPEED_M_S / FPS if kind == "walk" else 45.0 / FPS)))
        for _ in range(steps):
            if kind == "walk":
                x += np.cos(np.radians(heading)) * amount / steps
                y += np.sin(np.radians(heading)) * amount / steps
            else:
                heading += amount / steps
            poses.append(_pose(x, y, heading))
    return poses


CORRIDOR_LEGS = (("walk", 6.8), ("turn", 90.0), ("walk", 3.6))


def _pose(x: float, y: float, heading: float) -> Pose:
    c, s = np.cos(np.radians(heading)), np.sin(np.radians(heading))
    pitch = np.radians(-8.0)
    forward = np.array([c * np.cos(pitch), s * np.cos(pitch), np.sin(pitch)])
    right = np.array([s, -c, 0.0])
    return Pose(np.column_stack([right, np.cross(forward, right), forward]), np.array([x, y, CAMERA_Z]))


@dataclass(frozen=True, eq=False)
class World:
    """Boxes with the records of a walk among them."""

    boxes: tuple[Box, ...]
    scene: Scene
    trajectory: Trajectory

    @property
    def model(self) -> SceneModel:
        return self.scene.models[0]


def make_world(
    boxes: Sequence[Box] = CORRIDOR,
    legs: Sequence[tuple[str, float]] = CORRIDOR_LEGS,
    start: tuple[float, float, float] = (0.0, 0.0, 0.0),
    walls: Sequence[tuple[tuple[float, float], tuple[float, float]]] = WALLS,
    seed: int = 0,
) -> World:
    """Records of a walk: points on boxes, walls and floor, seen where nothing hides them."""
    rng = np.random.default_rng(seed)
    xyz, rgb = _surfaces(boxes, walls, rng)
    poses = walk_poses(legs, start)
    seen_point, seen_frame, seen_xy = [], [], []
    for frame, pose in enumerate(poses, start=1):
        pixels = CAMERA.project(pose.inverse() @ xyz)
        rows = np.flatnonzero(CAMERA.is_inside(pixels) & (np.linalg.norm(xyz - pose.center, axis=1) < 8.0))
        hidden = np.zeros(len(rows), dtype=bool)
        for box in boxes:
            hidden |= box.hides(pose.center, xyz[rows])
        rows = rows[~hidden & (rng.random(len(rows)) < 0.7)]
        seen_point.append(rows)
        seen_frame.append(np.full(len(rows), frame))
        seen_xy.append(pixels[rows] + rng.normal(0.0, 0.3, (len(rows), 2)))
    tracks = Tracks(
        xyz=xyz + rng.normal(0.0, 0.01, xyz.shape),
        rgb=rgb,
        error_px=np.full(len(xyz), 0.4),
        obs_point=np.concatenate(seen_point),
        obs_frame=np.concatenate(seen_frame),
        obs_xy=np.concatenate(seen_xy),
    )
    return _records(tuple(boxes), tracks, poses)


def _surfaces(
    boxes: Sequence[Box], walls: Sequence[tuple[tuple[float, float], tuple[float, float]]], rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    parts, colors = [], []
    for box in boxes:
        points = rng.uniform(-1.0, 1.0, (250, 3))
        points[np.arange(250), rng.integers(0, 3, 250)] = rng.choice([-1.0, 1.0], 250)
        parts.append((points * box.half) @ box.axes.T + box.center)
        colors.append(np.tile(RGB[box.color], (250, 1)) + rng.integers(-8, 9, (250, 3)))
    for (x0, y0), (x1, y1) in walls:
        count = int(120 * np.hypot(x1 - x0, y1 - y0))
        share, z = rng.random(count), rng.uniform(0.0, 2.5, count)
        parts.append(np.column_stack([x0 + share * (x1 - x0), y0 + share * (y1 - y0), z]))
        colors.append(np.full((count, 3), 205) + rng.integers(-20, 21, (count, 3)))
    floor = np.column_stack([rng.uniform(-1, 9.7, 1500), rng.uniform(-1.5, 6.0, 1500), np.zeros(1500)])
    parts.append(floor)
    colors.append(np.tile([150, 120, 90], (1500, 1)) + rng.integers(-20, 21, (1500, 3)))
    return np.concatenate(parts), np.clip(np.concatenate(colors), 0, 255).astype(np.uint8)


def _records(boxes: tuple[Box, ...], tracks: Tracks, poses: Sequence[Pose]) -> World:
    by_frame = dict(enumerate(poses, start=1))
    frames = tuple(Frame(i, (i - 1) / FPS, f"{i:06d}.png", 320, 240, 1.0, 0) for i in by_frame)
    model = SceneModel("0", CAMERA, by_frame, tracks, Scale("assumed", 1.0, 0.2, "test"), 0.0, "test", 0.4)
    source = SourceInfo("boxes", "images", 320, 240, len(frames) / FPS, len(frames), FPS, "png", 0, "0" * 64)
    scene = Scene("boxes", source, frames, (), (model,))
    return World(boxes, scene, make_trajectory(scene))


def make_trajectory(scene: Scene) -> Trajectory:
    """The walk of the first model, without view changes or decisions."""
    model = scene.models[0]
    points = tuple(
        TrajectoryPoint(
            frame,
            scene.frame_by_index[frame].time_s,
            (float(pose.center[0]), float(pose.center[1]), float(pose.center[2])),
            heading_deg(pose),
            elevation_deg(pose),
        )
        for frame, pose in model.world_from_cam.items()
    )
    return Trajectory(f"{scene.id}_m0_t0", scene.id, "0", model.scale.unit, model.scale.status, points, (), (), (), ())


def true_objects(world: World) -> tuple[list[SceneObject], list[Observation]]:
    """The boxes as objects with true visibility, so that a test of the writer does not hang on landmarks."""
    model = world.model
    aliases = [f"{'tall' if box.size[2] > 1.5 else 'large'} {box.color} object" for box in world.boxes]
    objects, observations = [], []
    for number, (box, alias) in enumerate(zip(world.boxes, aliases, strict=True)):
        name, frames = f"0_{number}", []
        surface = box.corners() * 0.6 + box.center * 0.4
        for frame, pose in model.world_from_cam.items():
            pixels = CAMERA.project(pose.inverse() @ surface)
            visible = CAMERA.is_inside(pixels)
            for other in world.boxes:
                if other is not box:
                    visible &= ~other.hides(pose.center, surface)
            if visible.sum() < 3 or np.linalg.norm(box.center - pose.center) > 8.0:
                continue
            whole = CAMERA.project(pose.inverse() @ box.corners())
            if not np.isfinite(whole).all():
                whole = pixels[visible]
            low, high = np.clip([whole.min(axis=0), whole.max(axis=0)], 0, [CAMERA.width, CAMERA.height])
            edges = (float(low[0]), float(low[1]), float(high[0]), float(high[1]))
            depth = float((box.center - pose.center) @ pose.forward)
            observations.append(
                Observation(frame, name, edges, 0.5, 1.0, depth, (side_of_box(edges, 320.0),), ("closer",))
            )
            frames.append(frame)
        obb = Obb(_vec3(box.center), _vec3(box.half), (_vec3(box.axes[0]), _vec3(box.axes[1]), _vec3(box.axes[2])))
        is_double = aliases.count(alias) > 1
        size = alias.split()[0]
        objects.append(SceneObject(name, "0", None, alias, box.color, size, obb, (), tuple(frames), is_double, "truth"))
    return objects, observations


def mirror(boxes: Sequence[Box]) -> list[Box]:
    """The same boxes with left and right swapped."""
    return [replace(box, y=-box.y, yaw_deg=-box.yaw_deg) for box in boxes]


def move_scene(world: World, turn_deg: float, shift: tuple[float, float], scale: float = 1.0) -> World:
    """The same world elsewhere, turned about z, and in another unit where `scale` is not 1."""
    c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    move = np.array([shift[0], shift[1], 0.0])
    model = world.model
    poses = {f: Pose(turn @ p.rotation, scale * turn @ p.center + move) for f, p in model.world_from_cam.items()}
    tracks = replace(model.tracks, xyz=scale * model.tracks.xyz @ turn.T + move)
    status = model.scale if scale == 1.0 else Scale("relative", 1.0, 1.0, "test")
    scene = replace(world.scene, models=(replace(model, world_from_cam=poses, tracks=tracks, scale=status),))
    boxes = []
    for box in world.boxes:
        x, y, _ = scale * turn @ box.center + move
        size = (box.size[0] * scale, box.size[1] * scale, box.size[2] * scale)
        boxes.append(Box(box.color, float(x), float(y), size, box.yaw_deg + turn_deg))
    return World(tuple(boxes), scene, make_trajectory(scene))


def paint(world: World, frame: int) -> NDArray[np.uint8]:
    """A flat picture of the boxes on gray, RGB, far ones first."""
    pose = world.model.world_from_cam[frame]
    image = np.full((240, 320, 3), 128, dtype=np.uint8)
    for box in sorted(world.boxes, key=lambda box: -float(np.linalg.norm(box.center - pose.center))):
        corners = pose.inverse() @ box.corners()
        if corners[:, 2].min() > 0.1:
            hull = cv2.convexHull(CAMERA.project(corners).astype(np.float32))
            cv2.fillConvexPoly(image, hull.astype(np.int32), RGB[box.color])
    return image


def _vec3(values: NDArray[np.float64] | tuple[float, ...]) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])
