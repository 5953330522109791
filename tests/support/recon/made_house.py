"""A known room with a known walk, as poses, points and a COLMAP reconstruction in any frame and scale."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pycolmap
from scipy.spatial.transform import Rotation

from recon.geometry import Array, Camera, Pose, Sim3
from recon.records import Frame, SourceInfo, SubModel

CAMERA = Camera("SIMPLE_RADIAL", 640, 360, (400.0, 320.0, 180.0, -0.01))
CAMERA_HEIGHT_M = 1.5
SOURCE = SourceInfo("tour.mp4", "video", 640, 360, 20.0, 600, 30.0, "h264", 0, "0" * 64)
FPS = 3.0


@dataclass(frozen=True, eq=False)
class House:
    """Truth in metres, z up, floor at 0."""

    world_from_cam: dict[int, Pose]
    points: Array  # (P, 3)


def look(position, heading_deg: float, pitch_deg: float = 0.0, roll_deg: float = 0.0) -> Pose:
    """A camera at a position that looks along a heading, `pitch_deg` above the horizon."""
    heading, pitch = np.radians([heading_deg, pitch_deg])
    forward = np.array([np.cos(heading) * np.cos(pitch), np.sin(heading) * np.cos(pitch), np.sin(pitch)])
    right = np.array([np.sin(heading), -np.cos(heading), 0.0])
    level = np.column_stack([right, np.cross(forward, right), forward])
    return Pose(level @ Rotation.from_euler("z", roll_deg, degrees=True).as_matrix(), np.asarray(position, dtype=float))


def walk_around(count: int = 40, pitch_deg: float = -12.0, seed: int = 0) -> dict[int, Pose]:
    """A hand-held walk around the room's middle, 1.5 m above the floor."""
    rng = np.random.default_rng(seed)
    poses = {}
    for index, angle in enumerate(np.linspace(0, 1.6 * np.pi, count), start=1):
        position = [1.6 * np.cos(angle), 1.0 * np.sin(angle), CAMERA_HEIGHT_M + 0.02 * np.sin(5 * angle)]
        pitch, roll = pitch_deg + rng.normal(0, 1), rng.normal(0, 1.5)
        poses[index] = look(position, np.degrees(angle) + 70, pitch, roll)
    return poses


def walk_straight(count: int = 20, pitch_deg: float = -15.0) -> dict[int, Pose]:
    """Along the room, always looking the same way and down."""
    return {
        index: look([x, 0.02 * np.sin(x * 9), CAMERA_HEIGHT_M], 0.0, pitch_deg)
        for index, x in enumerate(np.linspace(-2.2, 1.0, count), start=1)
    }


def room_points(seed: int = 0, *, floor: bool = True, noise_m: float = 0.012) -> Array:
    """Points on the faces of a room of 6 x 4 x 2.5 m, on a table 0.75 m high, and clutter."""
    rng = np.random.default_rng(seed)

    def face(count, low, high):
        return rng.uniform(low, high, size=(count, 3))

    faces = [
        face(250, (-3, -2, 0), (-3, 2, 2.5)),
        face(250, (3, -2, 0), (3, 2, 2.5)),
        face(350, (-3, -2, 0), (3, -2, 2.5)),
        face(350, (-3, 2, 0), (3, 2, 2.5)),
        face(60, (-3, -2, 2.5), (3, 2, 2.5)),
        # A patterned table cloth has more points to the area than the floor.
        face(300, (-0.6, -0.4, 0.75), (0.6, 0.4, 0.75)),
        face(200, (-3, -2, 0.1), (3, 2, 1.8)),
    ]
    if floor:
        faces.append(face(500, (-3, -2, 0), (3, 2, 0)))
    points = np.vstack(faces)
    return points + rng.normal(0, noise_m, points.shape)


def make_house(poses: dict[int, Pose] | None = None, points: Array | None = None) -> House:
    return House(walk_around() if poses is None else poses, room_points() if points is None else points)


def random_sim3(seed: int) -> Sim3:
    """model_from_world: where SfM might put it."""
    rng = np.random.default_rng(seed)
    return Sim3(float(np.exp(rng.uniform(-2, 2))), Rotation.random(rng=rng).as_matrix(), rng.uniform(-5, 5, 3))


def move_house(house: House, model_from_world: Sim3) -> House:
    poses = {frame: model_from_world.move_camera(pose) for frame, pose in house.world_from_cam.items()}
    return House(poses, model_from_world @ house.points)


def reconstruction_of(house: House, *, unit: float = 1.0, least_views: int = 3) -> pycolmap.Reconstruction:
    """What SfM would return: points that at least `least_views` cameras see, through walls, within 6 `unit`."""
    out = pycolmap.Reconstruction()
    out.add_camera_with_trivial_rig(CAMERA.to_colmap())
    seen: dict[int, list[tuple[int, int]]] = {}
    for frame, pose in house.world_from_cam.items():
        in_camera = pose.inverse() @ house.points
        pixels = CAMERA.project(in_camera)
        rows = np.flatnonzero(CAMERA.is_inside(pixels) & (in_camera[:, 2] < 6 * unit))
        image = pycolmap.Image(name=name_of(frame), keypoints=pixels[rows], camera_id=1, image_id=frame)
        out.add_image_with_trivial_frame(image, pose.inverse().to_rigid3d())
        for index, row in enumerate(rows.tolist()):
            seen.setdefault(row, []).append((frame, index))
    for row, views in seen.items():
        if len(views) >= least_views:
            track = pycolmap.Track([pycolmap.TrackElement(frame, index) for frame, index in views])
            color = np.array([row % 256, 100, 200], dtype=np.uint8)
            point = pycolmap.Point3D(xyz=house.points[row], color=color, track=track, error=0.4)
            out.add_point3D_with_id(3 * row + 7, point)
    return out


def sub_model_of(house: House, name: str = "merged/0", seed: int | None = None) -> SubModel:
    """A free-scale sub-model of a house; `seed` moves it somewhere else."""
    motion = Sim3(1.0, np.eye(3), np.zeros(3)) if seed is None else random_sim3(seed)
    return SubModel(name, ("000",), reconstruction_of(move_house(house, motion), unit=motion.scale))


def name_of(frame: int) -> str:
    return f"{frame:06d}.jpg"


def frames_of(count: int) -> tuple[Frame, ...]:
    first = Frame(1, 0.0, name_of(1), 640, 360, 100.0, 0)
    return tuple(
        replace(first, index=index, time_s=(index - 1) / FPS, image=name_of(index)) for index in range(1, count + 1)
    )
