"""A walk that turns on the spot before bare walls: things to see at both ends, and nothing but the floor between."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pycolmap
from scipy.spatial.transform import Rotation

from recon.floor_masks import FloorMask
from recon.geometry import Pose, Sim3
from recon.records import Frame, SubModel
from tests.support.recon.made_models import CAMERA, cut, frames_of, random_similarity, write_matches

WALK, PAN_STEP_DEG, REACH_M = 14, 20.0, 5.0


@dataclass(frozen=True, eq=False)
class PanWorld:
    """The two parts, each in a frame and unit of its own, and the truth."""

    before: SubModel
    after: SubModel
    before_from_after: Sim3
    truth: pycolmap.Reconstruction
    """World frame in metres, z up."""
    before_from_world: Sim3
    floors: dict[int, FloorMask]
    frames: list[Frame]
    database_path: Path

    @property
    def times_s(self) -> dict[int, float]:
        return {frame.index: frame.time_s for frame in self.frames}


def make_pan_world(
    folder: Path,
    turn_deg: float,
    seed: int = 0,
    *,
    floor_points: int = 2500,
    rise: float = 0.0,
    noise_px: float = 0.5,
    wrong_floor: float = 0.05,
    drift_m: float = 0.02,
    wall_points: int = 0,
) -> PanWorld:
    """A walk ahead, a turn on the spot to the left, and a walk on.

    Args:
        folder: For the database.
        turn_deg: Of the whole pan.
        seed: Of everything that is drawn.
        floor_points: On 200 square metres.
        rise: By this share the camera is carried higher after the pan: what no floor can tell.
        noise_px: Of keypoints.
        wrong_floor: Share of the floor's points that are no floor: reflections, which lie below it.
        wall_points: Within 2 to 4 m all around the turn, from the floor to the ceiling.
        drift_m: The way from picture to picture of the turn, ahead, and half of it to the left.
    """
    rng = np.random.default_rng(seed)
    poses = [_camera(0.2 * k, 0.0, 0.0, rng) for k in range(WALK)]
    corner = 0.2 * (WALK - 1)
    headings = np.arange(PAN_STEP_DEG, turn_deg + 1e-6, PAN_STEP_DEG)
    poses += [_camera(corner + drift_m * k, 0.5 * drift_m * k, heading, rng) for k, heading in enumerate(headings, 1)]
    way = np.radians(turn_deg)
    start = np.array([corner + drift_m * len(headings), 0.5 * drift_m * len(headings)])
    for k in range(1, WALK + 1):
        x, y = start + 0.2 * k * np.array([np.cos(way), np.sin(way)])
        poses.append(_camera(x, y, turn_deg, rng, 1.5 * (1.0 + rise)))
    floor = np.column_stack(
        [rng.uniform(-7, 9, floor_points), rng.uniform(-7, 7, floor_points), np.zeros(floor_points)]
    )
    wrong = rng.random(floor_points) < wrong_floor
    floor[wrong, 2] = rng.uniform(-2.5, -0.5, wrong.sum())
    ahead, last = np.array([corner, 0.0]), start + 0.2 * WALK * np.array([np.cos(way), np.sin(way)])
    things = np.concatenate([_things(ahead, 0.0, rng), _things(last, way, rng)])
    if wall_points:
        things = np.concatenate([things, _around(ahead, wall_points, rng)])
    truth = _see(poses, np.concatenate([floor, things]), noise_px, rng)
    write_matches(truth, folder / "pan.db", 8)
    ends = (WALK, len(poses) - WALK + 1)
    moves = random_similarity(rng), random_similarity(rng)
    return PanWorld(
        cut(truth, range(1, ends[0] + 1), "000/0", moves[0]),
        cut(truth, range(ends[1], len(poses) + 1), "000/1", moves[1]),
        moves[0] @ moves[1].inverse(),
        truth,
        moves[0],
        {index: _floor_mask(pose) for index, pose in enumerate(poses, 1)},
        frames_of(truth),
        folder / "pan.db",
    )


def _camera(x: float, y: float, heading_deg: float, rng: np.random.Generator, height: float = 1.5) -> Pose:
    """Level but for a shaking hand, 15 degrees down."""
    shaken = rng.normal(0.0, 1.0, 3)
    turn = Rotation.from_euler("ZYX", [heading_deg + shaken[0], 15.0 + shaken[1], shaken[2]], degrees=True).as_matrix()
    axes = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
    return Pose(turn @ axes, np.array([x, y, height + rng.normal(0.0, 0.01)]))


def _things(place: np.ndarray, heading: float, rng: np.random.Generator) -> np.ndarray:
    """Points of a wall with things on it, 2.5 to 4 m ahead of a place, all above the eye."""
    aside, away = rng.uniform(-1.2, 1.2, 300), rng.uniform(2.5, 4.0, 300)
    ahead = np.array([np.cos(heading), np.sin(heading)])
    left = np.array([-ahead[1], ahead[0]])
    return np.column_stack([place + away[:, None] * ahead + aside[:, None] * left, rng.uniform(1.7, 2.6, 300)])


def _around(place: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Points all around a place."""
    angles, away = rng.uniform(0, 2 * np.pi, count), rng.uniform(2.0, 4.0, count)
    xy = place + away[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    return np.column_stack([xy, rng.uniform(0.0, 2.6, count)])


def _see(poses: list[Pose], xyz: np.ndarray, noise_px: float, rng: np.random.Generator) -> pycolmap.Reconstruction:
    model = pycolmap.Reconstruction()
    model.add_camera_with_trivial_rig(CAMERA.to_colmap(1))
    tracks = [pycolmap.Track() for _ in xyz]
    for index, pose in enumerate(poses, 1):
        pixels = CAMERA.project(pose.inverse() @ xyz)
        depth = pose.depths(xyz)
        seen = np.flatnonzero(CAMERA.is_inside(pixels) & (depth > 0.3) & (depth < REACH_M))
        noisy = pixels[seen] + rng.normal(0.0, noise_px, (len(seen), 2))
        image = pycolmap.Image(name=f"{index:06d}.jpg", keypoints=noisy, camera_id=1, image_id=index)
        model.add_image_with_trivial_frame(image, pose.inverse().to_rigid3d())
        for place, point in enumerate(seen):
            tracks[point].add_element(index, place)
    for point, track in zip(xyz, tracks, strict=True):
        if track.length() > 1:
            model.add_point3D(point, track, np.array([120, 120, 120], np.uint8))
    model.update_point_3d_errors()
    return model


def _floor_mask(pose: Pose) -> FloorMask:
    """Pixels whose rays meet the floor within 6 m, at a quarter of the size."""
    rows, columns = np.mgrid[0 : CAMERA.height : 4, 0 : CAMERA.width : 4]
    pixels = np.column_stack([columns.ravel(), rows.ravel()]) + 0.5
    down = CAMERA.rays(pixels) @ pose.rotation.T
    away = -pose.center[2] / np.minimum(down[:, 2], -1e-6)
    return ((down[:, 2] < 0) & (away < 6.0)).reshape(rows.shape)
