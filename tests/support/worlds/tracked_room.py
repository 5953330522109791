"""A bare box of a room with exact tracks on its walls and a walk through it: what a perfect reconstruction would be.

The room is convex, so what lies in front of a camera is seen. Its truth is two lines of algebra, which `RoomWorld` has
for the judge of mark questions.
"""

from dataclasses import dataclass

import numpy as np

from recon.geometry import Array, Camera, Pose
from recon.records import Frame, Scale, Scene, SceneModel, SourceInfo, Tracks

SIDES_M = np.array([7.0, 5.0, 2.6])
"""The room is a box from the origin to here; its floor is z = 0."""
SIZE = (640, 360)
FOCAL_PX = 420.0
EYE_M = 1.5


def walk_around(frames: int = 36, sides_m: Array = SIDES_M, start: float = 0.0, way: int = 1) -> dict[int, Pose]:
    """Cameras (world_from_cam) of a walk around the room that looks ahead, up and down, then stands and turns."""
    poses = {}
    for frame in range(1, frames + 1):
        part = (frame - 1) / frames
        gone = 2 * np.pi * min(part, 2 / 3) * 1.5
        around = start + way * gone
        lift = 0.35 * np.sin(1.5 * gone)
        x, y = sides_m[:2] / 2 + 0.22 * sides_m[:2] * [np.cos(around), np.sin(around)]
        heading = around + way * (np.pi / 2 + (2 * np.pi * (part - 2 / 3) if part > 2 / 3 else 0.0))
        poses[frame] = Pose(_look(heading, -5.0 + 15.0 * np.sin(2.5 * gone)), np.array([x, y, EYE_M + lift]))
    return poses


def _look(heading: float, pitch_deg: float) -> Array:
    """Columns are the camera's right, down and ahead in the world."""
    pitch = np.radians(pitch_deg)
    ahead = np.array([np.cos(heading) * np.cos(pitch), np.sin(heading) * np.cos(pitch), np.sin(pitch)])
    right = np.array([np.sin(heading), -np.cos(heading), 0.0])
    return np.column_stack([right, np.cross(ahead, right), ahead])


def make_tracked_room(
    seed: int = 0, points: int = 1500, scale: Scale | None = None, turn_deg: float = 0.0, any_size: bool = False
) -> Scene:
    """The room as a scene of one model."""
    rng = np.random.default_rng(seed)
    sides = np.array([*rng.uniform(4.0, 9.0, 2), 2.6]) if any_size else SIDES_M
    xyz = rng.uniform(0.0, 1.0, (points, 3)) * sides
    wall = rng.integers(0, 6, points)
    xyz[np.arange(points), wall % 3] = np.where(wall < 3, 0.0, sides[wall % 3])
    poses = walk_around()
    if any_size:
        poses = walk_around(36, sides, float(rng.uniform(0, 2 * np.pi)), int(rng.choice([-1, 1])))
    camera = Camera("PINHOLE", *SIZE, (FOCAL_PX, FOCAL_PX, SIZE[0] / 2, SIZE[1] / 2))
    seen: list[tuple[int, int, Array]] = []
    for frame, pose in poses.items():
        pixels = camera.project(pose.inverse() @ xyz)
        seen += [(frame, int(point), pixels[point]) for point in np.flatnonzero(camera.is_inside(pixels))]
    turn = Pose(np.array(_about_z(np.radians(turn_deg))), np.zeros(3))
    tracks = Tracks(
        turn @ xyz,
        np.zeros((points, 3), np.uint8),
        np.full(points, 0.3),
        np.array([point for _, point, _ in seen]),
        np.array([frame for frame, _, _ in seen]),
        np.array([pixel for _, _, pixel in seen]),
    )
    model = SceneModel(
        name="0",
        camera=camera,
        world_from_cam={frame: turn @ pose for frame, pose in poses.items()},
        tracks=tracks,
        scale=scale or Scale("metric", 1.0, 0.0, "made"),
        floor_z=0.0,
        up_source="made",
        mean_reprojection_error_px=0.3,
    )
    frames = tuple(Frame(frame, frame / 3, f"{frame:06d}.jpg", *SIZE, 100.0, 0) for frame in poses)
    source = SourceInfo("room", "images", *SIZE, len(frames) / 3, len(frames), 3.0, "png", 0, "0" * 64)
    return Scene(id=f"room_{seed}" if any_size else "room", source=source, frames=frames, clips=(), models=(model,))


def _about_z(angle: float) -> list[list[float]]:
    return [[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]]


@dataclass(eq=False)
class RoomWorld:
    """The truth of the room, by algebra alone; see `tests.support.judges.mark_judge.World`."""

    floor_z: float | None = 0.0
    intrinsics: tuple[float, float, float, float, int, int] = (FOCAL_PX, FOCAL_PX, SIZE[0] / 2, SIZE[1] / 2, *SIZE)

    def __post_init__(self) -> None:
        self._poses = {frame: pose.matrix() for frame, pose in walk_around().items()}

    def pose(self, frame: int) -> Array | None:
        """(4, 4) world_from_cam."""
        return self._poses.get(frame)

    def depth(self, frame: int, pixels: Array) -> Array | None:
        """Depth at which rays leave the box, (N,)."""
        fx, fy, cx, cy, *_ = self.intrinsics
        pose = self._poses[frame]
        rays = np.column_stack([(pixels[:, 0] - cx) / fx, (pixels[:, 1] - cy) / fy, np.ones(len(pixels))])
        rays = rays @ pose[:3, :3].T
        walls = np.where(rays > 0, SIDES_M, 0.0)
        with np.errstate(divide="ignore"):
            return ((walls - pose[:3, 3]) / rays).min(axis=1)
