"""Pixel goals against what rays from the camera meet in the made apartment, and against what hides them in a hall."""

from dataclasses import replace

import numpy as np
import pytest

from recon.geometry import Pose
from recon.records import SceneModel, Tracks
from tests.support.export.made_run import level_camera, make_model, make_trajectory
from tests.support.worlds.apartment_surfaces import Surfaces, know_apartment
from trajectories.pixel_goals import PixelGoalOptions, PixelGoals
from trajectories.records import Trajectory


def with_tracks(surfaces: Surfaces, model: SceneModel, per_frame: int = 30, seed: int = 0) -> SceneModel:
    """The model with points at random pixels of its frames, each seen by every frame that nothing hides it from."""
    rng = np.random.default_rng(seed)
    size = np.array([model.camera.width, model.camera.height])
    found = []
    for pose in model.world_from_cam.values():
        rays = model.camera.rays(rng.random((per_frame, 2)) * size) @ pose.rotation.T
        geoms, lengths = surfaces.first_hits(pose.center, rays)
        found.append((pose.center + lengths[:, None] * rays)[geoms >= 0])
    xyz = np.concatenate(found)
    rows = []
    for frame, pose in model.world_from_cam.items():
        pixels = model.camera.project(pose.inverse() @ xyz)
        near = np.flatnonzero(model.camera.is_inside(pixels) & (np.linalg.norm(xyz - pose.center, axis=1) < 8.0))
        _, lengths = surfaces.first_hits(pose.center, xyz[near] - pose.center)
        seen = near[np.abs(lengths - 1.0) < 0.01]
        rows.append(np.column_stack([np.full(len(seen), frame), seen, pixels[seen]]))
    table = np.concatenate(rows)
    tracks = Tracks(
        xyz,
        np.full((len(xyz), 3), 128, np.uint8),
        np.full(len(xyz), 0.3),
        table[:, 1].astype(np.int64),
        table[:, 0].astype(np.int64),
        table[:, 2:],
    )
    return replace(model, tracks=tracks)


FPS = 6.0
AT_M = 0.1
"""Between the floor that a goal shows and the floor below the walker."""


def look_down(model: SceneModel, angle_deg: float) -> SceneModel:
    """The model filmed with the camera tilted, as people hold phones."""
    turn = np.radians(angle_deg)
    tilt = np.array([[1, 0, 0], [0, np.cos(turn), np.sin(turn)], [0, -np.sin(turn), np.cos(turn)]])
    tilted = {frame: Pose(pose.rotation @ tilt, pose.translation) for frame, pose in model.world_from_cam.items()}
    return replace(model, world_from_cam=tilted)


def test_two_hundred_goals_lie_on_the_walked_floor_that_the_camera_sees() -> None:
    on_floor = total = 0
    for seed, tilt_deg in ((7, 10.0), (2, 15.0)):
        surfaces = Surfaces(seed)
        world = know_apartment(surfaces, np.arange(0.0, 74.7, 1 / FPS).tolist(), step_px=640)
        model = with_tracks(surfaces, look_down(world.scene.models[0], tilt_deg), per_frame=3, seed=seed)
        goals = PixelGoals(model, [make_trajectory("home", model, [])])
        for row, frame in enumerate(model.frames):
            goal = goals.find(frame, model.frames[row + 1 :])
            if goal is None:
                continue
            pose = model.world_from_cam[frame]
            (ray,) = model.camera.rays([goal.xy_px]) @ pose.rotation.T
            _, (length,) = surfaces.first_hits(pose.center, ray[None])
            foot = model.world_from_cam[goal.frame].center * [1, 1, 0]
            on_floor += bool(np.linalg.norm(pose.center + length * ray - foot) <= AT_M)
            total += 1
    assert total >= 200
    assert on_floor >= 0.99 * total


def walk_along(*places: tuple[float, float, float]) -> tuple[SceneModel, Trajectory]:
    """A walk through (x, y, heading in degrees), camera 1.5 m up and looking down by 20 degrees; no points."""
    model = make_model([level_camera(x, y, heading, elevation=-20.0) for x, y, heading in places])
    bare = replace(model.tracks, obs_point=np.zeros(0, int), obs_frame=np.zeros(0, int), obs_xy=np.zeros((0, 2)))
    model = replace(model, tracks=bare)
    return model, make_trajectory("hall", model, [])


STRAIGHT = [(0.25 * k, 0.0, 0.0) for k in range(41)]


