"""Joins over a turn on the spot by what its pictures see move, without any floor."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from made_models import CAMERA
from made_pan import PanWorld, make_pan_world

from recon.colmap.database import list_verified_pairs, open_database
from recon.evaluate import pose_error
from recon.geometry import Pose
from recon.merging.turn_join import TurnJoin, TurnJoinOptions, join_over_turn, sharpen_part


def join(world: PanWorld, options: TurnJoinOptions = TurnJoinOptions()) -> TurnJoin | str:
    return join_over_turn(world.before, world.after, world.database_path, {}, world.times_s, options)


def error_m(world: PanWorld, turn: TurnJoin) -> float:
    found, true = (
        {frame: Pose.from_rigid3d(model.image(frame).cam_from_world()).inverse() for frame in model.reg_image_ids()}
        for model in (turn.model, world.truth)
    )
    assert sorted(found) == sorted(true)
    return pose_error(found, true).rmse


@pytest.mark.parametrize("seed", [0, 1])
def test_a_camera_that_swings_tells_the_scale(tmp_path, seed):
    world = make_pan_world(tmp_path, 100.0, seed, noise_px=0.15, drift_m=0.06, wall_points=3000)
    turn = join(world)
    assert isinstance(turn, TurnJoin), turn
    assert turn.spread < 0.03
    assert error_m(world, turn) < 0.05  # a walk of 5.4 m


def test_half_a_turn_in_few_steps_stays_apart_or_comes_out_right(tmp_path):
    world = make_pan_world(tmp_path, 180.0, 2, noise_px=0.15, drift_m=0.06, wall_points=3000)
    turn = join(world)
    assert isinstance(turn, str) or error_m(world, turn) < 0.05


def test_a_camera_that_turns_about_its_lens_tells_none(tmp_path):
    world = make_pan_world(tmp_path, 180.0, 3, noise_px=1.0, drift_m=0.0, floor_points=600)
    told = join(world)
    assert isinstance(told, str)


def test_the_bar_is_asked(tmp_path):
    world = make_pan_world(tmp_path, 100.0, 0, noise_px=0.15, drift_m=0.06, wall_points=3000)
    told = join(world, TurnJoinOptions(max_spread=0.0))
    assert isinstance(told, str)
    assert "differ by" in told


def test_where_only_the_floor_is_seen_the_scale_is_known_too_little(tmp_path):
    told = join(make_pan_world(tmp_path, 100.0, 0, noise_px=0.3, drift_m=0.06))
    assert isinstance(told, str)
    assert "only at a step" in told


@pytest.mark.parametrize(("rise", "is_joined"), [(0.0, True), (0.5, False)])
def test_nobody_grows_over_a_turn(tmp_path, rise, is_joined):
    world = make_pan_world(tmp_path, 100.0, 0, noise_px=0.15, drift_m=0.06, wall_points=3000, rise=rise)
    turn = join_over_turn(world.before, world.after, world.database_path, world.floors, world.times_s)
    assert isinstance(turn, TurnJoin) == is_joined, turn
    if isinstance(turn, str):
        assert "height above the floor would change" in turn


def test_a_turn_that_no_matches_lead_over_is_named(tmp_path):
    world = make_pan_world(tmp_path, 100.0, 0, floor_points=1, drift_m=0.06)
    told = join(world)
    assert isinstance(told, str)
    assert "from frame" in told


def pairs_of(path: Path) -> dict[tuple[int, int], int]:
    with open_database(path) as database:
        return {(first, second): count for first, second, count in list_verified_pairs(database)}


def test_a_sharpened_part_keeps_pairs_with_many_matches_and_leaves_the_database_alone(tmp_path):
    world = make_pan_world(tmp_path, 100.0, 0, floor_points=400)
    for frame in world.frames:
        cv2.imwrite(str(tmp_path / frame.image), np.full((CAMERA.height, CAMERA.width), 128, np.uint8))
    before = pairs_of(world.database_path)
    few = {pair for pair, count in before.items() if count < 50}
    assert few

    sharpen_part(world.database_path, tmp_path, world.frames[2:], tmp_path / "part.db")

    assert pairs_of(world.database_path) == before
    after = pairs_of(tmp_path / "part.db")
    assert after
    assert not few & set(after)
    assert all(first >= 3 and before[first, second] == count for (first, second), count in after.items())
    with open_database(world.database_path) as old, open_database(tmp_path / "part.db") as new:
        for frame in (3, 20):  # a blank picture moves nothing
            assert (np.asarray(old.read_keypoints(frame))[:, :2] == np.asarray(new.read_keypoints(frame))[:, :2]).all()