def test_the_goal_is_the_farthest_place_in_reach() -> None:
    model, walk = walk_along(*STRAIGHT)
    goal = PixelGoals(model, [walk]).find(1, model.frames[1:])
    assert goal is not None
    assert (goal.frame, goal.distance) == (25, pytest.approx(6.0))
    shown = model.camera.project(model.world_from_cam[1].inverse() @ np.array([[6.0, 0.0, 0.0]]))[0]
    assert goal.xy_px == pytest.approx(tuple(shown))


def test_what_is_behind_or_below_the_picture_is_no_goal() -> None:
    model, walk = walk_along(*STRAIGHT[:5], *[(x, y, 180.0) for x, y, _ in STRAIGHT[5:]])
    goals = PixelGoals(model, [walk])
    assert goals.find(6, model.frames[6:]) is None
    assert goals.find(1, model.frames[1:3]) is None
    assert goals.find(41, ()) is None


def test_a_way_around_something_is_no_goal() -> None:
    around = [(0.0, 0.25 * k, 0.0) for k in range(9)] + [(0.25 * k, 2.0, 0.0) for k in range(1, 13)]
    model, walk = walk_along(*around, *[(3.0, 2.0 - 0.25 * k, 0.0) for k in range(1, 9)])
    assert PixelGoals(model, [walk]).find(1, model.frames[1:]) is None


def test_a_place_that_nothing_shows_to_be_in_sight_is_no_goal() -> None:
    """Round a corner nobody has looked across, though the place is in the picture."""
    corner = [(0.25 * k, 0.0, 0.0) for k in range(9)] + [(2.0 + 0.2 * k, 0.2 * k, 0.0) for k in range(1, 13)]
    model, walk = walk_along(*corner)
    goal = PixelGoals(model, [walk]).find(1, model.frames[1:])
    assert goal is not None
    assert model.world_from_cam[goal.frame].center[1] < 0.7
    later = PixelGoals(model, [walk]).find(9, model.frames[9:])
    assert later is None or later.frame == model.frames[-1]


def test_a_nearer_point_in_front_of_it_hides_a_goal() -> None:
    model, walk = walk_along(*STRAIGHT)
    goal = PixelGoals(model, [walk]).find(1, model.frames[1:])
    assert goal is not None
    near = replace(
        model.tracks, obs_point=np.array([0]), obs_frame=np.array([1]), obs_xy=np.array([goal.xy_px]),
        xyz=np.array([[3.0, 0.0, 0.75], *model.tracks.xyz[1:]]), error_px=np.full(len(model.tracks.xyz), 0.2),
    )  # fmt: skip
    hidden = PixelGoals(replace(model, tracks=near), [walk]).find(1, model.frames[1:])
    assert hidden is None or hidden.frame < goal.frame
    beyond = replace(near, xyz=np.array([[9.0, 0.0, 0.75], *near.xyz[1:]]))
    assert PixelGoals(replace(model, tracks=beyond), [walk]).find(1, model.frames[1:]) == goal


@pytest.mark.parametrize("asked", [1, 2])
def test_a_place_that_the_segmenter_calls_no_floor_is_no_goal(asked: int) -> None:
    """In the picture itself, or in another one that shows it: floor up to 4 m along the walk, then a wall."""
    model, walk = walk_along(*STRAIGHT)
    pose = model.world_from_cam[asked]
    edge = model.camera.project(pose.inverse() @ np.array([[4.0, 0.0, 0.0]]))[0][1]
    floor = np.broadcast_to(np.arange(model.camera.height)[:, None] > edge, (model.camera.height, model.camera.width))

    def shows_foot(frame: int) -> bool:
        foot = np.array([[*model.world_from_cam[frame].center[:2], 0.0]])
        return bool(model.camera.project(pose.inverse() @ foot)[0][1] <= 0.98 * model.camera.height)

    goal = PixelGoals(model, [walk], floors={asked: floor}).find(1, model.frames[1:])
    assert goal is not None
    assert 3.0 <= goal.distance <= 4.25
    unseen = PixelGoals(model, [walk], floors={asked: np.zeros_like(floor)}).find(1, model.frames[1:])
    assert unseen is None or not shows_foot(unseen.frame)


def test_without_a_floor_there_is_no_goal() -> None:
    model, walk = walk_along(*STRAIGHT)
    assert PixelGoals(replace(model, floor_z=None), [walk], PixelGoalOptions()).find(1, model.frames[1:]) is None
